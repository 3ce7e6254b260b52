// SPDX-License-Identifier: Apache-2.0
#include <sosia/error.h>

namespace sosia {

namespace {

std::string message(const std::string& what, const std::string& where, const std::string& fix) {
  return "error: " + what + "\nwhere: " + where + "\nfix:   " + fix;
}

}  // namespace

Error::Error(ErrorKind kind, const std::string& what, const std::string& where, const std::string& fix)
    : std::runtime_error(message(what, where, fix)), kind_(kind), problem_(what), where_(where), fix_(fix) {}

const char* name_of(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::usage:
      return "usage";
    case ErrorKind::data:
      return "data";
    case ErrorKind::schema:
      return "schema";
    case ErrorKind::budget:
      return "budget";
    case ErrorKind::io:
      return "io";
    case ErrorKind::internal:
      return "internal";
  }
  return "internal";
}

}  // namespace sosia
