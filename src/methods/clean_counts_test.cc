// SPDX-License-Identifier: Apache-2.0
#include "methods/clean_counts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "random/public_rng.h"

namespace sosia {
namespace {

double sum_of(const std::vector<double>& numbers) { return std::accumulate(numbers.begin(), numbers.end(), 0.0); }

/// A point is the projection exactly if it is feasible and the same amount was taken from all numbers that are left
/// above 0, and no less was there to take from the others (the conditions of Karush, Kuhn and Tucker).
void expect_projection(const std::vector<double>& counts, double total) {
  const std::vector<double> nearest = on_simplex(counts, total);
  ASSERT_EQ(nearest.size(), counts.size());
  EXPECT_NEAR(sum_of(nearest), total, 1e-9 * total);
  double taken = -1e300;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    EXPECT_GE(nearest[i], 0.0);
    if (nearest[i] > 0.0) taken = std::max(taken, counts[i] - nearest[i]);
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (nearest[i] > 0.0) {
      EXPECT_NEAR(counts[i] - nearest[i], taken, 1e-9 * total);
    }
    if (nearest[i] == 0.0) {
      EXPECT_LE(counts[i], taken + 1e-9 * total);
    }
  }
}

TEST(OnSimplex, IsTheNearestPoint) {
  PublicRng rng(1);
  for (int round = 0; round < 100; ++round) {
    std::vector<double> counts(1 + rng.next_u32() % 20);
    for (double& count : counts) count = 40.0 * rng.normal() + 10.0;
    expect_projection(counts, 100.0);
  }
  expect_projection({-5.0, -7.0, -5.0}, 3.0);
  expect_projection({0.0, 0.0}, 1.0);
  expect_projection({1e6, -1e6, 3.0}, 1.0);
  EXPECT_EQ(on_simplex(std::vector<double>{2.0, 3.0, 5.0}, 10.0), (std::vector<double>{2.0, 3.0, 5.0}));
}

TEST(Smooth, KeepsConstantsMeansAndWhatIsAboveTheNoise) {
  PublicRng rng(2);
  for (std::size_t n = 1; n <= 40; ++n) {
    const std::vector<double> constant(n, 7.5);
    EXPECT_EQ(smooth(constant, 3.0), constant);
    std::vector<double> noisy(n);
    for (double& count : noisy) count = 50.0 + 3.0 * rng.normal();
    const std::vector<double> smoothed = smooth(noisy, 3.0), same = smooth(noisy, 0.0);
    ASSERT_EQ(smoothed.size(), n);
    EXPECT_NEAR(sum_of(smoothed), sum_of(noisy), 1e-9 * static_cast<double>(n) * 50.0) << n;
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(same[i], noisy[i], 1e-9);  // without noise nothing is smoothed
    std::vector<double> mirrored = noisy;
    std::reverse(mirrored.begin(), mirrored.end());
    std::vector<double> back = smooth(mirrored, 3.0);
    std::reverse(back.begin(), back.end());
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(back[i], smoothed[i], 1e-9);
  }
}

TEST(Smooth, TakesNoiseAwayAndLeavesASpike) {
  constexpr std::size_t kLength = 64;
  PublicRng rng(3);
  double before = 0.0, after = 0.0, spike = 0.0;
  constexpr int kRounds = 50;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<double> noisy(kLength, 100.0);
    noisy[20] = 1000.0;
    for (double& count : noisy) count += 10.0 * rng.normal();
    const std::vector<double> smoothed = smooth(noisy, 10.0);
    for (std::size_t i = 30; i < kLength; ++i) {
      before += std::pow(noisy[i] - 100.0, 2.0);
      after += std::pow(smoothed[i] - 100.0, 2.0);
    }
    spike += smoothed[20] / kRounds;
  }
  EXPECT_LT(after, 0.5 * before);
  EXPECT_NEAR(spike, 1000.0, 30.0);
}

TEST(PoissonDeviation, ByDefinition) {
  for (const double mean : {0.001, 0.3, 0.999, 1.0, 1.5, 7.0, 40.25}) {
    double expected = 0.0;
    for (int k = 0; k < 400; ++k) {
      expected += std::abs(k - mean) * std::exp(k * std::log(mean) - mean - std::lgamma(k + 1.0));
    }
    EXPECT_NEAR(poisson_deviation(mean), expected, 1e-9 * expected) << mean;
  }
  EXPECT_NEAR(poisson_deviation(0.0), 0.0, 1e-11);
}

/// Numbers from 0 on without gaps; neighbours in order.
void expect_numbered(const std::vector<std::uint32_t>& group, std::uint32_t ordered) {
  const std::set<std::uint32_t> used(group.begin(), group.end());
  ASSERT_EQ(*used.rbegin() + 1, used.size());
  for (std::size_t s = 1; s < ordered; ++s) {
    EXPECT_TRUE(group[s] == group[s - 1] || group[s] == group[s - 1] + 1) << s;
  }
}

/// And the others never in a group of ordered ones.
void expect_groups(const std::vector<std::uint32_t>& group, std::uint32_t ordered) {
  expect_numbered(group, ordered);
  for (std::size_t s = ordered; s < group.size(); ++s) {
    for (std::size_t t = 0; t < ordered; ++t) EXPECT_NE(group[s], group[t]);
  }
}

