// SPDX-License-Identifier: Apache-2.0
// Between Arrow and sosia's errors. Arrow's messages quote cells, so not a word of them may go on: every call is
// paired with words of our own.
#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include <exception>
#include <string>
#include <utility>

#include <sosia/error.h>

namespace sosia {

/// What to say if a call fails. `where` is the file, with a line or a row group where known.
struct Fault {
  ErrorKind kind = ErrorKind::data;
  std::string problem, where, fix;
};

[[noreturn]] void raise(const Fault& fault);

/// Throws the fault unless the status is fine; what can have other causes (no memory) is told apart by the code alone.
void require(const arrow::Status& status, const Fault& fault);

template <class T>
T require(arrow::Result<T> result, const Fault& fault) {
  require(result.status(), fault);
  return std::move(result).ValueUnsafe();
}

/// The error for an exception that is no sosia::Error: again without its message.
[[noreturn]] void raise_for(const std::exception& error, const Fault& fault);

/// Runs code that calls Arrow: whatever it throws leaves as a sosia::Error.
template <class F>
auto guarded(const Fault& fault, F&& code) -> decltype(code()) {
  try {
    return code();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    raise_for(error, fault);
  }
}

}  // namespace sosia
