// SPDX-License-Identifier: Apache-2.0
#include "eval/learners/ridge.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "eval/learners/cholesky.h"
#include "eval/order_statistics.h"
#include "simd/gemm.h"

namespace sosia::eval {

Ridge::Ridge(MatrixView<const float> x, std::span<const double> y, ThreadPool& pool) {
  const std::size_t width = x.cols;
  std::vector<double> means(width, 0.0), products(width, 0.0);
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (std::size_t c = 0; c < width; ++c) means[c] += x.row(i)[c] / static_cast<double>(x.rows);
  }
  const double center = mean(y);
  std::vector<float> centered(x.rows * width), squares(width * width);
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (std::size_t c = 0; c < width; ++c) {
      const double from_mean = x.row(i)[c] - means[c];
      centered[i * width + c] = static_cast<float>(from_mean);
      products[c] += from_mean * (y[i] - center);
    }
  }
  simd::gram(1.0F, {centered.data(), x.rows, width}, 0.0F, {squares.data(), width, width}, pool);
  std::vector<double> matrix(squares.begin(), squares.end());
  for (std::size_t c = 0; c < width; ++c) matrix[c * width + c] += 1.0;
  weights_ = Cholesky(std::move(matrix), width).solve(std::move(products));
  constant_ = center - std::inner_product(weights_.begin(), weights_.end(), means.begin(), 0.0);
}

std::vector<double> Ridge::predict(MatrixView<const float> x) const {
  std::vector<double> predicted;
  for (std::size_t i = 0; i < x.rows; ++i) {
    predicted.push_back(std::inner_product(weights_.begin(), weights_.end(), x.row(i).begin(), constant_));
  }
  return predicted;
}

double explained_share(std::span<const double> predicted, std::span<const double> y) {
  const double center = mean(y);
  double errors = 0.0, total = 0.0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    errors += (predicted[i] - y[i]) * (predicted[i] - y[i]);
    total += (y[i] - center) * (y[i] - center);
  }
  return total > 0.0 ? 1.0 - errors / total : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace sosia::eval
