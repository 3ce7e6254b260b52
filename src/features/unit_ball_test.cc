// SPDX-License-Identifier: Apache-2.0
#include "features/unit_ball.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "features/feature_contract.h"
#include "random/public_rng.h"

namespace sosia {
namespace {

constexpr float kHuge = std::numeric_limits<float>::max(), kTiny = std::numeric_limits<float>::denorm_min();
constexpr float kInfinite = std::numeric_limits<float>::infinity(), kNothing = NAN;

/// Whatever a file may hold: random rows of all lengths with both signs, and corner rows.
std::vector<float> any_rows(std::size_t dim) {
  std::vector<float> rows;
  PublicRng rng(3);
  for (const double size : {1e-30, 1e-3, 0.1, 1.0, 30.0, 1e20}) {
    for (std::size_t j = 0; j < 5 * dim; ++j) rows.push_back(static_cast<float>(size * rng.normal()));
  }
  for (const float corner : {0.0F, 1.0F, -1.0F, kHuge, -kHuge, kTiny, kInfinite, -kInfinite, kNothing}) {
    rows.insert(rows.end(), dim, corner);
    rows.insert(rows.end(), dim - 1, 0.5F);
    rows.push_back(corner);
  }
  return rows;
}

TEST(UnitBall, KeepsTheContractWhateverTheRowsHold) {
  for (const int dim : {1, 7, 64, 1000}) {
    SCOPED_TRACE(dim);
    const auto map = unit_ball(dim);
    EXPECT_EQ(map->norm_bound(), 1.0);
    EXPECT_TRUE(map->nonnegative());
    const std::vector<float> rows = any_rows(static_cast<std::size_t>(dim));
    expect_bound(*map, rows);
    expect_rows_alone(*map, rows);
    expect_sums(*map, 4);
  }
}

TEST(UnitBall, HasTheGradientOfWhatItDoes) {
  // Seeds without a number so close to 0, or a norm so close to 1, that a difference would reach across the kink there.
  expect_gradient(*unit_ball(1), 2);  // rows inside
  expect_gradient(*unit_ball(8), 2);  // and outside: the norm of 8 such numbers is about 1.6
}

TEST(UnitBall, LeavesVectorsInsideAsTheyAre) {
  const std::vector<float> rows = {0.6F, 0.8F - 1e-7F, 0.0F, 1.0F, kTiny, 0.25F};
  EXPECT_EQ(vectors_of(*unit_ball(2), rows), rows);
}

TEST(UnitBall, BringsOthersInside) {
  const std::vector<float> vectors =
      vectors_of(*unit_ball(2), {3.0F, 4.0F, -3.0F, 4.0F, kInfinite, 0.1F, kNothing, 0.1F});
  EXPECT_NEAR(vectors[0], 0.6, 1e-5);
  EXPECT_NEAR(vectors[1], 0.8, 1e-5);
  EXPECT_EQ(vectors[2], 0.0F);
  EXPECT_NEAR(vectors[3], 1.0, 1e-5);
  for (std::size_t j = 4; j < 8; ++j) EXPECT_EQ(vectors[j], 0.0F);
}

}  // namespace
}  // namespace sosia
