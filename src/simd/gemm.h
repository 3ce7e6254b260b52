// SPDX-License-Identifier: Apache-2.0
// Products of matrices. A number of the result depends on its row of the first factor and its column of the second
// alone, to the bit: not on its place, the other rows, their number, or the number of threads. So a map of private rows
// may use these, which no BLAS promises. The bits are also the same on all CPUs that have fused multiply-adds; those
// that have none round once more for each product.
#pragma once

#include "base/matrix.h"
#include "base/thread_pool.h"

namespace sosia::simd {

/// A matrix, or its transpose.
struct Factor {
  MatrixView<const float> matrix;
  bool is_transposed = false;

  Factor(MatrixView<const float> matrix_) : matrix(matrix_) {}
  Factor(MatrixView<float> matrix_) : matrix(matrix_) {}
  Factor(MatrixView<const float> matrix_, bool is_transposed_) : matrix(matrix_), is_transposed(is_transposed_) {}

  std::size_t rows() const { return is_transposed ? matrix.cols : matrix.rows; }
  std::size_t cols() const { return is_transposed ? matrix.rows : matrix.cols; }
};
inline Factor transposed(MatrixView<const float> matrix) { return {matrix, true}; }

/// c = alpha * a * b + beta * c. With beta = 0, c may hold anything, even NaN. c overlaps neither factor.
void gemm(float alpha, Factor a, Factor b, float beta, MatrixView<float> c, ThreadPool& pool);

/// c = alpha * a' * a + beta * c, all of the symmetric matrix, with little more than half the work of gemm. With
/// beta != 0, c must be symmetric.
void gram(float alpha, MatrixView<const float> a, float beta, MatrixView<float> c, ThreadPool& pool);

}  // namespace sosia::simd
