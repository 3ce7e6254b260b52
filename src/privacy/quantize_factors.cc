// SPDX-License-Identifier: Apache-2.0
#include "privacy/quantize_factors.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "simd/truncated.h"

namespace sosia {

FactorQuantizer::FactorQuantizer(const Lattice& lattice, std::span<const FactorShape> shapes, std::size_t terms)
    : lattice_(lattice), shapes_(shapes.begin(), shapes.end()), terms_(terms), per_step_(1.0 / lattice.step) {
  SOSIA_CHECK(terms == 1 || terms == 2, "a block is the sum of one or two outer products");
  double factors = 16.0;
  for (const FactorShape& shape : shapes_) factors += static_cast<double>(terms * (shape.inputs + shape.outputs + 2));
  margin_ = factors * 0x1p-50;
}

std::span<const FactorPair<float>> FactorQuantizer::room(std::size_t rows) {
  rows_ = rows;
  const std::size_t groups = rows * terms_;
  std::size_t floats = 0, doubles = 0;
  for (const FactorShape& shape : shapes_) {
    floats += groups * (shape.inputs + shape.outputs);
    doubles += groups * simd::padded_outer(shape.outputs);
  }
  // Cleared: what a map forgets to write must not be left over from another row.
  numbers_.assign(floats, 0.0F);
  scaled_.assign(doubles, 0.0);
  factors_.clear();
  right_.clear();
  float* next = numbers_.data();
  double* next_scaled = scaled_.data();
  for (const FactorShape& shape : shapes_) {
    const MatrixView<float> left(next, groups, shape.inputs),
        right(next + groups * shape.inputs, groups, shape.outputs);
    next += groups * (shape.inputs + shape.outputs);
    factors_.push_back({left, right});
    right_.emplace_back(next_scaled, groups, shape.outputs, simd::padded_outer(shape.outputs));
    next_scaled += groups * simd::padded_outer(shape.outputs);
  }
  return factors_;
}

double FactorQuantizer::scale_of(std::size_t row, bool& is_whole) const {
  double squares = 0.0, cross = 0.0;
  for (const auto& [left, right] : factors_) {
    const std::size_t first = row * terms_;
    for (std::size_t r = first; r < first + terms_; ++r) {
      squares += (simd::sum_of_squares(left.row(r)) + 1.0) * simd::sum_of_squares(right.row(r));
    }
    if (terms_ == 1) continue;
    cross += (simd::sum_of_products(left.row(first), left.row(first + 1)) + 1.0) *
             simd::sum_of_products(right.row(first), right.row(first + 1));
  }
  is_whole = false;
  // An infinite or undefined factor shows here: as infinity, or as infinity times 0. Nothing finite overflows.
  if (!std::isfinite(squares) || !std::isfinite(cross)) return 0.0;
  const double longest =
      std::sqrt(std::max(0.0, squares + 2.0 * cross + margin_ * squares)) + margin_ * std::sqrt(squares);
  const double bound = static_cast<double>(lattice_.norm) * (1.0 - 0x1p-49);
  is_whole = longest * per_step_ <= bound;
  return is_whole ? per_step_ * (1.0 - 0x1p-49) : bound / longest;
}

void FactorQuantizer::scale_row(std::size_t row, double scale) {
  for (std::size_t b = 0; b < factors_.size(); ++b) {
    for (std::size_t r = row * terms_; r < (row + 1) * terms_; ++r) {
      const std::span<const float> right = factors_[b].right.row(r);
      const std::span<double> scaled = right_[b].row(r);
      // What is not finite must not meet the zeros: their product would be undefined.
      if (scale == 0.0) std::ranges::fill(factors_[b].left.row(r), 0.0F);
      for (std::size_t j = 0; j < right.size(); ++j) scaled[j] = scale == 0.0 ? 0.0 : double{right[j]} * scale;
    }
  }
}

void FactorQuantizer::add(std::span<std::int64_t> sums) {
  std::int64_t signs = 0;
  for (std::size_t row = 0; row < rows_; ++row) {
    bool is_whole = false;
    const double scale = scale_of(row, is_whole);
    scale_row(row, scale);
    if (scale > 0.0) signs += is_whole ? lattice_.count : -lattice_.count;
  }
  std::size_t first = 0;
  for (std::size_t b = 0; b < factors_.size(); ++b) {
    simd::add_outer_truncated(factors_[b].left, right_[b], terms_, sums.subspan(first, shapes_[b].size()));
    first += shapes_[b].size();
  }
  if (lattice_.count > 0) sums[first++] += signs;
  SOSIA_CHECK(first == sums.size(), "factors and sums differ in length");
}

}  // namespace sosia
