// SPDX-License-Identifier: Apache-2.0
#include "privacy/label_scores.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "random/public_rng.h"

namespace sosia {
namespace {

using Counts = std::vector<std::int64_t>;

std::int64_t score_of(const LabelScores& scores, std::uint32_t width, const Counts& counts) {
  const std::vector<CountSlot> slots = {{width, 1.0}};
  return scores.of(slots, Counts{1}, counts)[0];
}

TEST(LabelScores, AreNoughtWhereTheValueSaysNothing) {
  const std::vector<double> shares = {0.75, 0.25};
  const LabelScores scores(shares);
  EXPECT_EQ(score_of(scores, 6, {30, 3, 300, 10, 1, 100}), 0);
  EXPECT_EQ(score_of(scores, 4, {0, 3, 1, 0}), 2 * (3 * (1 << 14) + 3 * (1 << 14)));
}

TEST(LabelScores, KnowTheirSlotsAndWeights) {
  const std::vector<double> shares = {0.5, 0.5};
  const LabelScores scores(shares);
  const std::vector<CountSlot> slots = {{2, 1.0}, {4, 0.5}};
  const Counts all = scores.of(slots, Counts{8, 4}, Counts{8 * 5, 8 * 5, 4 * 5, 0, 0, 4 * 7});
  EXPECT_EQ(all, (Counts{0, 12 * (1 << 16)}));
}

TEST(LabelScores, SharesOfNothingCountAsLittle) {
  const std::vector<double> lone = {1.0, 0.0, 0.0}, none = {0.0, 0.0};
  EXPECT_EQ(LabelScores(lone).sensitivity(Neighbors::add_remove, 1), 2 * ((1 << 16) - 1));
  EXPECT_EQ(LabelScores(none).sensitivity(Neighbors::replace, 3), 3 * 4 * (1 << 15));
}

// Every row that can come or be replaced, in tables of all shapes: no score moves by more than is said, and some do.
TEST(LabelScores, MoveAtMostByTheirSensitivity) {
  PublicRng rng(1);
  std::int64_t most_added = 0, most_replaced = 0;
  const std::vector<double> shares = {0.9, 0.02, 0.08};
  const LabelScores scores(shares);
  constexpr std::uint32_t kCells = 3 * 4;
  for (int table = 0; table < 300; ++table) {
    Counts counts(kCells);
    for (std::int64_t& count : counts) count = rng.next_u32() % (table % 2 == 0 ? 3 : 40);
    const std::int64_t before = score_of(scores, kCells, counts);
    for (std::uint32_t first = 0; first < kCells; ++first) {
      Counts more = counts;
      ++more[first];
      const std::int64_t with_first = score_of(scores, kCells, more);
      most_added = std::max(most_added, std::abs(with_first - before));
      for (std::uint32_t second = 0; second < kCells; ++second) {
        Counts other = counts;
        ++other[second];
        most_replaced = std::max(most_replaced, std::abs(score_of(scores, kCells, other) - with_first));
      }
    }
  }
  EXPECT_EQ(most_added, scores.sensitivity(Neighbors::add_remove, 1));
  EXPECT_LE(most_replaced, scores.sensitivity(Neighbors::replace, 1));
  EXPECT_GT(most_replaced, scores.sensitivity(Neighbors::replace, 1) * 9 / 10);
}

}  // namespace
}  // namespace sosia
