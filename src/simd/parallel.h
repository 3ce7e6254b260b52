// SPDX-License-Identifier: Apache-2.0
// How kernels share work. Sums are cut by the shape alone, never by the number of threads, so that no number depends on
// it.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <functional>

#include "base/thread_pool.h"
#include "simd/cache_line.h"

namespace sosia::simd {

/// Calls work(piece) for every piece below count, in any order. Allocates nothing. Each worker begins with a share of
/// its own, the same in every round of as many pieces, so that it finds in its cache what it made before; then it helps
/// the others.
template <class Work>
void for_pieces(ThreadPool& pool, std::size_t count, const Work& work) {
  if (count <= 1 || pool.size() == 1) {
    for (std::size_t piece = 0; piece < count; ++piece) work(piece);
    return;
  }
  struct alignas(kLine * sizeof(float)) Share {
    std::atomic<std::size_t> next;
    std::size_t end;
  };
  constexpr std::size_t kMostShares = 16;
  const std::size_t shares = std::min({kMostShares, static_cast<std::size_t>(pool.size()), count});
  std::array<Share, kMostShares> list;
  for (std::size_t s = 0; s < shares; ++s) list[s].next = s * count / shares, list[s].end = (s + 1) * count / shares;
  const auto worker = [&](int w) {
    for (std::size_t turn = 0; turn < shares; ++turn) {
      Share& share = list[(static_cast<std::size_t>(w) + turn) % shares];
      for (std::size_t piece = share.next++; piece < share.end; piece = share.next++) work(piece);
    }
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
