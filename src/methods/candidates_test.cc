// SPDX-License-Identifier: Apache-2.0
#include "methods/candidates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "methods/clean_singles.h"

namespace sosia {
namespace {

constexpr double kRows = 1000.0;

/// Fields of these widths, each with falling shares.
struct Known {
  explicit Known(const std::vector<std::uint32_t>& widths) {
    measured.rows = kRows;
    measured.fields = widths.size();
    for (int f = 0; f < static_cast<int>(widths.size()); ++f) {
      const std::uint32_t width = widths[static_cast<std::size_t>(f)];
      measured.views.push_back(View::finest(f, width));
      measured.spread.emplace_back(width, 1.0F);
      Measurement known{{f}, {}, 1.0, std::vector<double>(width, 1.0)};
      for (std::uint32_t s = 0; s < width; ++s)
        known.counts.push_back(2.0 * kRows * (width - s) / (width * (width + 1.0)));
      measured.list.push_back(known);
    }
    outline.widths = widths;
    shares = positive_shares(measured);
    ordered.assign(widths.size(), 0);
  }
  /// One component: independent fields.
  ProductMixture independent() const {
    std::vector<float> probabilities;
    for (const std::vector<double>& field : shares)
      probabilities.insert(probabilities.end(), field.begin(), field.end());
    return {measured.views, measured.fields, measured.spread, probabilities, {}};
  }

  Measurements measured;
  Outline outline;
  std::vector<std::vector<double>> shares;
  std::vector<std::uint32_t> ordered;
};

/// The expected counts of every candidate, by its views.
std::vector<std::vector<double>> counts_of(const Candidates& candidates) {
  std::vector<std::vector<double>> counts;
  auto next = candidates.expected.begin();
  for (const Candidate& candidate : candidates.list) {
    const auto end = next + static_cast<std::ptrdiff_t>(candidate.cells);
    counts.emplace_back(next, end);
    next = end;
  }
  EXPECT_EQ(next, candidates.expected.end());
  return counts;
}

TEST(Candidates, PairsAndTriplesOfAModel) {
  Known known({2, 3, 4, 70, 40});
  const ViewLadder ladder(known.measured, known.shares, known.ordered);
  ThreadPool threads(2);
  const Candidates found = sets_against_model(known.independent(), known.measured, ladder, 5000.0, threads);
  ASSERT_EQ(found.list.size(), 10U + 10U);
  const auto counts = counts_of(found);
  for (std::size_t k = 0; k < counts.size(); ++k) {
    EXPECT_NEAR(std::accumulate(counts[k].begin(), counts[k].end(), 0.0), kRows, 1e-2);
    EXPECT_LT(found.list[k].gap, 0.0);
    EXPECT_LE(found.list[k].cells, found.list[k].views.size() == 2 ? 5000.0 : 1024.0);
  }
}

/// Where the model is independence, both rounds expect the same of a pair.
TEST(Candidates, IndependenceIsAModel) {
  Known known({2, 3, 5});
  const ViewLadder ladder(known.measured, known.shares, known.ordered);
  ThreadPool threads(1);
  const Candidates pairs =
      pairs_against_independence(known.outline, known.measured, ladder, known.shares, 100.0, 100.0);
  const Candidates sets = sets_against_model(known.independent(), known.measured, ladder, 100.0, threads);
  const auto of_pairs = counts_of(pairs), of_sets = counts_of(sets);
  int compared = 0;
  for (std::size_t i = 0; i < pairs.list.size(); ++i) {
    for (std::size_t j = 0; j < sets.list.size(); ++j) {
      if (pairs.list[i].views != sets.list[j].views) continue;
      ++compared;
      ASSERT_EQ(of_pairs[i].size(), of_sets[j].size());
      for (std::size_t c = 0; c < of_pairs[i].size(); ++c) EXPECT_NEAR(of_pairs[i][c], of_sets[j][c], 1e-3);
      EXPECT_LE(pairs.list[i].gap, sets.list[j].gap) << "of singles with noise chance explains more";
    }
  }
  EXPECT_EQ(compared, 3);
}

TEST(Candidates, WithALabelPairsAreTakenByClass) {
  Known known({2, 3, 5, 40});
  known.outline.target = 3;
  const ViewLadder ladder(known.measured, known.shares, known.ordered);
  const Candidates found =
      pairs_against_independence(known.outline, known.measured, ladder, known.shares, 100.0, 100.0);
  ASSERT_EQ(found.list.size(), 6U);
  int triples = 0;
  for (const Candidate& candidate : found.list) triples += candidate.views.size() == 3 ? 1 : 0;
  EXPECT_EQ(triples, 3);
  const Candidates few = pairs_against_independence(known.outline, known.measured, ladder, known.shares, 100.0, 4.0);
  ASSERT_EQ(few.list.size(), 4U);
  for (const Candidate& candidate : few.list) EXPECT_EQ(candidate.views.size(), 2U);
}

TEST(Candidates, PairsInClassesOfAModel) {
  Known known({2, 40, 30, 7, 3});
  constexpr int kLabel = 4;
  const ViewLadder ladder(known.measured, known.shares, known.ordered);
  ThreadPool threads(1);
  const auto found = [&](double most_cells, double most_sets) {
    return pairs_in_classes(kLabel, known.independent(), known.measured, ladder, known.shares, most_cells, most_sets,
                            threads);
  };
  const Candidates all = found(100.0, 100.0);
  ASSERT_EQ(all.list.size(), 6U);
  for (const std::vector<double>& counts : counts_of(all)) {
    EXPECT_NEAR(std::accumulate(counts.begin(), counts.end(), 0.0), kRows, 1e-2);
  }
  for (const Candidate& candidate : all.list) {
    EXPECT_EQ(std::count(candidate.views.begin(), candidate.views.end(), kLabel), 1);
    EXPECT_EQ(candidate.views.size(), 3U);
    EXPECT_LE(candidate.cells, 100.0);
    EXPECT_GE(candidate.cells, 2.0 * 7.0 * 3.0) << "not coarser than need be";
    EXPECT_LT(candidate.gap, 0.0);
  }
  const Candidates one = found(1e6, 1.0);
  ASSERT_EQ(one.list.size(), 1U);
  EXPECT_EQ(one.list[0].views, (ViewSet{1, 2, kLabel})) << "the two that vary most, as fine as they are";
}

}  // namespace
}  // namespace sosia
