# SPDX-License-Identifier: Apache-2.0
# Arrow C++ (with Parquet) as the target sosia_arrow: the system's own, or the one that tools/setup.sh put into .venv.
include_guard(GLOBAL)

add_library(sosia_arrow INTERFACE)
include(${PROJECT_SOURCE_DIR}/build/arrow.cmake OPTIONAL)
if(SOSIA_ARROW_LIBRARY_DIR)
  target_include_directories(sosia_arrow SYSTEM INTERFACE ${SOSIA_ARROW_INCLUDE_DIR})
  target_link_libraries(sosia_arrow INTERFACE ${SOSIA_ARROW_LIBRARY_DIR}/libparquet.so
                                              ${SOSIA_ARROW_LIBRARY_DIR}/libarrow.so)
else()
  pkg_check_modules(arrow REQUIRED IMPORTED_TARGET arrow parquet)
  target_link_libraries(sosia_arrow INTERFACE PkgConfig::arrow)
endif()