TEST(GroupStates, TellsApartWhatStandsOutOfTheNoise) {
  constexpr double kSigma = 10.0, kLeast = 1.5;
  PublicRng rng(4);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> counts(1 + rng.next_u32() % 30);
    const auto ordered = static_cast<std::uint32_t>(rng.next_u32() % (counts.size() + 1));
    for (double& count : counts) count = (rng.uniform() < 0.5 ? 0.0 : 60.0 * rng.uniform()) + kSigma * rng.normal();
    const std::vector<std::uint32_t> group = group_states(counts, ordered, kSigma, kLeast);
    ASSERT_EQ(group.size(), counts.size());
    expect_numbered(group, ordered);
    // The rare ones are together: by themselves if that is more than noise, else with the commonest.
    std::set<std::uint32_t> rest, common(group.begin(), group.begin() + ordered);
    double sum_of_rare = 0.0, rare = 0.0;
    for (std::size_t s = ordered; s < counts.size(); ++s) {
      const bool is_rare = counts[s] < kLeast * kSigma;
      if (is_rare) sum_of_rare += counts[s], rare += 1.0;
      if (is_rare) rest.insert(group[s]);
      if (!is_rare) {
        EXPECT_TRUE(common.insert(group[s]).second) << "two common states in one group";
      }
    }
    EXPECT_LE(rest.size(), 1U);
    if (!rest.empty() && sum_of_rare >= kLeast * kSigma * std::sqrt(rare)) {
      EXPECT_FALSE(common.contains(*rest.begin()));
    }
    const auto commonest = static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
    if (!rest.empty() && common.contains(*rest.begin())) {
      EXPECT_EQ(*rest.begin(), group[commonest]);
    }
    // What is left over at the end is in the last ordered group; all others have what they need.
    for (std::uint32_t g = 0; ordered > 0 && g < group[ordered - 1]; ++g) {
      double sum = 0.0, members = 0.0;
      for (std::size_t s = 0; s < ordered; ++s) {
        sum += group[s] == g ? counts[s] : 0.0;
        members += group[s] == g ? 1.0 : 0.0;
      }
      EXPECT_GE(sum, kLeast * kSigma * std::sqrt(members));
    }
  }
}

TEST(GroupStates, NothingButNoiseIsOneGroupOfEachKind) {
  const std::vector<double> counts = {1.0, -3.0, 0.0, 2.0, -8.0, 4.0};
  using Groups = std::vector<std::uint32_t>;
  EXPECT_EQ(group_states(counts, 6, 10.0, 1.5), (Groups{0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(group_states(counts, 0, 10.0, 1.5), (Groups{0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(group_states(counts, 4, 10.0, 1.5), (Groups{0, 0, 0, 0, 1, 1}));
}

TEST(GroupStates, WithoutNoiseEveryStateIsToldApart) {
  const std::vector<double> counts = {0.0, 5.0, 0.0, 1.0};
  using Groups = std::vector<std::uint32_t>;
  for (const std::uint32_t ordered : {0U, 2U, 4U}) {
    EXPECT_EQ(group_states(counts, ordered, 0.0, 1.5), (Groups{0, 1, 2, 3})) << ordered;
  }
}

TEST(Coarsen, KeepsTheOrderAndTheLimit) {
  PublicRng rng(5);
  for (int round = 0; round < 500; ++round) {
    std::vector<double> shares(2 + rng.next_u32() % 40);
    const auto ordered = static_cast<std::uint32_t>(rng.next_u32() % (shares.size() + 1));
    for (double& share : shares) share = rng.uniform() < 0.3 ? 0.0 : std::pow(rng.uniform(), 4.0);
    const std::uint32_t most = 2 + rng.next_u32() % 12;
    const std::vector<std::uint32_t> group = coarsen(shares, ordered, most);
    ASSERT_EQ(group.size(), shares.size());
    expect_groups(group, ordered);
    EXPECT_LE(*std::max_element(group.begin(), group.end()), most - 1);
    EXPECT_GE(*std::max_element(group.begin(), group.end()), 1U);  // never all in one
  }
}

TEST(Coarsen, FewEnoughStayAsTheyAre) {
  EXPECT_EQ(coarsen(std::vector<double>{0.2, 0.5, 0.3}, 1, 3), (std::vector<std::uint32_t>{0, 1, 2}));
}

TEST(Coarsen, TheCommonestStandAlone) {
  const std::vector<double> shares = {0.01, 0.4, 0.02, 0.3, 0.05, 0.22};
  EXPECT_EQ(coarsen(shares, 0, 3), (std::vector<std::uint32_t>{2, 0, 2, 1, 2, 2}));
}

TEST(Coarsen, EvenSharesMakeEvenGroups) {
  for (const double share : {0.1, 0.0}) {  // where nothing is known all are alike
    const std::vector<double> shares(12, share);
    EXPECT_EQ(coarsen(shares, 12, 3), (std::vector<std::uint32_t>{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}));
    EXPECT_EQ(coarsen(shares, 8, 4), (std::vector<std::uint32_t>{0, 0, 0, 0, 1, 1, 1, 1, 2, 3, 3, 3}));
  }
}

}  // namespace
}  // namespace sosia
