// SPDX-License-Identifier: Apache-2.0
#include "methods/pick_rule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "random/public_rng.h"

namespace sosia {
namespace {

TEST(ColumnsWorthPicking, GrowWithTheSquareOfRowsAndBudget) {
  constexpr auto kReplace = Neighbors::replace;
  const int few = columns_worth_picking(0.2, 1000.0, 10000, kReplace);
  EXPECT_GT(few, 0);
  EXPECT_NEAR(columns_worth_picking(0.2, 10000.0, 10000, kReplace), 100.0 * few, 100.0);
  EXPECT_EQ(columns_worth_picking(2.0, 1000.0, 10000, kReplace), columns_worth_picking(0.2, 10000.0, 10000, kReplace));
  EXPECT_EQ(columns_worth_picking(0.2, 1000.0, 0, kReplace), 0);
  EXPECT_EQ(columns_worth_picking(std::numeric_limits<double>::infinity(), 1.0, 7, kReplace), 7);
}

// What the rule promises: with that many picks a column that is 6 % of the rows beyond has e^2 times the chance of all
// others together, by the mechanism's own weights.
TEST(ColumnsWorthPicking, KeepTheOddsThatTheRulePromises) {
  for (const Neighbors relation : {Neighbors::replace, Neighbors::add_remove}) {
    const double rows = 5000.0, mu = 0.1, columns = 50.0;
    const int picks = columns_worth_picking(mu, rows, 50, relation);
    ASSERT_GT(picks, 3);
    const bool is_replace = relation == Neighbors::replace;
    const double of_all = is_replace ? mu * std::sqrt(2.0) : mu;  // of the Gaussian budget
    const double epsilon = std::sqrt(8.0 / std::acos(-1.0)) * of_all / std::sqrt(static_cast<double>(picks));
    const double sensitivity = is_replace ? 1.0 : 0.5;
    const double odds = std::exp(epsilon * 0.06 * rows / (2.0 * sensitivity)) / columns;
    EXPECT_GT(odds, std::exp(2.0) * 0.98);
    EXPECT_LT(odds, std::exp(3.0));
  }
}

TEST(ChanceScore, IsWhatIndependentColumnsScore) {
  const std::vector<double> classes = {0.9, 0.1}, values = {0.5, 0.3, 0.2};
  constexpr int kRows = 400, kTables = 2000;
  PublicRng rng(5);
  const auto drawn = [&](const std::vector<double>& shares) {
    std::size_t state = 0;
    for (double u = rng.uniform(); state + 1 < shares.size() && u >= shares[state]; ++state) u -= shares[state];
    return state;
  };
  double own = 0.0, given = 0.0;
  for (int t = 0; t < kTables; ++t) {
    std::vector<std::vector<double>> counts(2, std::vector<double>(3));
    std::vector<double> of_class(2), of_value(3);
    for (int r = 0; r < kRows; ++r) {
      const std::size_t y = drawn(classes), x = drawn(values);
      counts[y][x] += 1.0;
      of_class[y] += 1.0;
      of_value[x] += 1.0;
    }
    for (std::size_t y = 0; y < 2; ++y) {
      for (std::size_t x = 0; x < 3; ++x) {
        given += std::abs(counts[y][x] - classes[y] * of_value[x]);
        if (y == 0) own += std::abs(counts[y][x] - of_class[y] * of_value[x] / kRows) / 2.0;
      }
    }
  }
  // The deviation of a score is about half of its mean, that of the mean of so many tables 1.2 %: the first bound is
  // 8 of them, a chance of 1e-15. Counts of common values vary less than Poisson numbers do, which the guess leaves
  // out: by own shares it is high by sqrt(1 / (1 - share)), here 1.2 on average, and asked to be no more than 1.3 times
  // off.
  EXPECT_NEAR(given / kTables, chance_score(kRows, classes, values, false), 0.1 * given / kTables);
  EXPECT_NEAR(own / kTables, chance_score(kRows, classes, values, true), 0.3 * own / kTables);
}

}  // namespace
}  // namespace sosia
