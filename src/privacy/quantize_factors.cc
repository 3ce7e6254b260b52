// SPDX-License-Identifier: Apache-2.0
#include "privacy/quantize_factors.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/check.h"
#include "simd/truncated.h"

namespace sosia {

namespace {

constexpr double kLessThanRoundings = 1.0 - 0x1p-49;

// Toward zero, to 29 binary digits: times a float, which has 24, it is exact in a double.
double cut(double x) { return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) >> 24 << 24); }

}  // namespace

FactorQuantizer::FactorQuantizer(const Lattice& lattice, std::span<const FactorShape> shapes, std::size_t terms)
    : lattice_(lattice), room_(shapes, terms), per_step_(1.0 / lattice.step) {
  SOSIA_CHECK(terms == 1 || terms == 2, "a block is the sum of one or two outer products");
  double factors = 16.0, entries = 0.0;
  for (const FactorShape& shape : shapes) {
    factors += static_cast<double>(terms * (shape.inputs + shape.outputs + 2));
    entries += static_cast<double>(shape.size());
  }
  margin_ = factors * 0x1p-50;
  bound_ = static_cast<double>(lattice.norm) * kLessThanRoundings -
           0.5 * static_cast<double>(terms) * std::sqrt(entries) / kLessThanRoundings;
}

std::span<const FactorPair<float>> FactorQuantizer::room(std::size_t rows) {
  rows_ = rows;
  room_.clear(rows);
  const std::size_t lines = rows * room_.terms();
  std::size_t doubles = 0;
  for (const FactorShape& shape : room_.shapes()) {
    doubles += lines * (shape.inputs + 1 + simd::padded_outer(shape.outputs));
  }
  wide_.resize(doubles);
  scaled_.clear();
  double* next = wide_.data();
  for (const FactorShape& shape : room_.shapes()) {
    double* const right = next + lines * (shape.inputs + 1);
    const std::size_t stride = simd::padded_outer(shape.outputs);
    scaled_.push_back({{next, lines, shape.inputs + 1}, {right, lines, shape.outputs, stride}});
    next = right + lines * stride;
  }
  return room_.factors();
}

double FactorQuantizer::scale_of(std::size_t row, bool& is_whole) const {
  double squares = 0.0, cross = 0.0;
  const std::size_t terms = room_.terms(), first = row * terms;
  for (const auto& [left, right] : room_.factors()) {
    for (std::size_t r = first; r < first + terms; ++r) {
      squares += (simd::sum_of_squares(left.row(r)) + 1.0) * simd::sum_of_squares(right.row(r));
    }
    if (terms == 1) continue;
    cross += (simd::sum_of_products(left.row(first), left.row(first + 1)) + 1.0) *
             simd::sum_of_products(right.row(first), right.row(first + 1));
  }
  is_whole = false;
  // An infinite or undefined factor shows here: as infinity, or as infinity times 0. Nothing finite overflows.
  if (!std::isfinite(squares) || !std::isfinite(cross)) return 0.0;
  const double root = std::sqrt(squares);
  const double longest =
      std::sqrt(std::max(0.0, squares + 2.0 * cross + margin_ * squares)) + (margin_ + 0x1p-27) * root;
  is_whole = longest * per_step_ <= bound_;
  return std::max(0.0, (is_whole ? per_step_ : bound_ / longest) * kLessThanRoundings);
}

void FactorQuantizer::scale_row(std::size_t row, double scale) {
  const std::size_t terms = room_.terms();
  for (std::size_t b = 0; b < scaled_.size(); ++b) {
    const FactorPair<float>& factors = room_.factors()[b];
    for (std::size_t r = row * terms; r < (row + 1) * terms; ++r) {
      const std::span<const float> left = factors.left.row(r), right = factors.right.row(r);
      const std::span<double> wide = scaled_[b].left.row(r), scaled = scaled_[b].right.row(r);
      // What is not finite must not meet the zeros: their product would be undefined.
      if (scale == 0.0) {
        std::ranges::fill(wide, 0.0);
        std::ranges::fill(scaled, 0.0);
        continue;
      }
      std::ranges::copy(left, wide.begin());
      wide.back() = 1.0;
      for (std::size_t j = 0; j < right.size(); ++j) scaled[j] = cut(double{right[j]} * scale);
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
  for (std::size_t b = 0; b < scaled_.size(); ++b) {
    const std::size_t size = room_.shapes()[b].size();
    simd::add_outer_rounded(scaled_[b].left, scaled_[b].right, room_.terms(), sums.subspan(first, size));
    first += size;
  }
  if (lattice_.count > 0) sums[first++] += signs;
  SOSIA_CHECK(first == sums.size(), "factors and sums differ in length");
}

}  // namespace sosia
