// SPDX-License-Identifier: Apache-2.0
// One tile of a product of matrices on one thread: what gemm and gram are made of.
#pragma once

#include <cstddef>

namespace sosia::simd {

/// Numbers at data[row * row_step + col * col_step], so that a transpose is the same matrix with the steps exchanged.
struct Strided {
  const float* data;
  std::size_t row_step, col_step;
};

/// c = alpha * a * b + beta * c for `rows` x `cols` numbers of c, where a has `inner` columns; rows of c are contiguous
/// and c_step apart.
struct GemmTile {
  float alpha;
  Strided a, b;
  float beta;
  float* c;
  std::size_t c_step, rows, cols, inner;
};

/// A tile has at most so many rows; any number of columns. Enough rows that copying b, where it must be, costs little.
inline constexpr std::size_t kTileRows = 252;
/// Tiles waste nothing if their rows and columns are multiples of these, on every target.
inline constexpr std::size_t kRowBlock = 12, kColBlock = 32;

/// Uses some 300 kB of stack, for copies of its share of a and b in the order in which they are read.
void multiply(const GemmTile& tile);

}  // namespace sosia::simd
