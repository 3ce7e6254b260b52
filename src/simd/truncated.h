// SPDX-License-Identifier: Apache-2.0
// From floats to exact sums of whole numbers, for the door. The same bits on every CPU.
#pragma once

#include <cstdint>
#include <span>

namespace sosia::simd {

/// Squares of floats are exact in double; number i goes to the running sum i mod 32, and these are added up in halves.
/// So the result is off by a factor of at most 1 + n 2^-53, for n numbers.
double sum_of_squares(std::span<const float> x);

/// sum[i] += x[i] * scale, rounded to double and cut toward zero to an integer. |x[i] * scale| < 2^63.
void add_truncated(std::span<const float> x, double scale, std::span<std::int64_t> sum);
/// The same with 0 for every x[i] that is not positive.
void add_truncated_positive(std::span<const float> x, double scale, std::span<std::int64_t> sum);

}  // namespace sosia::simd
