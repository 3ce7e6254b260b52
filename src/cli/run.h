// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace sosia::cli {

/// What one call of the program prints, and its exit code.
struct Outcome {
  std::string out, err;
  int exit_code = 0;
};

/// Runs the program with these arguments (its own name left out). Throws sosia::Error.
Outcome run(const std::vector<std::string>& arguments);

}  // namespace sosia::cli
