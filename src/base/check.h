// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sosia/error.h>

/// Holds in every build, unlike assert: for privacy preconditions and for what can only be a bug.
#define SOSIA_CHECK(condition, message)                                                                       \
  do {                                                                                                        \
    if (!(condition)) {                                                                                       \
      throw ::sosia::Error(::sosia::ErrorKind::internal, message, "check `" #condition "` in " __FILE_NAME__, \
                           "this is a bug in sosia: please report it with the command that led here");        \
    }                                                                                                         \
  } while (false)
