// SPDX-License-Identifier: Apache-2.0
#include "features/marginals.h"

#include <gtest/gtest.h>

#include <sosia/error.h>

#include "features/count_contract.h"

namespace sosia {
namespace {

constexpr std::size_t kFields = 3;

/// Fields of 3, 4 and 2 states, the last one the label; view 3 is the second field in two groups.
std::vector<View> views() {
  return {View::finest(0, 3), View::finest(1, 4), View::finest(2, 2), View{1, 2, {0, 0, 1, 1}}};
}

/// Every row that there is: 24, corners included.
std::vector<float> all_rows() {
  std::vector<float> rows;
  for (int i = 0; i < 24; ++i) {
    for (const int state : {i / 8, i / 2 % 4, i % 2}) rows.push_back(static_cast<float>(state));
  }
  return rows;
}

TEST(Marginals, KeepTheContract) {
  const std::vector<std::vector<Marginals::Weighted>> kinds = {
      {{{0}}, {{1}}, {{2}}},                            // singles
      {{{0, 1}, 0.5}, {{0, 2}, 2.0}, {{1, 2}, 0.125}},  // pairs, with weights
      {{{0, 1, 2}}},                                    // three ways
      {{{0, 2}}, {{1, 2}}, {{2}}},                      // with the label in every set
      {{{2, 3}}, {{0, 3}}},                             // coarser views
      {{{1}}, {{1}}},                                   // the same twice
  };
  for (const auto& sets : kinds) {
    SCOPED_TRACE(&sets - kinds.data());
    expect_contract(Marginals(views(), sets), all_rows(), kFields);
  }
}

TEST(Marginals, CellsAreTheJointGroups) {
  const Marginals map(views(), {{{1}, 1.0}, {{0, 1}, 1.0}, {{0, 1, 2}, 1.0}, {{2, 3}, 1.0}});
  const std::vector<std::uint32_t> cells = cells_hit(map, all_rows(), kFields);
  for (std::uint32_t i = 0; i < 24; ++i) {
    const std::uint32_t a = i / 8, b = i / 2 % 4, c = i % 2;
    const std::vector<std::uint32_t> expected = {b, 4 * a + b, i, 2 * c + b / 2};
    EXPECT_EQ(std::vector(cells.begin() + i * 4, cells.begin() + (i + 1) * 4), expected) << i;
  }
}

TEST(Marginals, SlotsHaveTheirWidthsAndWeights) {
  const Marginals map(views(), {{{0, 1}, 0.5}, {{2, 3}, 2.0}});
  ASSERT_EQ(map.slots().size(), 2U);
  EXPECT_EQ(map.slots()[0].width, 12U);
  EXPECT_EQ(map.slots()[0].weight, 0.5);
  EXPECT_EQ(map.slots()[1].width, 4U);
  EXPECT_EQ(map.slots()[1].weight, 2.0);
}

TEST(Marginals, RefuseSetsThatAreNoneAndTooManyCells) {
  EXPECT_THROW(Marginals(views(), {{{}, 1.0}}), Error);
  EXPECT_THROW(Marginals(views(), {{{1, 0}, 1.0}}), Error);
  const View wide{0, 1U << 16, std::vector<std::uint32_t>(2, 0)};
  EXPECT_EQ(cells_of({0, 1}, std::vector<View>{wide, {1, (1U << 15) - 1, {0}}}), (std::size_t{1} << 31) - (1U << 16));
  EXPECT_THROW(cells_of({0, 1}, std::vector<View>{wide, {1, 1U << 15, {0}}}), Error);
  EXPECT_THROW(cells_of({0, 1, 2, 3, 4}, std::vector<View>(5, wide)), Error);
}

}  // namespace
}  // namespace sosia
