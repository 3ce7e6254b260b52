// SPDX-License-Identifier: Apache-2.0
#include "simd/gemm.h"

#include <algorithm>

#include "base/check.h"
#include "simd/elementwise.h"
#include "simd/gemm_kernel.h"
#include "simd/parallel.h"

namespace sosia::simd {

namespace {

// Enough columns that copying rows of the first factor costs little beside the work, few enough to occupy many cores.
constexpr std::size_t kTileCols = 512;

Strided strided(const Factor& f) {
  const MatrixView<const float>& m = f.matrix;
  return f.is_transposed ? Strided{m.data, 1, m.stride} : Strided{m.data, m.stride, 1};
}

/// Part of a product: c at `row`, `col` and the factors' rows and columns that belong to it.
GemmTile tile_at(GemmTile whole, std::size_t row, std::size_t col) {
  whole.a.data += row * whole.a.row_step;
  whole.b.data += col * whole.b.col_step;
  whole.c += row * whole.c_step + col;
  whole.rows = std::min(kTileRows, whole.rows - row);
  whole.cols = std::min(kTileCols, whole.cols - col);
  return whole;
}

void scale_rows(float beta, MatrixView<float> c) {
  for (std::size_t r = 0; r < c.rows; ++r) {
    if (beta == 0.0F) {
      std::ranges::fill(c.row(r), 0.0F);
    } else {
      scale(beta, c.row(r));
    }
  }
}

}  // namespace

void gemm(float alpha, Factor a, Factor b, float beta, MatrixView<float> c, ThreadPool& pool) {
  SOSIA_CHECK(a.rows() == c.rows && b.cols() == c.cols && a.cols() == b.rows(), "the shapes do not fit");
  if (c.rows == 0 || c.cols == 0) return;
  if (a.cols() == 0) return scale_rows(beta, c);
  const GemmTile whole = {alpha, strided(a), strided(b), beta, c.data, c.stride, c.rows, c.cols, a.cols()};
  const std::size_t down = (c.rows + kTileRows - 1) / kTileRows, across = (c.cols + kTileCols - 1) / kTileCols;
  for_pieces(pool, down * across,
             [&](std::size_t tile) { multiply(tile_at(whole, tile / across * kTileRows, tile % across * kTileCols)); });
}

void gram(float alpha, MatrixView<const float> a, float beta, MatrixView<float> c, ThreadPool& pool) {
  SOSIA_CHECK(c.rows == a.cols && c.cols == a.cols, "the shapes do not fit");
  const std::size_t size = a.cols;
  if (size == 0) return;
  if (a.rows == 0) return scale_rows(beta, c);
  const GemmTile whole = {alpha, strided(transposed(a)), strided(a), beta, c.data, c.stride, size, size, a.rows};
  const std::size_t down = (size + kTileRows - 1) / kTileRows, across = (size + kTileCols - 1) / kTileCols;
  for_pieces(pool, down * across, [&](std::size_t tile) {
    // Tiles of a row begin at the diagonal; what lies right of the first kTileRows columns is mirrored to the left.
    const std::size_t row = tile / across * kTileRows, col = row + tile % across * kTileCols;
    if (col >= size) return;
    const GemmTile part = tile_at(whole, row, col);
    multiply(part);
    for (std::size_t j = std::max(col, row + part.rows); j < col + part.cols; ++j) {
      for (std::size_t i = row; i < row + part.rows; ++i) c.data[j * c.stride + i] = c.data[i * c.stride + j];
    }
  });
}

}  // namespace sosia::simd
