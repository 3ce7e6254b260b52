// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <sosia/error.h>

namespace sosia::cli {

/// What one call of the program prints, and its exit code. A text alone goes to standard output.
struct Outcome {
  Outcome(std::string out_text, std::string err_text = {}, int code = 0)
      : out(std::move(out_text)), err(std::move(err_text)), exit_code(code) {}

  std::string out, err;
  int exit_code;
};

/// The error where memory runs out: no bug of sosia.
Error no_memory();

/// Runs the program with these arguments (its own name left out). Throws sosia::Error.
Outcome run(const std::vector<std::string>& arguments);

}  // namespace sosia::cli
