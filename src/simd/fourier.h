// SPDX-License-Identifier: Apache-2.0
// Cosines and sines of the products of rows and frequencies, never more of them at once than the nearest cache holds.
// The vector of a row is scale * (cosines of all frequencies, sines of all frequencies). Angles are made like numbers
// of gemm, and turned as by sincos, whose errors hold. The same bits from any number of threads; vectors and gradients
// of a row depend on that row alone, to the bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/matrix.h"
#include "base/thread_pool.h"
#include "simd/cache_line.h"

namespace sosia::simd {

/// Frequencies, twice, in the two orders in which they are read. Made once, used from any number of threads.
class FourierPanels {
 public:
  /// Columns of a panel: two of the longest vectors.
  static constexpr std::size_t kWidth = 32;

  /// One frequency a row, as long as the rows that it is for.
  explicit FourierPanels(MatrixView<const float> frequencies);

  std::size_t inputs() const { return inputs_; }
  std::size_t frequencies() const { return frequencies_; }
  std::size_t panels() const { return (frequencies_ + kWidth - 1) / kWidth; }
  /// kWidth frequencies side by side: number j of input i at i * kWidth + j. The last panel ends with zeros.
  const float* panel(std::size_t p) const { return by_panel_.front().numbers + p * inputs_ * kWidth; }
  /// One frequency after the other, each followed by zeros up to padded_inputs().
  const float* frequency(std::size_t f) const { return by_frequency_.front().numbers + f * padded_inputs(); }
  std::size_t padded_inputs() const { return (inputs_ + kLine - 1) / kLine * kLine; }
  /// Numbers that the angles of so many rows take.
  std::size_t angles(std::size_t rows) const { return rows * panels() * kWidth; }

 private:
  std::size_t inputs_, frequencies_;
  std::vector<CacheLine> by_panel_, by_frequency_;
};

/// Writes the vector of every row. On the calling thread.
void fourier_vectors(const FourierPanels& w, float scale, MatrixView<const float> rows, MatrixView<float> vectors);

/// Row p of sums = the sum of the vectors of all rows r with parts[r] = p; with no parts, all are in part 0. Error
/// at most about 1e-5 of the sum of magnitudes, for a million rows. Unless `angles` is empty, keeps the angles of
/// all rows there: w.angles(rows) numbers, best on cache lines of their own.
void fourier_sums(const FourierPanels& w, float scale, MatrixView<const float> rows,
                  std::span<const std::uint32_t> parts, MatrixView<float> sums, std::span<float> angles,
                  ThreadPool& pool);

/// Row r of d_rows = the gradient by row r of d_sums.row(parts[r]) * vector of r. With the angles that fourier_sums
/// kept of the same rows, which changes no bit, or without.
void fourier_gradients(const FourierPanels& w, float scale, MatrixView<const float> rows,
                       std::span<const std::uint32_t> parts, MatrixView<const float> d_sums,
                       std::span<const float> angles, MatrixView<float> d_rows, ThreadPool& pool);

}  // namespace sosia::simd
