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
// Rows of a tile of gram. What it computes below the diagonal for nothing grows with them.
constexpr std::size_t kGramRows = 192;
// Where there are few such tiles, they are cut again: products that are worth waking a thread for, some ten
// microseconds each, up to two for each thread. More would copy the factors more often.
constexpr std::size_t kWorthAThread = std::size_t{1} << 19;
constexpr std::size_t kLeastRows = 48, kLeastCols = 128;

/// A product's tiles: bands of rows by strips of columns, each kind of about equal size. They may depend on the number
/// of threads, as no number of c depends on its tile.
struct Cut {
  Cut(std::size_t rows_, std::size_t cols_, std::size_t inner, std::size_t threads) : rows(rows_), cols(cols_) {
    const std::size_t most = threads == 1 ? 1 : 2 * threads;
    const std::size_t wanted = std::clamp<std::size_t>(rows * cols * inner / kWorthAThread, 1, most);
    is_small = wanted == 1;
    down = std::max(pieces(rows, kTileRows), std::min(wanted, pieces(rows, kLeastRows)));
    across = std::max(pieces(cols, kTileCols), std::min(pieces(wanted, down), pieces(cols, kLeastCols)));
  }
  static std::size_t pieces(std::size_t count, std::size_t size) { return (count + size - 1) / size; }
  /// Where piece i of `count` pieces begins; whole blocks, but for the last one.
  static std::size_t begin(std::size_t i, std::size_t count, std::size_t size, std::size_t block) {
    return std::min(size, i * pieces(size, block) / count * block);
  }
  std::size_t row(std::size_t i) const { return begin(i, down, rows, kRowBlock); }
  std::size_t col(std::size_t i) const { return begin(i, across, cols, kColBlock); }

  std::size_t rows, cols, down, across;
  bool is_small;  ///< not worth waking a thread
};

Strided strided(const Factor& f) {
  const MatrixView<const float>& m = f.matrix;
  return f.is_transposed ? Strided{m.data, 1, m.stride} : Strided{m.data, m.stride, 1};
}

/// Part of a product: rows row .. end_row-1 and columns col .. end_col-1 of c, and what belongs to them of the factors.
GemmTile tile_at(GemmTile whole, std::size_t row, std::size_t end_row, std::size_t col, std::size_t end_col) {
  whole.a.data += row * whole.a.row_step;
  whole.b.data += col * whole.b.col_step;
  whole.c += row * whole.c_step + col;
  whole.rows = end_row - row;
  whole.cols = end_col - col;
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
  const Cut cut(c.rows, c.cols, a.cols(), static_cast<std::size_t>(pool.size()));
  const auto multiply_tile = [&](std::size_t tile) {
    const std::size_t i = tile / cut.across, j = tile % cut.across;
    multiply(tile_at(whole, cut.row(i), cut.row(i + 1), cut.col(j), cut.col(j + 1)));
  };
  if (cut.is_small) {
    for (std::size_t tile = 0; tile < cut.down * cut.across; ++tile) multiply_tile(tile);
  } else {
    for_pieces(pool, cut.down * cut.across, multiply_tile);
  }
}

void gram(float alpha, MatrixView<const float> a, float beta, MatrixView<float> c, ThreadPool& pool) {
  SOSIA_CHECK(c.rows == a.cols && c.cols == a.cols, "the shapes do not fit");
  const std::size_t size = a.cols;
  if (size == 0) return;
  if (a.rows == 0) return scale_rows(beta, c);
  const GemmTile whole = {alpha, strided(transposed(a)), strided(a), beta, c.data, c.stride, size, size, a.rows};
  const std::size_t down = (size + kGramRows - 1) / kGramRows, across = (size + kTileCols - 1) / kTileCols;
  for_pieces(pool, down * across, [&](std::size_t tile) {
    // Tiles of a row begin at the diagonal; what lies right of the first kGramRows columns is mirrored to the left.
    const std::size_t row = tile / across * kGramRows, col = row + tile % across * kTileCols;
    if (col >= size) return;
    const GemmTile part = tile_at(whole, row, std::min(size, row + kGramRows), col, std::min(size, col + kTileCols));
    multiply(part);
    for (std::size_t j = std::max(col, row + part.rows); j < col + part.cols; ++j) {
      for (std::size_t i = row; i < row + part.rows; ++i) c.data[j * c.stride + i] = c.data[i * c.stride + j];
    }
  });
}

}  // namespace sosia::simd
