// SPDX-License-Identifier: Apache-2.0
#include "eval/rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "eval/metric.h"
#include "eval/order_statistics.h"
#include "eval/quantile_edges.h"
#include "eval/target_rows.h"

namespace sosia::eval {
namespace {

/// Row i has the code i in the first column and the number i in the second.
Rows numbered(std::size_t count) {
  Rows rows{.count = count, .codes = {{}, {}}, .numbers = {{}, {}}};
  for (std::size_t i = 0; i < count; ++i) {
    rows.codes[0].push_back(static_cast<std::uint32_t>(i));
    rows.codes[1].push_back(0);
    rows.numbers[1].push_back(static_cast<double>(i));
  }
  return rows;
}

std::size_t rows_that_agree(const Rows& rows) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < rows.count; ++i) count += rows.codes[0][i] == rows.numbers[1][i] ? 1 : 0;
  return count;
}

TEST(Rows, BootstrapKeepsRowsTogetherAndIndependentColumnsDoNot) {
  const Rows rows = numbered(1000);
  PublicRng rng(1);
  const Rows boot = bootstrap(rows, 3000, rng);
  EXPECT_EQ(boot.count, 3000U);
  EXPECT_EQ(rows_that_agree(boot), 3000U);
  // Rows drawn at least once: 1 - exp(-3) of 1000 = 950, standard deviation below 7.
  EXPECT_NEAR(static_cast<double>(std::set(boot.codes[0].begin(), boot.codes[0].end()).size()), 950.0, 40.0);
  const Rows apart = independent_columns(rows, 3000, rng);
  // Poisson with mean 3: above 20 with chance 1e-10.
  EXPECT_LT(rows_that_agree(apart), 20U);
}

TEST(Rows, DrawnWithoutReplacement) {
  PublicRng rng(1);
  std::vector<std::size_t> all = draw_rows(100, 1000, rng);
  EXPECT_FALSE(std::is_sorted(all.begin(), all.end()));
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(all[i], i);
  const auto some = draw_rows(100, 30, rng);
  EXPECT_EQ(std::set(some.begin(), some.end()).size(), 30U);
}

/// 120 columns of coins, of which the first is the target.
TEST(WideTables, AreLookedAtInPart) {
  const Outline outline(120,
                        {.name = "coin", .type = ColumnType::boolean, .states = 2, .values = 2, .labels = {"0", "1"}});
  PublicRng rng(1);
  Rows rows{.count = 50, .codes = {}, .numbers = std::vector<std::vector<double>>(outline.size())};
  for (std::size_t c = 0; c < outline.size(); ++c) {
    auto& codes = rows.codes.emplace_back();
    for (std::size_t i = 0; i < rows.count; ++i) codes.push_back(rng.uniform() < 0.5 ? 0 : 1);
  }
  ThreadPool pool(1);
  const Comparison comparison{outline, rows, rows, &rows, 0, 1, pool};
  for (const auto& [name, parts] : std::map<std::string, std::size_t>{
           {"correlation", 4950}, {"mutual_information", 4950}, {"importance", 50}, {"prediction", 20}}) {
    const Finding found = find_metrics({name}).front()->measure(comparison);
    EXPECT_EQ(found.parts.size(), parts) << name;
    EXPECT_EQ(found.counted.at(0).second, static_cast<double>(parts)) << name;
  }
  const Features features(outline, rows, 0);
  EXPECT_EQ(features.width(), 238U);
  EXPECT_EQ(affordable_rows(features, {.name = "x", .values = 2}), 50000U);
  EXPECT_EQ(affordable_rows(features, {.name = "x", .values = 10}), 20'000'000U / 2380U);
  EXPECT_EQ(affordable_rows(features, {.name = "x", .values = 1000}), 2000U);
}

TEST(OrderStatistics, OfCornerCases) {
  const std::vector<double> none, one = {2.0}, two = {1.0, 4.0};
  EXPECT_EQ(largest_gap(none, none), 0.0);
  EXPECT_EQ(largest_gap(one, none), 1.0);
  EXPECT_EQ(largest_gap(one, two), 0.5);
  EXPECT_EQ(area_between(one, two), 1.5);
  EXPECT_EQ(area_between(two, two), 0.0);
  EXPECT_EQ(chance_above(one, one), 0.5);
  EXPECT_EQ(chance_above(two, one), 0.5);
  EXPECT_EQ(quantile(two, 0.5), 1.0);
  EXPECT_EQ(quantile(two, 0.51), 4.0);
  EXPECT_EQ(quantile(two, 0.0), 1.0);
  EXPECT_EQ(sorted_numbers(std::vector<double>{3.0, NAN, 1.0}), (std::vector{1.0, 3.0}));
}

TEST(QuantileEdges, LeaveOutMissingAndAtoms) {
  Column column;
  column.type = ColumnType::integer, column.min = 0.0, column.max = 1000.0, column.atoms = {0.0};
  std::vector<double> values(500, 0.0);
  values.resize(600, NAN);
  for (int i = 1; i <= 100; ++i) values.push_back(i);
  EXPECT_EQ(quantile_edges(values, column, 4), (std::vector{26.0, 51.0, 76.0}));
  EXPECT_EQ(quantile_edges(std::vector<double>(10, 7.0), column, 4), std::vector{7.0});
  EXPECT_TRUE(quantile_edges(std::vector<double>(10, 0.0), column, 4).empty());
}

}  // namespace
}  // namespace sosia::eval
