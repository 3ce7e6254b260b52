// SPDX-License-Identifier: Apache-2.0
#include "privacy/quantize.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/wide_int.h"
#include "simd/truncated.h"

namespace sosia {

namespace {

// Off by a factor of at most 1 + n 2^-53, as the squares of floats are exact in doubles and no term is negative.
double sum_of_squares(const float* v, std::size_t n) { return simd::sum_of_squares({v, n}); }

template <bool kNonnegative>
double entry(float x) {
  return kNonnegative ? std::max(x, 0.0F) : x;
}

template <bool kNonnegative>
void add_scaled(const float* v, std::size_t n, double scale, std::int64_t* sum) {
  kNonnegative ? simd::add_truncated_positive({v, n}, scale, {sum, n}) : simd::add_truncated({v, n}, scale, {sum, n});
}

template <bool kNonnegative>
u128 exact_squares(const float* v, std::size_t n, double scale) {
  u128 squares = 0;
  for (std::size_t i = 0; i < n; ++i) squares += square(static_cast<std::int64_t>(entry<kNonnegative>(v[i]) * scale));
  return squares;
}

}  // namespace

Quantizer::Quantizer(const Lattice& lattice, int dim, bool nonnegative)
    : nonnegative_(nonnegative),
      norm_(lattice.norm),
      count_(lattice.count),
      per_step_(1.0 / lattice.step),
      margin_((static_cast<double>(dim) + 16.0) * 0x1p-52) {
  // The entries are cut from v * per_step_ (1 + 2^-53), so the integers have a sum of squares of at most
  // |v|^2 per_step_^2 (1 + 2^-52); margin_ covers this, the computed |v|^2 and the roundings of this line.
  const double longest = static_cast<double>(norm_) / per_step_;
  short_enough_ = longest * longest * (1.0 - margin_);
}

void Quantizer::add(MatrixView<const float> vectors, std::span<const std::uint32_t> parts,
                    std::span<std::int64_t> sums) const {
  const std::size_t dim = vectors.cols, size_of_part = dim + (count_ > 0 ? 1 : 0);
  SOSIA_CHECK(parts.size() == vectors.rows && sums.size() % size_of_part == 0, "vectors and sums differ in length");
  const std::size_t part_count = sums.size() / size_of_part;
  for (std::size_t r = 0; r < vectors.rows; ++r) {
    const std::size_t part = parts[r];
    if (part >= part_count) continue;
    const bool counts = add_vector(vectors.row(r), sums.subspan(part * dim, dim));
    if (counts && count_ > 0) sums[part_count * dim + part] += count_;
  }
}

bool Quantizer::add_vector(std::span<const float> vector, std::span<std::int64_t> sum) const {
  const double squares = sum_of_squares(vector.data(), vector.size());
  if (squares <= short_enough_) {
    nonnegative_ ? add_scaled<true>(vector.data(), vector.size(), per_step_, sum.data())
                 : add_scaled<false>(vector.data(), vector.size(), per_step_, sum.data());
    return true;
  }
  // No sum of squares of finite floats overflows a double.
  return std::isfinite(squares) && add_shrunk(vector, squares, sum);
}

bool Quantizer::add_shrunk(std::span<const float> vector, double squares, std::span<std::int64_t> sum) const {
  if (nonnegative_) {
    squares = 0.0;
    for (const float x : vector) squares += entry<true>(x) * entry<true>(x);
  }
  const double length = std::sqrt(squares) * per_step_;
  const auto bound = static_cast<double>(norm_);
  const double to_bound = bound / length * (1.0 - margin_);
  // What is just about long enough may be within the bound once cut. The entries are then far below 2^63.
  double factor = length <= bound * (1.0 + 0x1p-10) ? 1.0 : to_bound;
  // By the error bounds above the second attempt succeeds. The loop makes that independent of the proof: the factor
  // falls faster and faster, and at the end nothing is added.
  for (int attempt = 0; attempt < 32; ++attempt) {
    const double scale = per_step_ * factor;
    const u128 exact = nonnegative_ ? exact_squares<true>(vector.data(), vector.size(), scale)
                                    : exact_squares<false>(vector.data(), vector.size(), scale);
    if (exact <= square(norm_)) {
      nonnegative_ ? add_scaled<true>(vector.data(), vector.size(), scale, sum.data())
                   : add_scaled<false>(vector.data(), vector.size(), scale, sum.data());
      return true;
    }
    factor = std::min(factor, to_bound) * (1.0 - std::ldexp(1.0, attempt - 40));
  }
  return false;
}

void add_counts(MatrixView<const std::uint32_t> cells, std::span<const CountSlot> slots,
                std::span<std::int64_t> counts) {
  SOSIA_CHECK(cells.cols == slots.size(), "cells and slots differ in number");
  std::size_t total = 0;
  for (const CountSlot& slot : slots) total += slot.width;
  SOSIA_CHECK(total == counts.size(), "the slots and the counts differ in size");
  for (std::size_t r = 0; r < cells.rows; ++r) {
    const std::uint32_t* __restrict hit = cells.row(r).data();
    std::int64_t* slot_counts = counts.data();
    for (std::size_t j = 0; j < slots.size(); ++j) {
      if (hit[j] < slots[j].width) ++slot_counts[hit[j]];
      slot_counts += slots[j].width;
    }
  }
}

}  // namespace sosia
