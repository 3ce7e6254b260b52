// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace sosia {

/// What went wrong, from the point of view of who can mend it. The value is the exit code of the command line.
enum class ErrorKind : int {
  usage = 2,     ///< a wrong option or argument
  data = 3,      ///< the data file does not agree with its schema
  schema = 4,    ///< a schema, plan or event file is malformed
  budget = 5,    ///< the privacy budget does not allow it
  io = 6,        ///< a file cannot be read, written or locked
  internal = 70  ///< a bug in sosia, please report it
};

/// The one exception of sosia. Three parts: what happened, where, and how to fix it.
/// No part may ever hold a value read from a private table; counts are the most that may appear.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& what, const std::string& where, const std::string& fix);

  ErrorKind kind() const noexcept { return kind_; }
  int exit_code() const noexcept { return static_cast<int>(kind_); }
  const std::string& problem() const noexcept { return problem_; }
  const std::string& where() const noexcept { return where_; }
  const std::string& fix() const noexcept { return fix_; }

 private:
  ErrorKind kind_;
  std::string problem_, where_, fix_;
};

/// "usage", "data", "schema", "budget", "io" or "internal".
const char* name_of(ErrorKind kind) noexcept;

}  // namespace sosia
