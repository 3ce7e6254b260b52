// SPDX-License-Identifier: Apache-2.0
#include "eval/learners/cholesky.h"

#include <array>
#include <cmath>
#include <utility>

namespace sosia::eval {

namespace {

/// Four sums at a time: a single one would wait for each addition.
double dot(const double* a, const double* b, std::size_t count) {
  std::array<double, 4> sums = {0.0, 0.0, 0.0, 0.0};
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (std::size_t k = 0; k < 4; ++k) sums[k] += a[i + k] * b[i + k];
  }
  for (; i < count; ++i) sums[0] += a[i] * b[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace

Cholesky::Cholesky(std::vector<double> matrix, std::size_t size) : lower_(std::move(matrix)), size_(size) {
  const std::size_t n = size_;
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j; i < n; ++i) {
      const double sum = lower_[i * n + j] - dot(&lower_[i * n], &lower_[j * n], j);
      lower_[i * n + j] = i == j ? std::sqrt(sum) : sum / lower_[j * n + j];
    }
  }
}

std::vector<double> Cholesky::solve(std::vector<double> b) const {
  const std::size_t n = size_;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= lower_[i * n + k] * b[k];
    b[i] /= lower_[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= lower_[k * n + i] * b[k];
    b[i] /= lower_[i * n + i];
  }
  return b;
}

}  // namespace sosia::eval
