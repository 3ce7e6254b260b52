// SPDX-License-Identifier: Apache-2.0
// Many numbers to one, in an order that depends on their count alone.
#pragma once

#include <span>

#include "base/matrix.h"
#include "base/thread_pool.h"

namespace sosia::simd {

/// Error at most 5e-6 of the sum of the terms' magnitudes: float inside pieces of 1024, double across pieces.
double sum(std::span<const float> x);
double dot(std::span<const float> x, std::span<const float> y);
double squared_norm(std::span<const float> x);
/// Exact. Of at least one number.
float max(std::span<const float> x);

/// The dot product of row i of x and row i of y, for all rows.
void row_dots(MatrixView<const float> x, MatrixView<const float> y, std::span<double> out, ThreadPool& pool);

}  // namespace sosia::simd
