// SPDX-License-Identifier: Apache-2.0
#include "methods/clean_singles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace sosia {
namespace {

constexpr std::size_t kBins = 64, kFull = 20;
constexpr double kSigma = 10.0;

/// One field of bins in order. The first twenty hold rows, the others noise alone: a little above or below 0.
Measurements of_amounts(std::vector<double>& counts) {
  Measurements measured;
  measured.fields = 1;
  measured.views.push_back(View::finest(0, kBins));
  measured.spread.emplace_back(kBins, 1.0F);
  measured.rows = std::accumulate(counts.begin(), counts.end(), 0.0);
  measured.list.push_back({{0}, counts, kSigma, {}});
  return measured;
}

Outline of_bins(FarEnds far) {
  Outline outline;
  outline.widths = outline.ordered = {kBins};
  outline.spare = {0};
  outline.far_ends = {far};
  return outline;
}

std::vector<double> amounts() {
  std::vector<double> counts(kBins, 1000.0);
  for (std::size_t s = kFull; s < kBins; ++s) counts[s] = s % 2 == 0 ? 12.0 : -6.0;
  return counts;
}

double spread_from(const Measurements& measured, std::size_t first, std::size_t end) {
  const auto begin = measured.spread[0].begin();
  return std::accumulate(begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(end), 0.0);
}

TEST(CleanSingles, NoiseMakesNoRowsThatAreMagnitudesLarger) {
  std::vector<double> counts = amounts();
  Measurements even = of_amounts(counts), falling = of_amounts(counts);
  clean_singles(even, of_bins({}), 1.5);
  clean_singles(falling, of_bins({.high = 1.0}), 1.5);
  // What noise adds up to, 44 bins of 3 each, is spread as smoothing leaves it, or falls off from the last full bin on.
  ASSERT_GT(spread_from(even, kFull + 10, kBins), 50.0);
  EXPECT_LT(spread_from(falling, kFull + 10, kBins), 1.0);
  EXPECT_NEAR(spread_from(falling, kFull, kBins), spread_from(even, kFull, kBins), 1.0);
  EXPECT_GT(falling.spread[0][kFull], falling.spread[0][kFull + 1]);
  // And it makes no groups of its own.
  EXPECT_EQ(falling.views[0].group[kFull - 1] + 1, falling.views[0].width);
  EXPECT_EQ(falling.views[0].group[kFull], falling.views[0].group[kBins - 1]);
}

TEST(CleanSingles, RowsFarAwayStayWhereTheyWereSeen) {
  std::vector<double> counts = amounts();
  counts[50] = 100.0;
  Measurements measured = of_amounts(counts);
  clean_singles(measured, of_bins({.high = 1.0}), 1.5);
  EXPECT_GT(spread_from(measured, 48, 53), 50.0);
  EXPECT_LT(spread_from(measured, 60, kBins), 1.0);
}

TEST(CleanSingles, LargeNegativeNumbersAreAnEndToo) {
  std::vector<double> counts = amounts();
  Measurements high = of_amounts(counts);
  clean_singles(high, of_bins({.high = 1.0}), 1.5);
  std::reverse(counts.begin(), counts.end());
  Measurements low = of_amounts(counts);
  clean_singles(low, of_bins({.low = 1.0}), 1.5);
  for (std::size_t s = 0; s < kBins; ++s) EXPECT_NEAR(low.spread[0][s], high.spread[0][kBins - 1 - s], 1e-3) << s;
}

TEST(CleanSingles, WhereAllIsNoiseNumbersAreSmall) {
  std::vector<double> counts(kBins, 0.0);
  for (std::size_t s = 0; s < kBins; ++s) counts[s] = s % 2 == 0 ? 12.0 : -6.0;
  Measurements even = of_amounts(counts), amounts = of_amounts(counts), signal = of_amounts(counts);
  clean_singles(even, of_bins({}), 1.5);
  clean_singles(amounts, of_bins({.high = 1.0}), 1.5);
  EXPECT_LT(spread_from(amounts, 10, kBins), 0.01 * spread_from(amounts, 0, kBins));
  // Of both signs small ones are in the middle, and not at an end.
  clean_singles(signal, of_bins({.low = 1.0, .high = 1.0}), 1.5);
  EXPECT_EQ(signal.spread, even.spread);
}

/// Shares of the classes of a label, from their noisy counts.
std::vector<float> classes_made(const std::vector<double>& counts, std::uint32_t few = 0) {
  Measurements measured;
  measured.fields = 1;
  measured.label = 0;
  const auto width = static_cast<std::uint32_t>(counts.size());
  measured.views.push_back(View::finest(0, width));
  measured.spread.emplace_back(width, 1.0F);
  measured.rows = std::accumulate(counts.begin(), counts.end(), 0.0);
  measured.list.push_back({{0}, counts, kSigma, {}});
  Outline outline;
  outline.widths = {width};
  outline.ordered = outline.spare = {0};
  outline.far_ends = {{}};
  clean_singles(measured, outline, 1.5, few);
  return measured.spread[0];
}

TEST(CleanSingles, NoiseMakesNoClass) {
  EXPECT_EQ(classes_made({1000.0, 300.0, 12.0}), (std::vector<float>{1000.0F, 300.0F, 0.0F}));
  EXPECT_EQ(classes_made({1000.0, 300.0, 16.0}), (std::vector<float>{1000.0F, 300.0F, 16.0F}));
  // Together two are seen, and look like nobody else.
  EXPECT_EQ(classes_made({1000.0, 300.0, 12.0, 14.0}), (std::vector<float>{1000.0F, 300.0F, 12.0F, 14.0F}));
}

TEST(CleanSingles, ALabelOfOneClassIsNone) {
  EXPECT_EQ(classes_made({1000.0, 12.0}), (std::vector<float>{1000.0F, 12.0F}));
  EXPECT_EQ(classes_made({10.0, 12.0, -3.0}), (std::vector<float>{10.0F, 12.0F, 0.0F}));
  // Where columns are picked by what they say about it, all classes are kept apart.
  EXPECT_EQ(classes_made({1000.0, 300.0, 12.0}, 4), (std::vector<float>{1000.0F, 300.0F, 12.0F}));
}

}  // namespace
}  // namespace sosia
