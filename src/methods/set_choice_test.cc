// SPDX-License-Identifier: Apache-2.0
#include "methods/set_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "random/public_rng.h"

namespace sosia {
namespace {

/// The error that is left if the sets in `picked` are measured with these shares: gaps that stay, and noise.
double error_left(const std::vector<Candidate>& candidates, double noise_cost, const SetChoice& choice) {
  double error = 0.0;
  for (const Candidate& candidate : candidates) error += candidate.weight * candidate.gap;
  for (std::size_t k = 0; k < choice.picked.size(); ++k) {
    const Candidate& candidate = candidates[choice.picked[k]];
    error += candidate.weight * (noise_cost * candidate.cells / std::sqrt(choice.shares[k]) - candidate.gap);
  }
  return error;
}

/// The best shares for these sets, by the formula of the header.
SetChoice with_best_shares(const std::vector<Candidate>& candidates, unsigned subset) {
  SetChoice choice;
  double total = 0.0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if ((subset >> i & 1U) == 0) continue;
    choice.picked.push_back(i);
    choice.shares.push_back(std::pow(candidates[i].weight * candidates[i].cells, 2.0 / 3.0));
    total += choice.shares.back();
  }
  for (double& share : choice.shares) share /= total;
  return choice;
}

std::vector<Candidate> random_candidates(PublicRng& rng, bool same_cost) {
  std::vector<Candidate> candidates;
  for (int i = 0; i < 8; ++i) {
    candidates.push_back({.views = {i},
                          .cells = same_cost ? 9.0 : std::floor(2.0 + 40.0 * rng.uniform()),
                          .gap = 300.0 * rng.uniform() - 60.0,
                          .weight = same_cost ? 1.0 : 0.5 + rng.uniform()});
  }
  return candidates;
}

TEST(ChooseSets, SharesAddUpToOne) {
  PublicRng rng(1);
  for (int round = 0; round < 50; ++round) {
    const SetChoice choice = choose_sets(random_candidates(rng, false), 0.3, 8);
    ASSERT_FALSE(choice.picked.empty());
    ASSERT_EQ(choice.shares.size(), choice.picked.size());
    EXPECT_NEAR(std::accumulate(choice.shares.begin(), choice.shares.end(), 0.0), 1.0, 1e-12);
    std::vector<std::size_t> sorted = choice.picked;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(std::adjacent_find(sorted.begin(), sorted.end()), sorted.end());
  }
}

/// No other shares of the same sets leave less error.
TEST(ChooseSets, SharesAreBest) {
  PublicRng rng(2);
  for (int round = 0; round < 50; ++round) {
    const std::vector<Candidate> candidates = random_candidates(rng, false);
    const SetChoice choice = choose_sets(candidates, 0.3, 8);
    const double best = error_left(candidates, 0.3, choice);
    for (int attempt = 0; attempt < 20; ++attempt) {
      SetChoice other = choice;
      double total = 0.0;
      for (double& share : other.shares) total += share *= std::exp(0.3 * rng.normal());
      for (double& share : other.shares) share /= total;
      EXPECT_GE(error_left(candidates, 0.3, other), best - 1e-9);
    }
  }
}

/// Sets of one cost: the largest gaps first is the best there is, which trying all 256 subsets confirms.
TEST(ChooseSets, BestOfAllSubsetsWhereCostsAreEqual) {
  PublicRng rng(3);
  for (int round = 0; round < 50; ++round) {
    const std::vector<Candidate> candidates = random_candidates(rng, true);
    double best = error_left(candidates, 1.5, {});
    for (unsigned subset = 1; subset < 256; ++subset) {
      best = std::min(best, error_left(candidates, 1.5, with_best_shares(candidates, subset)));
    }
    EXPECT_NEAR(error_left(candidates, 1.5, choose_sets(candidates, 1.5, 8)), best, 1e-9);
  }
}

/// Of different costs the order by gap per cost is that of a knapsack: no prefix of it is better, and the best subset
/// gains more by less than the gap of one set.
TEST(ChooseSets, NearTheBestOfAllSubsets) {
  PublicRng rng(4);
  for (int round = 0; round < 50; ++round) {
    const std::vector<Candidate> candidates = random_candidates(rng, false);
    double best = error_left(candidates, 0.3, {}), largest = 0.0;
    for (const Candidate& candidate : candidates) largest = std::max(largest, candidate.weight * candidate.gap);
    for (unsigned subset = 1; subset < 256; ++subset) {
      best = std::min(best, error_left(candidates, 0.3, with_best_shares(candidates, subset)));
    }
    const double chosen = error_left(candidates, 0.3, choose_sets(candidates, 0.3, 8));
    EXPECT_LE(chosen, error_left(candidates, 0.3, {}));
    EXPECT_LT(chosen - best, largest);
  }
}

TEST(ChooseSets, NothingWhereNothingIsGained) {
  EXPECT_TRUE(choose_sets({}, 1.0, 5).picked.empty());
  const std::vector<Candidate> negative = {{{0}, 4.0, -1.0}, {{1}, 9.0, -20.0}, {{2}, 2.0, 0.0}};
  const SetChoice choice = choose_sets(negative, 0.1, 3);
  EXPECT_TRUE(choice.picked.empty());
  EXPECT_TRUE(choice.shares.empty());
  const std::vector<Candidate> below_noise = {{{0}, 4.0, 3.9}};
  EXPECT_TRUE(choose_sets(below_noise, 1.0, 1).picked.empty());
}

TEST(ChooseSets, NoMoreThanAsked) {
  const std::vector<Candidate> candidates(6, Candidate{{0}, 2.0, 1e6});
  EXPECT_EQ(choose_sets(candidates, 1.0, 0).picked.size(), 0U);
  EXPECT_EQ(choose_sets(candidates, 1.0, 2).picked.size(), 2U);
  EXPECT_EQ(choose_sets(candidates, 1.0, 99).picked.size(), 6U);
  EXPECT_EQ(choose_sets(candidates, 0.0, 99).picked.size(), 6U);  // without noise everything is measured
}

}  // namespace
}  // namespace sosia
