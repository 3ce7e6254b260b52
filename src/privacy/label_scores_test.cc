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
  const std::vector<double> lone = {1.0, 0.0, 0.0};
  EXPECT_EQ(LabelScores(lone).sensitivity(Neighbors::add_remove, 1), 2 * ((1 << 16) - 1));
}

TEST(LabelScores, OwnSharesCountRowsBeyondThem) {
  const std::vector<double> two(2), three(3);
  const LabelScores scores(two);
  EXPECT_EQ(score_of(scores, 6, {30, 3, 300, 10, 1, 100}), 0);  // whatever the shares are
  EXPECT_EQ(score_of(scores, 4, {0, 0, 0, 0}), 0);
  // Six of eight rows are of class 0, all in the first value: 6 - 6 * 6 / 8 beyond.
  EXPECT_EQ(score_of(scores, 4, {6, 0, 0, 2}), 3 * (1 << 15));
  EXPECT_EQ(score_of(scores, 4, {1, 1, 0, 1}), (1 << 16) / 3);  // rounded down
  // The class that stands out most counts: 4 - 4 * 4 / 8.
  EXPECT_EQ(score_of(LabelScores(three), 6, {4, 0, 0, 2, 0, 2}), 2 * (1 << 16));
  EXPECT_EQ(scores.sensitivity(Neighbors::replace, 3), 3 * ((1 << 16) + 1));
}

/// The most that a row moves a score by which comes, and one that is replaced, over tables of all shapes.
struct Moves {
  std::int64_t added = 0, replaced = 0;
};
Moves most_moves(const LabelScores& scores, std::uint32_t cells) {
  PublicRng rng(1);
  Moves most;
  for (int table = 0; table < 300; ++table) {
    Counts counts(cells);
    for (std::int64_t& count : counts) {
      count = rng.next_u32() % (table % 2 == 0 ? 3 : 40);
      if (table % 3 == 0 && rng.next_u32() % 4 != 0) count = 0;
    }
    const std::int64_t before = score_of(scores, cells, counts);
    for (std::uint32_t first = 0; first < cells; ++first) {
      Counts more = counts;
      ++more[first];
      const std::int64_t with_first = score_of(scores, cells, more);
      most.added = std::max(most.added, std::abs(with_first - before));
      for (std::uint32_t second = 0; second < cells; ++second) {
        Counts other = counts;
        ++other[second];
        most.replaced = std::max(most.replaced, std::abs(score_of(scores, cells, other) - with_first));
      }
    }
  }
  return most;
}

TEST(LabelScores, MoveAtMostByTheirSensitivity) {
  const std::vector<double> shares = {0.9, 0.02, 0.08}, own(3);
  const LabelScores given(shares);
  const Moves by_given = most_moves(given, 3 * 4);
  EXPECT_EQ(by_given.added, given.sensitivity(Neighbors::add_remove, 1));
  EXPECT_LE(by_given.replaced, given.sensitivity(Neighbors::replace, 1));
  EXPECT_GT(by_given.replaced, given.sensitivity(Neighbors::replace, 1) * 9 / 10);
  for (const std::uint32_t classes : {2U, 3U}) {
    const LabelScores by_rows(std::span<const double>(own).first(classes));
    const Moves moves = most_moves(by_rows, classes * 4);
    for (const std::int64_t move : {moves.added, moves.replaced}) {
      EXPECT_LE(move, by_rows.sensitivity(Neighbors::replace, 1));
      EXPECT_GT(move, by_rows.sensitivity(Neighbors::replace, 1) * 9 / 10);
    }
  }
}

}  // namespace
}  // namespace sosia
