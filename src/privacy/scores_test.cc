// SPDX-License-Identifier: Apache-2.0
#include "privacy/scores.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/wide_int.h"
#include "random/public_rng.h"

namespace sosia {
namespace {

using Cells = std::vector<std::int64_t>;

TEST(SlotScores, AreWeightedL1Distances) {
  const std::vector<CountSlot> slots = {{2, 1.0}, {3, 0.5}};
  const Cells weights = {100, 50};
  const Cells counts = {300, 0, 0, 100, 50};
  const std::vector<double> expected = {1.0, 2.0, 0.0, 2.0, 4.0};
  EXPECT_EQ(slot_scores(slots, weights, counts, expected), (Cells{200 + 200, 0 + 0 + 150}));
}

TEST(SlotScores, AreCappedInsteadOfOverflowing) {
  const std::vector<CountSlot> slots = {{3, 1.0}};
  const Cells counts = {(std::int64_t{1} << 62) - 1, 0, 0};
  const std::int64_t cap = std::int64_t{1} << 62;
  EXPECT_EQ(slot_scores(slots, Cells{1 << 30}, counts, std::vector<double>{-1e300, 1e300, 1e300}), (Cells{cap}));
}

// One row more or less moves the scores by at most the norm of the weights, whatever is expected.
TEST(SlotScores, SensitivityHolds) {
  PublicRng rng(31);
  for (int i = 0; i < 2000; ++i) {
    std::vector<CountSlot> slots(1 + rng.next_u32() % 6);
    Cells weights, counts;
    std::vector<double> expected;
    u128 limit = 0;
    for (CountSlot& slot : slots) {
      slot = {1 + rng.next_u32() % 5, 1.0};
      weights.push_back(1 + rng.next_u32() % 1000);
      limit += square(weights.back());
      for (std::uint32_t c = 0; c < slot.width; ++c) {
        counts.push_back(weights.back() * static_cast<std::int64_t>(rng.next_u32() % 20));
        expected.push_back(40.0 * rng.uniform() - 10.0);
      }
    }
    Cells more = counts;
    std::size_t first = 0;
    for (std::size_t j = 0; j < slots.size(); ++j) {
      if (rng.uniform() < 0.9) more[first + rng.next_u32() % slots[j].width] += weights[j];
      first += slots[j].width;
    }
    const Cells a = slot_scores(slots, weights, counts, expected), b = slot_scores(slots, weights, more, expected);
    u128 distance = 0;
    for (std::size_t j = 0; j < slots.size(); ++j) distance += square(a[j] - b[j]);
    EXPECT_LE(distance, limit);
  }
}

TEST(Largest, PicksTheBestFirstAndTheFirstAmongEquals) {
  EXPECT_EQ(largest(Cells{3, 9, -5, 9, 4}, 3), (std::vector<int>{1, 3, 4}));
  EXPECT_EQ(largest(Cells{0}, 1), (std::vector<int>{0}));
}

}  // namespace
}  // namespace sosia
