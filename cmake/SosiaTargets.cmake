# SPDX-License-Identifier: Apache-2.0
# One library a folder, its unit tests beside it. Sources are listed, never globbed.

add_library(sosia_flags INTERFACE)
target_compile_options(sosia_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wnon-virtual-dtor
  # Of sources that are compiled as one, names of one would shadow those of another.
  $<$<NOT:$<BOOL:${CMAKE_UNITY_BUILD}>>:-Wshadow>
  # No silent fused multiply-adds: the same numbers from every compiler.
  -ffp-contract=off
  $<$<BOOL:${SOSIA_WERROR}>:-Werror>)
target_include_directories(sosia_flags INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
if(SOSIA_SANITIZE)
  target_compile_options(sosia_flags INTERFACE -fsanitize=${SOSIA_SANITIZE} -fno-sanitize-recover=all
                                               -fno-omit-frame-pointer)
  target_link_options(sosia_flags INTERFACE -fsanitize=${SOSIA_SANITIZE})
endif()
if(SOSIA_FUZZ)
  target_compile_options(sosia_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(SOSIA_TIDY)
  find_program(SOSIA_CLANG_TIDY clang-tidy-19 REQUIRED)
  set(CMAKE_CXX_CLANG_TIDY ${SOSIA_CLANG_TIDY} --quiet --warnings-as-errors=*)
endif()

# sosia_library(NAME SOURCES ... APART ... LINK ... HEADERS ...): HEADERS are large headers of others that most sources include.
# Under sanitizers and the linter several SOURCES are compiled as one, which takes a third to a half of the time. APART are those that
# use the same names as their neighbours, as recipes, metrics and commands do, and are not.
function(sosia_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;APART;LINK;HEADERS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES} ${ARG_APART})
  set_target_properties(${name} PROPERTIES UNITY_BUILD_CODE_BEFORE_INCLUDE "// NOLINTNEXTLINE(bugprone-suspicious-include)")
  set_source_files_properties(${ARG_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_link_libraries(${name} PUBLIC sosia_flags ${ARG_LINK})
  if(SOSIA_PCH AND ARG_HEADERS)
    target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
  endif()
endfunction()

# What is tested as shipped, too: the label and the target of programs. All the rest is tested under sanitizers alone.
add_custom_target(as_shipped)

# sosia_tests(NAME [AS_SHIPPED] SOURCES ... APART ... LINK ...): one GoogleTest program.
function(sosia_tests name)
  if(NOT SOSIA_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "AS_SHIPPED" "" "SOURCES;APART;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES} ${ARG_APART})
  set_source_files_properties(${ARG_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_link_libraries(${name} PRIVATE sosia_flags ${ARG_LINK} GTest::gtest_main GTest::gmock)
  if(SOSIA_SANITIZE)
    target_compile_options(${name} PRIVATE -O0)  # half the time to compile; what is tested stays optimised
  endif()
  list(LENGTH ARG_SOURCES count)
  if(SOSIA_PCH AND count GREATER 2)
    target_precompile_headers(${name} PRIVATE <gtest/gtest.h> <gmock/gmock.h>)
  endif()
  set(label)
  if(ARG_AS_SHIPPED)
    set(label PROPERTIES LABELS as_shipped)
    add_dependencies(as_shipped ${name})
  endif()
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} ${label})
endfunction()
