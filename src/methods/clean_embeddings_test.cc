// SPDX-License-Identifier: Apache-2.0
#include "methods/clean_embeddings.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sosia {
namespace {

/// A label of two declared classes and one spare state.
Outline labelled() {
  Outline outline;
  outline.widths = {2, 3};
  outline.spare = {0, 1};
  outline.target = 1;
  outline.rows = 100.0;
  return outline;
}

Embeddings counted(std::vector<double> counts, std::vector<int> picked) {
  Embeddings out;
  out.counts = std::move(counts);
  out.count_sigma = 10.0;
  out.picked = std::move(picked);
  return out;
}

TEST(CleanParts, WithPicksALabelKeepsTwoClasses) {
  Embeddings picked = counted({80.0, -3.0, 15.0}, {0});
  clean_parts(labelled(), picked);
  EXPECT_EQ(picked.counts, (std::vector<double>{80.0, 10.0, 0.0}));  // the spare state is below two deviations
  Embeddings all = counted({80.0, 15.0, 25.0}, {});
  clean_parts(labelled(), all);
  EXPECT_EQ(all.counts, (std::vector<double>{80.0, 0.0, 25.0}));
  EXPECT_EQ(all.rows, 100.0);
}

TEST(CountByStates, CountsForTheFirstTimeAndOnceMore) {
  // Two blocks of two states, scaled by 1 / sqrt(2); parts of 30 and 10 rows.
  const double scale = std::sqrt(0.5);
  const Embedding known{
      .sums = {20.0 * scale, 10.0 * scale, 5.0 * scale, 25.0 * scale, 10.0 * scale, 0.0, 0.0, 10.0 * scale},
      .sigma = 3.0};
  Embeddings first;
  count_by_states({2, 2}, known, first);
  ASSERT_EQ(first.counts.size(), 2U);
  EXPECT_NEAR(first.counts[0], 30.0, 1e-12);
  EXPECT_NEAR(first.counts[1], 10.0, 1e-12);
  EXPECT_NEAR(first.count_sigma, 3.0 * std::sqrt(4.0) * scale, 1e-12);
  Embeddings again = first;
  again.counts = {32.0, 6.0};
  count_by_states({2, 2}, known, again);  // as good as what was known: halfway
  EXPECT_NEAR(again.counts[0], 31.0, 1e-12);
  EXPECT_NEAR(again.counts[1], 8.0, 1e-12);
  EXPECT_NEAR(again.count_sigma, first.count_sigma * std::sqrt(0.5), 1e-12);
  count_by_states({}, known, again);
  EXPECT_NEAR(again.counts[0], 31.0, 1e-12);
}

TEST(CleanStates, WhatIsNoiseIsNotMadeAndBlocksAddUpToTheirRows) {
  Embedding all{.sums = {90.0, 14.0, -20.0, 60.0, 50.0}, .sigma = 10.0, .by_part = false};
  clean_states({3, 2}, 100.0 * std::sqrt(2.0), {}, all);
  EXPECT_EQ(all.sums, (std::vector<double>{100.0, 0.0, 0.0, 55.0, 45.0}));
  Embedding by_part{.sums = {70.0, 30.0, -5.0, -8.0, 3.0, 4.0}, .sigma = 10.0};
  clean_states({2}, 100.0, {80.0, 12.0, 0.0}, by_part);
  EXPECT_EQ(by_part.sums, (std::vector<double>{60.0, 20.0, 12.0, 0.0, 3.0, 4.0}));  // the last class is not made
  Embedding numbers{.sums = {1.0, 2.0}, .sigma = 10.0};
  clean_states({}, 100.0, {50.0, 50.0}, numbers);
  EXPECT_EQ(numbers.sums, (std::vector<double>{1.0, 2.0}));
}

}  // namespace
}  // namespace sosia
