// SPDX-License-Identifier: Apache-2.0
// From floats to exact sums of whole numbers, for the door. The same bits on every CPU.
#pragma once

#include <cstdint>
#include <span>

#include "base/matrix.h"

namespace sosia::simd {

/// Squares of floats are exact in double; number i goes to the running sum i mod 32, and these are added up in halves.
/// So the result is off by a factor of at most 1 + n 2^-53, for n numbers.
double sum_of_squares(std::span<const float> x);
/// The sum of x[i] * y[i], in the same way: off by at most n 2^-53 times the sum of magnitudes.
double sum_of_products(std::span<const float> x, std::span<const float> y);

/// sum[i] += x[i] * scale, rounded to double and cut toward zero to an integer. |x[i] * scale| < 2^63.
void add_truncated(std::span<const float> x, double scale, std::span<std::int64_t> sum);
/// The same with 0 for every x[i] that is not positive.
void add_truncated_positive(std::span<const float> x, double scale, std::span<std::int64_t> sum);

/// Outer products, made whole and added up. Rows come in groups of `terms`, 1 or 2. For each group, sum(i, j) grows by
/// the sum of left(r, i) right(r, j) over its rows r, rounded to the nearest whole number (of two the even one) after
/// each addition; where a product exceeds 2^51, to the nearest double. `left` has floats and `right` has numbers of at
/// most 29 binary digits, so that products are exact; the sums of a group are at most 2^50. Rows of `right` have room
/// for padded_outer(right.cols) numbers; those behind are read and ignored. `sum` has no gaps.
void add_outer_rounded(MatrixView<const double> left, MatrixView<const double> right, std::size_t terms,
                       std::span<std::int64_t> sum);
inline constexpr std::size_t kOuterPadding = 8;
inline std::size_t padded_outer(std::size_t cols) { return (cols + kOuterPadding - 1) / kOuterPadding * kOuterPadding; }

}  // namespace sosia::simd
