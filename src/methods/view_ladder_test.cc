// SPDX-License-Identifier: Apache-2.0
#include "methods/view_ladder.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sosia {
namespace {

/// Fields of 40 ordered states, 1, 2, 3 and 10 states without order.
struct Ladder {
  Measurements measured;
  ViewLadder ladder;

  static Measurements finest() {
    Measurements measured;
    for (const std::uint32_t width : {40U, 1U, 2U, 3U, 10U}) {
      measured.views.push_back(View::finest(static_cast<int>(measured.fields++), width));
    }
    return measured;
  }
  static std::vector<std::vector<double>> shares() {
    std::vector<std::vector<double>> shares;
    for (const View& view : finest().views) shares.emplace_back(view.width, 1.0 / view.width);
    return shares;
  }
  Ladder() : measured(finest()), ladder(measured, shares(), {40, 1, 0, 3, 0}) {}
};

double cells_in(const Ladder& ladder, const ViewSet& set) {
  return static_cast<double>(cells_of(set, ladder.measured.views));
}

TEST(ViewLadder, EveryViewIsAFunctionOfTheFinest) {
  const Ladder made;
  const std::vector<View>& views = made.measured.views;
  EXPECT_EQ(made.measured.fields, 5U);
  std::vector<std::uint32_t> widths;
  for (std::size_t v = 0; v < views.size(); ++v) {
    const View& finest = views[static_cast<std::size_t>(views[v].field)];
    EXPECT_TRUE(is_function_of(finest, views[v]));
    EXPECT_EQ(*std::max_element(views[v].group.begin(), views[v].group.end()) + 1, views[v].width);
    if (v >= made.measured.fields) widths.push_back(views[v].width);
  }
  EXPECT_EQ(widths, (std::vector<std::uint32_t>{20, 10, 5, 3, 2, 2, 5, 3, 2}));  // halves, down to two
}

TEST(ViewLadder, FitsIntoTheCells) {
  const Ladder made;
  const std::vector<std::vector<int>> sets = {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {3, 4}, {0, 3, 4}, {2, 3}, {1, 2}};
  for (const std::vector<int>& fields : sets) {
    double before = 1e9;
    for (const double most : {1000.0, 400.0, 100.0, 50.0, 25.0, 8.0, 4.0}) {
      const ViewSet set = made.ladder.fitting(fields, most);
      ASSERT_TRUE(std::is_sorted(set.begin(), set.end()));
      std::vector<int> seen;
      for (const int view : set) seen.push_back(made.measured.views[static_cast<std::size_t>(view)].field);
      std::sort(seen.begin(), seen.end());
      EXPECT_EQ(seen, fields);
      const double cells = cells_in(made, set);
      if (most >= 8.0 || fields.size() < 3) {
        EXPECT_LE(cells, most);
      }
      EXPECT_LE(cells, before);
      before = cells;
    }
  }
}

TEST(ViewLadder, NoCoarserThanNeeded) {
  const Ladder made;
  EXPECT_EQ(made.ladder.fitting({0, 4}, 400.0), (ViewSet{0, 4}));
  EXPECT_EQ(cells_in(made, made.ladder.fitting({0, 4}, 399.0)), 200.0);
  EXPECT_EQ(cells_in(made, made.ladder.fitting({0, 4}, 100.0)), 100.0);
}

TEST(ViewLadder, AsFewAsCanBeWhereNothingFits) {
  const Ladder made;
  EXPECT_EQ(cells_in(made, made.ladder.fitting({0, 3, 4}, 1.0)), 8.0);
  EXPECT_EQ(cells_in(made, made.ladder.fitting({1, 2}, 0.0)), 2.0);
}

}  // namespace
}  // namespace sosia
