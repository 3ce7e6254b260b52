// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace sosia::eval {

/// A symmetric, positive definite matrix, given row by row, as a product of a lower triangle and its transpose.
class Cholesky {
 public:
  explicit Cholesky(std::vector<double> matrix, std::size_t size);
  /// The solution x of matrix * x = b.
  std::vector<double> solve(std::vector<double> b) const;

 private:
  std::vector<double> lower_;
  std::size_t size_;
};

}  // namespace sosia::eval
