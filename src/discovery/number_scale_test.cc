// SPDX-License-Identifier: Apache-2.0
#include "discovery/number_scale.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace sosia {
namespace {

void expect_rising(const NumberScale& scale) {
  for (std::size_t i = 0; i < scale.size(); ++i) EXPECT_LE(scale.starts[i], scale.end_of(i)) << i;
  for (std::size_t i = 1; i < scale.size(); ++i) EXPECT_EQ(scale.end_of(i - 1) + 1, scale.starts[i]);
}

std::size_t cell_of(const NumberScale& scale, std::int64_t number) {
  return static_cast<std::size_t>(std::upper_bound(scale.starts.begin(), scale.starts.end(), number) -
                                  scale.starts.begin()) -
         1;
}

TEST(NumberScale, OctavesHaveZeroByItselfAndMirrorEachOther) {
  const NumberScale scale = widest_cells({.name = "x", .type = ColumnType::real, .decimals = 2});
  expect_rising(scale);
  EXPECT_EQ(scale.size(), 52U + 1U + 52U);
  const std::size_t zero = cell_of(scale, 0);
  EXPECT_EQ(scale.starts[zero], 0);
  EXPECT_EQ(scale.end_of(zero), 0);
  for (const std::int64_t number : {1, 2, 3, 4, 1000, 1024, 123456789}) {
    EXPECT_EQ(cell_of(scale, number) - zero, zero - cell_of(scale, -number)) << number;
  }
  EXPECT_EQ(scale.value(150), 1.5);
}

TEST(NumberScale, DatesGoByYears) {
  const NumberScale days = widest_cells({.name = "x", .type = ColumnType::date});
  expect_rising(days);
  EXPECT_EQ(days.starts[1969], 0);  // year 1970
  const NumberScale seconds = widest_cells({.name = "x", .type = ColumnType::datetime});
  EXPECT_EQ(seconds.starts[1970], 365 * 86400);
}

TEST(NumberScale, FineCellsCoverTheRangeEvenlyOrByLogarithm) {
  const Column column{.name = "x", .type = ColumnType::integer};
  const NumberScale widest = widest_cells(column);
  const std::size_t zero = cell_of(widest, 0);
  const NumberScale few = fine_cells(column, widest, {zero, cell_of(widest, 120)});  // 0 to 127
  EXPECT_EQ(few.size(), 128U);
  expect_rising(few);
  const NumberScale even = fine_cells(column, widest, {cell_of(widest, 1 << 16), cell_of(widest, (1 << 17) + 5)});
  expect_rising(even);
  EXPECT_EQ(even.size(), kMostLeaves);
  EXPECT_EQ(even.low(), 1 << 16);
  EXPECT_EQ(even.high, (1 << 18) - 1);
  const NumberScale wide = fine_cells(column, widest, {cell_of(widest, -5), cell_of(widest, 1000000)});
  expect_rising(wide);
  EXPECT_EQ(wide.low(), -7);
  EXPECT_EQ(wide.high, (1 << 20) - 1);
  EXPECT_EQ(wide.end_of(cell_of(wide, 3)), 3);  // small numbers have cells of their own
  const Column bounded{.name = "x", .type = ColumnType::real, .min = 0.1, .max = 0.7, .decimals = 1};
  const NumberScale tenths = fine_cells(bounded);
  EXPECT_EQ(tenths.low(), 1);
  EXPECT_EQ(tenths.high, 7);
  EXPECT_EQ(tenths.size(), 7U);
}

TEST(NumberScale, OutermostCellsAboveTheThreshold) {
  const std::vector<double> counts = {-4, 3, 9, 2, 8, 5};
  EXPECT_EQ(outermost(counts, 6.0), std::pair(std::size_t{2}, std::size_t{4}));
  EXPECT_EQ(outermost(counts, 20.0), std::pair(std::size_t{1}, std::size_t{0}));
}

}  // namespace
}  // namespace sosia
