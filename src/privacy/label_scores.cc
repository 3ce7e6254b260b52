// SPDX-License-Identifier: Apache-2.0
#include "privacy/label_scores.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "base/wide_int.h"

namespace sosia {

namespace {

constexpr std::int64_t kOne = std::int64_t{1} << LabelScores::kShareBits;

}  // namespace

LabelScores::LabelScores(std::span<const double> class_shares) : shares_(class_shares.size()) {
  const double total = std::accumulate(class_shares.begin(), class_shares.end(), 0.0);
  has_own_shares_ = !(total > 0.0);
  if (has_own_shares_) return;
  std::transform(class_shares.begin(), class_shares.end(), shares_.begin(), [&](double share) {
    return std::max<std::int64_t>(1, std::llround(share / total * static_cast<double>(kOne)));
  });
  // The largest share takes up what rounding has left.
  auto most = std::max_element(shares_.begin(), shares_.end());
  *most += kOne - std::accumulate(shares_.begin(), shares_.end(), std::int64_t{0});
}

std::int64_t LabelScores::sensitivity(Neighbors relation, std::int64_t max_rows) const {
  if (has_own_shares_) return (kOne + 1) * max_rows;
  const std::int64_t row = 2 * (kOne - *std::min_element(shares_.begin(), shares_.end()));
  return row * max_rows * (relation == Neighbors::replace ? 2 : 1);
}

std::int64_t LabelScores::by_given_shares(std::span<const std::int64_t> counts) const {
  const std::size_t values = counts.size() / classes();
  std::int64_t score = 0;
  for (std::size_t x = 0; x < values; ++x) {
    std::int64_t of_value = 0;
    for (std::size_t y = 0; y < classes(); ++y) of_value += counts[y * values + x];
    for (std::size_t y = 0; y < classes(); ++y)
      score += std::abs(kOne * counts[y * values + x] - shares_[y] * of_value);
  }
  return score;
}

std::int64_t LabelScores::by_own_shares(std::span<const std::int64_t> counts) const {
  const std::size_t values = counts.size() / classes();
  std::vector<std::uint64_t> of_class(classes()), of_value(values);
  std::uint64_t rows = 0;
  for (std::size_t cell = 0; cell < counts.size(); ++cell) {
    const auto count = static_cast<std::uint64_t>(counts[cell]);
    of_class[cell / values] += count;
    of_value[cell % values] += count;
    rows += count;
  }
  if (rows == 0) return 0;
  u128 most = 0;  // times the rows, so that it is whole
  for (std::size_t y = 0; y < classes(); ++y) {
    u128 beyond = 0;
    for (std::size_t x = 0; x < values; ++x) {
      const u128 seen = u128(rows) * static_cast<std::uint64_t>(counts[y * values + x]);
      const u128 by_share = u128(of_class[y]) * of_value[x];
      if (seen > by_share) beyond += seen - by_share;
    }
    most = std::max(most, beyond);
  }
  return static_cast<std::int64_t>((most << kShareBits) / rows);
}

std::vector<std::int64_t> LabelScores::of(std::span<const CountSlot> slots, std::span<const std::int64_t> grid_weights,
                                          std::span<const std::int64_t> counts) const {
  std::vector<std::int64_t> scores, of_slot;
  for (std::size_t j = 0; j < slots.size(); ++j) {
    of_slot.assign(counts.begin(), counts.begin() + slots[j].width);
    for (std::int64_t& count : of_slot) count /= grid_weights[j];
    scores.push_back(has_own_shares_ ? by_own_shares(of_slot) : by_given_shares(of_slot));
    counts = counts.subspan(slots[j].width);
  }
  return scores;
}

}  // namespace sosia
