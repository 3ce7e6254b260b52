// SPDX-License-Identifier: Apache-2.0
#include "privacy/scores.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/wide_int.h"

namespace sosia {

namespace {

constexpr std::int64_t kCap = std::int64_t{1} << 62;

std::int64_t on_grid(double expected) {
  constexpr double kLimit = 0x1p62;
  return expected >= kLimit ? kCap : expected <= -kLimit ? -kCap : static_cast<std::int64_t>(std::round(expected));
}

}  // namespace

std::vector<std::int64_t> slot_scores(std::span<const CountSlot> slots, std::span<const std::int64_t> grid_weights,
                                      std::span<const std::int64_t> counts, std::span<const double> expected) {
  std::vector<std::int64_t> scores;
  std::size_t cell = 0;
  for (std::size_t j = 0; j < slots.size(); ++j) {
    const auto weight = static_cast<double>(grid_weights[j]);
    u128 distance = 0;
    for (const std::size_t end = cell + slots[j].width; cell < end; ++cell) {
      // A count is below 2^62 on the grid, an expected one at most that: their difference fits.
      distance += static_cast<std::uint64_t>(std::abs(counts[cell] - on_grid(expected[cell] * weight)));
    }
    scores.push_back(distance < u128(kCap) ? static_cast<std::int64_t>(distance) : kCap);
  }
  return scores;
}

std::vector<int> largest(std::span<const std::int64_t> scores, int picks) {
  std::vector<int> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return scores[a] != scores[b] ? scores[a] > scores[b] : a < b; });
  order.resize(static_cast<std::size_t>(picks));
  return order;
}

}  // namespace sosia
