// SPDX-License-Identifier: Apache-2.0
#include "generate/product_mixture.h"

#include <gtest/gtest.h>

#include <cmath>

#include <sosia/error.h>

#include "generate/mixture_test_support.h"

namespace sosia {
namespace {

constexpr std::size_t kComponents = 6;

std::vector<std::vector<float>> even_spread(const std::vector<View>& views, std::size_t fields) {
  std::vector<std::vector<float>> spread;
  for (std::size_t f = 0; f < fields; ++f) spread.emplace_back(views[f].group.size(), 1.0F);
  return spread;
}

ProductMixture test_mixture(const std::vector<ViewSet>& kept) {
  const std::vector<View> views = test_views();
  return {views, kTestFields, even_spread(views, kTestFields), random_mixture(views, kTestFields, kComponents, 7),
          kept};
}

std::vector<float> sampled(const ProductMixture& mixture, std::uint64_t seed, std::uint64_t block, std::size_t rows,
                           const Condition& condition = {}) {
  const std::size_t fields = mixture.widths().size();
  std::vector<float> out(rows * fields, -1.0F);
  mixture.sample(seed, block, condition, {out.data(), rows, fields});
  return out;
}

/// The counts of the joint groups of these views in rows of `fields` numbers.
std::vector<double> counted(const std::vector<float>& rows, std::size_t fields, const std::vector<View>& views,
                            const ViewSet& set) {
  std::vector<double> counts(cells_of(set, views));
  for (std::size_t r = 0; r < rows.size() / fields; ++r) {
    std::size_t cell = 0;
    for (const int v : set) {
      const View& view = views[static_cast<std::size_t>(v)];
      const float state = rows[r * fields + static_cast<std::size_t>(view.field)];
      cell = cell * view.width + view.group.at(static_cast<std::size_t>(state));
    }
    counts[cell] += 1.0;
  }
  return counts;
}

TEST(ProductMixture, MarginalByDefinition) {
  const ProductMixture mixture = test_mixture({});
  const std::vector<ViewSet> sets = {{0}, {3}, {4}, {0, 1}, {1, 4}, {0, 1, 2}, {0, 2, 4}, {0, 1, 2, 3}};
  for (const ViewSet& set : sets) {
    const std::vector<double> shares = mixture.marginal(set);
    const std::vector<double> expected =
        marginal_by_definition(test_views(), kTestFields, mixture.probabilities(), set);
    ASSERT_EQ(shares.size(), expected.size());
    for (std::size_t i = 0; i < shares.size(); ++i) EXPECT_NEAR(shares[i], expected[i], 1e-14);
  }
}

/// Each component comes its number of times, up or down by one, and so does each state in it.
TEST(ProductMixture, CountsOfSinglesAreWithinRounding) {
  for (const std::vector<ViewSet>& kept : {std::vector<ViewSet>{}, std::vector<ViewSet>{{0, 1}, {1, 4}}}) {
    const ProductMixture mixture = test_mixture(kept);
    for (const std::size_t rows : {1U, 5U, 100U, 6000U}) {
      const std::vector<float> table = sampled(mixture, 3, 0, rows);
      for (int f = 0; f < static_cast<int>(kTestFields); ++f) {
        const std::vector<double> shares = mixture.marginal({f});
        const std::vector<double> counts = counted(table, kTestFields, test_views(), {f});
        for (std::size_t s = 0; s < shares.size(); ++s) {
          EXPECT_LE(std::abs(counts[s] - shares[s] * static_cast<double>(rows)), 2.0 * kComponents);
        }
      }
    }
  }
}

/// Pairs that are kept are followed more closely than random rows follow them: their squared error is on average
/// rows * (1 - sum of squared shares).
TEST(ProductMixture, KeptPairsAreFollowedClosely) {
  const ViewSet set = {0, 1};
  const ProductMixture kept = test_mixture({set, {1, 4}}), loose = test_mixture({});
  constexpr std::size_t kRows = 3000;
  double kept_error = 0.0, loose_error = 0.0;
  const std::vector<double> shares = kept.marginal(set);
  for (std::uint64_t block = 0; block < 5; ++block) {
    const auto error = [&](const ProductMixture& mixture) {
      const std::vector<double> counts = counted(sampled(mixture, 3, block, kRows), kTestFields, test_views(), set);
      double sum = 0.0;
      for (std::size_t i = 0; i < counts.size(); ++i) sum += std::pow(counts[i] - shares[i] * kRows, 2.0);
      return sum;
    };
    kept_error += error(kept);
    loose_error += error(loose);
  }
  EXPECT_LT(kept_error, 0.05 * loose_error);
}

TEST(ProductMixture, ABlockDependsOnSeedAndNumberAlone) {
  const ProductMixture mixture = test_mixture({{0, 1}});
  const std::vector<float> rows = sampled(mixture, 3, 5, 500);
  sampled(mixture, 3, 4, 100);
  EXPECT_EQ(sampled(mixture, 3, 5, 500), rows);
  EXPECT_EQ(sampled(test_mixture({{0, 1}}), 3, 5, 500), rows);
  EXPECT_NE(sampled(mixture, 3, 6, 500), rows);
  EXPECT_NE(sampled(mixture, 4, 5, 500), rows);
  sampled(mixture, 3, 5, 0);
}

TEST(ProductMixture, WritesOnlyItsOwnCells) {
  const ProductMixture mixture = test_mixture({});
  std::vector<float> wide(50 * 7, -1.0F);
  mixture.sample(3, 5, {}, {wide.data(), 50, kTestFields, 7});
  const std::vector<float> rows = sampled(mixture, 3, 5, 50);
  for (std::size_t r = 0; r < 50; ++r) {
    for (std::size_t k = 0; k < 7; ++k) {
      EXPECT_EQ(wide[r * 7 + k], k < kTestFields ? rows[r * kTestFields + k] : -1.0F);
    }
  }
}

/// P(state, state | condition) by Bayes over every component.
std::vector<double> bayes(const std::vector<float>& p, const std::vector<View>& views, const Condition& condition,
                          std::size_t f, std::size_t g) {
  const std::size_t width = width_of(views, kTestFields);
  std::vector<double> joint(views[f].width * views[g].width);
  double evidence = 0.0;
  for (std::size_t c = 0; c < p.size() / width; ++c) {
    const auto share = [&](std::size_t field, std::size_t s) {
      return static_cast<double>(p[c * width + width_of(views, field) + s]);
    };
    double weight = 1.0;
    for (const auto& [field, state] : condition) weight *= share(static_cast<std::size_t>(field), state);
    evidence += weight;
    for (std::size_t i = 0; i < joint.size(); ++i) {
      joint[i] += weight * share(f, i / views[g].width) * share(g, i % views[g].width);
    }
  }
  for (double& share : joint) share /= evidence;
  return joint;
}

/// Fields that are independent given the component: a count of pairs is a sum of draws without replacement, for which
/// Hoeffding's bound 2 exp(-2 t^2 / n) holds. 20 cells and 3 conditions below 1e-6 in all: t = sqrt(n ln(1.2e8) / 2);
/// and up to 4 for the rounding in each component.
TEST(ProductMixture, ConditionsAreExact) {
  const ProductMixture mixture = test_mixture({{0, 1}, {1, 3}});  // which rows under a condition must not follow
  const std::vector<View> views = test_views();
  constexpr std::size_t kRows = 60000;
  const double bound = std::sqrt(kRows * std::log(1.2e8) / 2.0) + 4.0 * kComponents;
  const std::vector<double> without = bayes(mixture.probabilities(), views, {}, 1, 3);
  double largest = 0.0;
  for (const Condition& condition : {Condition{{0, 2}}, Condition{{0, 0}, {2, 1}}, Condition{{2, 0}, {0, 1}}}) {
    const std::vector<float> rows = sampled(mixture, 1, 0, kRows, condition);
    for (std::size_t r = 0; r < kRows; ++r) {
      for (const auto& [field, state] : condition) {
        ASSERT_EQ(rows[r * kTestFields + static_cast<std::size_t>(field)], static_cast<float>(state));
      }
    }
    const std::vector<double> expected = bayes(mixture.probabilities(), views, condition, 1, 3);
    const std::vector<double> counts = counted(rows, kTestFields, views, {1, 3});
    for (std::size_t i = 0; i < counts.size(); ++i) {
      EXPECT_LE(std::abs(counts[i] - expected[i] * kRows), bound) << i;
      largest = std::max(largest, std::abs(expected[i] - without[i]) * kRows);
    }
    const std::vector<double> singles = counted(rows, kTestFields, views, {1});
    for (std::size_t s = 0; s < singles.size(); ++s) {  // of one field there is rounding only
      double share = 0.0;
      for (std::size_t t = 0; t < 5; ++t) share += expected[s * 5 + t];
      EXPECT_LE(std::abs(singles[s] - share * kRows), 2.0 * kComponents);
    }
  }
  EXPECT_GT(largest, 2.0 * bound);  // rows that ignored the condition would be seen
}

TEST(ProductMixture, ConditionsWithoutAChanceAreRefused) {
  const std::vector<View> views = {View::finest(0, 2), View::finest(1, 2)};
  const ProductMixture mixture(views, 2, even_spread(views, 2), {1.0F, 0.0F, 0.5F, 0.5F}, {});
  EXPECT_THROW(sampled(mixture, 1, 0, 10, {{0, 1}}), Error);
  EXPECT_NO_THROW(sampled(mixture, 1, 0, 10, {{0, 0}}));
}

TEST(ProductMixture, ConditionsMayRepeatButNotContradict) {
  const ProductMixture mixture = test_mixture({});
  EXPECT_EQ(sampled(mixture, 1, 0, 200, {{0, 2}, {1, 0}, {0, 2}}), sampled(mixture, 1, 0, 200, {{0, 2}, {1, 0}}));
  EXPECT_THROW(sampled(mixture, 1, 0, 10, {{0, 2}, {1, 0}, {0, 1}}), Error);
}

TEST(ProductMixture, ConditionsOutsideTheFieldsAreRefused) {
  const ProductMixture mixture = test_mixture({});
  EXPECT_ANY_THROW(sampled(mixture, 1, 0, 10, {{0, 3}}));
  EXPECT_ANY_THROW(sampled(mixture, 1, 0, 10, {{4, 0}}));
  EXPECT_ANY_THROW(sampled(mixture, 1, 0, 10, {{-1, 0}}));
}

/// States of one group come in the shares of the spread, up or down by one, whatever the numbers add up to.
TEST(ProductMixture, GroupsAreSpreadOverTheirStates) {
  const std::vector<View> views = {{0, 3, {0, 0, 1, 1, 1, 2}}, View::finest(1, 2)};
  const std::vector<std::vector<float>> spread = {{3.0F, 1.0F, 0.0F, 0.0F, 0.0F, 7.0F}, {1.0F, 1.0F}};
  const ProductMixture mixture(views, 2, spread, {0.4F, 0.6F, 0.0F, 0.5F, 0.5F}, {});
  constexpr std::size_t kRows = 1000;
  const std::vector<double> counts = counted(sampled(mixture, 2, 0, kRows), 2, {View::finest(0, 6), views[1]}, {0});
  const std::vector<double> expected = {300.0, 100.0, 200.0, 200.0, 200.0, 0.0};  // no spread known: evenly
  for (std::size_t s = 0; s < 6; ++s) EXPECT_LE(std::abs(counts[s] - expected[s]), 2.0) << s;
  EXPECT_EQ(mixture.widths(), (std::vector<std::uint32_t>{6, 2}));
}

TEST(ProductMixture, RefusesPartsThatDoNotFit) {
  const std::vector<View> views = test_views();
  const auto make = [&](std::size_t numbers, std::size_t spreads) {
    return ProductMixture(views, kTestFields, even_spread(views, spreads), std::vector<float>(numbers, 0.5F), {});
  };
  EXPECT_NO_THROW(make(28, 4));
  EXPECT_ANY_THROW(make(27, 4));
  EXPECT_ANY_THROW(make(0, 4));
  EXPECT_ANY_THROW(make(28, 3));
}

}  // namespace
}  // namespace sosia
