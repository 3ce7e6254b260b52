// SPDX-License-Identifier: Apache-2.0
#include "eval/contingency.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace sosia::eval {
namespace {

Rows random_rows(std::size_t count, const Outline& outline, std::uint64_t seed) {
  Rows rows{.count = count, .codes = {}, .numbers = {}};
  PublicRng rng(seed);
  for (const ColumnOutline& column : outline) {
    auto& codes = rows.codes.emplace_back();
    // Crowded near 0, so that some cells of a large table have many rows.
    for (std::size_t i = 0; i < count; ++i) {
      codes.push_back(static_cast<std::uint32_t>(draw_below(1 + draw_below(column.states, rng), rng)));
    }
    rows.numbers.emplace_back();
  }
  return rows;
}

double plain_distance(const ColumnSet& set, const Rows& first, const Rows& second) {
  std::map<std::vector<std::uint32_t>, double> difference;
  const auto add = [&](const Rows& rows, double sign) {
    for (std::size_t i = 0; i < rows.count; ++i) {
      std::vector<std::uint32_t> cell;
      for (const std::size_t c : set) cell.push_back(rows.codes[c][i]);
      difference[cell] += sign / static_cast<double>(rows.count);
    }
  };
  add(first, 1.0);
  add(second, -1.0);
  double sum = 0.0;
  for (const auto& [cell, d] : difference) sum += std::abs(d);
  return sum / 2.0;
}

// Few cells, more than are kept densely, and more than 64 bits can number; one object counts them all in turn.
TEST(Contingency, CountsTablesOfAnySize) {
  Outline outline;
  for (const std::uint32_t states : {2U, 5U, 3000U, 1U << 24U, 1U << 24U, 1U << 24U}) {
    outline.push_back({.name = "", .states = states});
  }
  const Rows first = random_rows(3000, outline, 1), second = random_rows(2000, outline, 2);
  Contingency table;
  for (const ColumnSet& set : {ColumnSet{0}, {0, 1}, {0, 1, 2}, {1, 2, 3}, {3, 4, 5}, {0, 1, 3, 4, 5}, {1}}) {
    EXPECT_NEAR(total_variation(outline, set, first, second, table), plain_distance(set, first, second), 1e-12);
  }
}

TEST(Contingency, NumbersCellsWithTheLastColumnFastest) {
  const Outline outline = {{.name = "", .states = 3}, {.name = "", .states = 4}};
  const Rows rows{.count = 3, .codes = {{2, 0, 2}, {1, 3, 1}}, .numbers = {{}, {}}};
  Contingency table;
  table.count(outline, {0, 1}, rows, rows);
  std::map<std::uint64_t, std::uint32_t> cells;
  table.for_cells([&](std::uint64_t key, std::uint32_t first, std::uint32_t second) {
    EXPECT_EQ(first, second);
    cells[key] = first;
  });
  EXPECT_EQ(cells, (std::map<std::uint64_t, std::uint32_t>{{9, 2}, {3, 1}}));
}

TEST(ColumnSets, AreAllOrSoManyDifferentOnes) {
  PublicRng rng(1);
  const auto all = column_sets(6, 3, 20, rng);
  ASSERT_EQ(all.size(), 20U);
  EXPECT_EQ(all.front(), (ColumnSet{0, 1, 2}));
  EXPECT_EQ(all.back(), (ColumnSet{3, 4, 5}));
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
  const auto some = column_sets(100, 3, 50, rng);
  ASSERT_EQ(some.size(), 50U);
  for (std::size_t i = 0; i < some.size(); ++i) {
    EXPECT_TRUE(some[i][0] < some[i][1] && some[i][1] < some[i][2] && some[i][2] < 100);
    EXPECT_TRUE(i == 0 || some[i - 1] < some[i]);
  }
  EXPECT_TRUE(column_sets(2, 3, 50, rng).empty());
  EXPECT_EQ(count_sets(100, 3), 161700.0);
}

}  // namespace
}  // namespace sosia::eval
