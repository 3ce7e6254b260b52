// SPDX-License-Identifier: Apache-2.0
#include "privacy/label_scores.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

namespace sosia {

namespace {

constexpr std::int64_t kOne = std::int64_t{1} << LabelScores::kShareBits;

}  // namespace

LabelScores::LabelScores(std::span<const double> class_shares) {
  const double total = std::accumulate(class_shares.begin(), class_shares.end(), 0.0);
  for (const double share : class_shares) {
    const double part = total > 0.0 ? share / total : 1.0 / static_cast<double>(class_shares.size());
    shares_.push_back(std::max<std::int64_t>(1, std::llround(part * static_cast<double>(kOne))));
  }
  // The largest share takes up what rounding has left.
  auto most = std::max_element(shares_.begin(), shares_.end());
  *most += kOne - std::accumulate(shares_.begin(), shares_.end(), std::int64_t{0});
}

std::int64_t LabelScores::sensitivity(Neighbors relation, std::int64_t max_rows) const {
  const std::int64_t row = 2 * (kOne - *std::min_element(shares_.begin(), shares_.end()));
  return row * max_rows * (relation == Neighbors::replace ? 2 : 1);
}

std::vector<std::int64_t> LabelScores::of(std::span<const CountSlot> slots, std::span<const std::int64_t> grid_weights,
                                          std::span<const std::int64_t> counts) const {
  std::vector<std::int64_t> scores;
  for (std::size_t j = 0; j < slots.size(); ++j) {
    const std::size_t values = slots[j].width / classes();
    std::int64_t score = 0;
    for (std::size_t x = 0; x < values; ++x) {
      std::int64_t of_value = 0;
      for (std::size_t y = 0; y < classes(); ++y) of_value += counts[y * values + x] / grid_weights[j];
      for (std::size_t y = 0; y < classes(); ++y) {
        score += std::abs(kOne * (counts[y * values + x] / grid_weights[j]) - shares_[y] * of_value);
      }
    }
    scores.push_back(score);
    counts = counts.subspan(slots[j].width);
  }
  return scores;
}

}  // namespace sosia
