// SPDX-License-Identifier: Apache-2.0
// How kernels share work. Sums are cut by the shape alone, never by the number of threads, so that no number depends on
// it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>

#include "base/thread_pool.h"

namespace sosia::simd {

/// Calls work(piece) for every piece below count, in any order. Allocates nothing.
template <class Work>
void for_pieces(ThreadPool& pool, std::size_t count, const Work& work) {
  if (count <= 1 || pool.size() == 1) {
    for (std::size_t piece = 0; piece < count; ++piece) work(piece);
    return;
  }
  std::atomic<std::size_t> next = 0;
  const auto worker = [&](int) {
    for (std::size_t piece = next++; piece < count; piece = next++) work(piece);
  };
  pool.share(std::cref(worker));  // a reference fits into std::function without an allocation
}

/// Calls work(begin, end) for pieces of at most `size` that cover 0 .. count-1.
template <class Work>
void for_ranges(ThreadPool& pool, std::size_t count, std::size_t size, const Work& work) {
  for_pieces(pool, (count + size - 1) / size,
             [&](std::size_t piece) { work(piece * size, std::min(count, (piece + 1) * size)); });
}

/// Numbers in a piece of streaming work: some tens of microseconds, far above the cost of waking a thread.
inline constexpr std::size_t kPieceSize = std::size_t{1} << 15;

/// Columns in a piece of work that goes down columns: four cache lines of each row.
inline constexpr std::size_t kStripCols = 64;

/// Rows of `cols` numbers that make about one such piece.
inline std::size_t rows_per_piece(std::size_t cols) { return std::max<std::size_t>(1, kPieceSize / (cols + 1)); }

}  // namespace sosia::simd
