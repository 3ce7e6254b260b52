// SPDX-License-Identifier: Apache-2.0
// Statistics of columns, as batch normalisation and bias gradients need them. Rows are added in an order that depends
// on their number alone and every operation is rounded: the same bits on every CPU, from any number of threads.
#pragma once

#include <span>

#include "base/matrix.h"
#include "base/thread_pool.h"

namespace sosia::simd {

/// sums[c] = the sum over rows of x. Error at most about 1e-5 of the sum of magnitudes, for a million rows.
void column_sums(MatrixView<const float> x, std::span<float> sums, ThreadPool& pool);
/// means[c] and the mean squared deviation from it, in two passes. At least one row.
void column_moments(MatrixView<const float> x, std::span<float> means, std::span<float> variances, ThreadPool& pool);
/// sums[c] = the sum over rows of g * (x - center[c])
void column_products(MatrixView<const float> g, MatrixView<const float> x, std::span<const float> center,
                     std::span<float> sums, ThreadPool& pool);
/// out = a[c] * g + b[c] * x + shift[c]; out may be g or x.
void combine_columns(std::span<const float> a, MatrixView<const float> g, std::span<const float> b,
                     MatrixView<const float> x, std::span<const float> shift, MatrixView<float> out, ThreadPool& pool);

}  // namespace sosia::simd
