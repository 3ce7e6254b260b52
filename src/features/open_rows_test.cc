// SPDX-License-Identifier: Apache-2.0
#include "features/open_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace sosia {
namespace {

using testing::ElementsAre;

const OpenRows& mixed() {
  static const OpenRows rows({3, 0, 2, 0, 4}, 2);  // a code, a scalar, the label, a scalar, a code
  return rows;
}

std::vector<float> opened(const OpenRows& rows, const std::vector<float>& encoded) {
  const std::size_t count = encoded.size() / rows.widths().size(), inputs = static_cast<std::size_t>(rows.inputs());
  std::vector<float> out(count * inputs, NAN);
  rows.open({encoded.data(), count, rows.widths().size()}, {out.data(), count, inputs});
  return out;
}

TEST(OpenRows, ScalarsComeFirstAndTheLabelIsThePart) {
  EXPECT_EQ(mixed().inputs(), 9);
  EXPECT_EQ(mixed().scalars(), 2);
  EXPECT_EQ(mixed().parts(), 2);
  EXPECT_THAT(mixed().blocks(), ElementsAre(3, 4));
  EXPECT_THAT(opened(mixed(), {2, 0.5F, 1, 0.25F, 0}), ElementsAre(0.5F, 0.25F, 0, 0, 1, 1, 0, 0, 0));
}

TEST(OpenRows, WhatIsNoStateIsNowhere) {
  EXPECT_THAT(opened(mixed(), {3, 0.5F, 1, 0.25F, -1}), ElementsAre(0.5F, 0.25F, 0, 0, 0, 0, 0, 0, 0));
  const std::vector<float> encoded = {0, 0, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, NAN, 0, 0, 0, 0, 0, 0, 0};
  std::vector<std::uint32_t> parts(4);
  mixed().assign({encoded.data(), 4, 5}, parts);
  EXPECT_THAT(parts, ElementsAre(1, UINT32_MAX, UINT32_MAX, 0));
}

TEST(OpenRows, ClosingUndoesOpening) {
  const std::vector<float> encoded = {2, 0.5F, 1, 0.25F, 0, 0, 1, 0, 0, 3};
  const std::vector<float> open = opened(mixed(), encoded);
  std::vector<float> back(encoded.size());
  PublicRng rng(1);
  mixed().close({open.data(), 2, 9}, std::vector<std::uint32_t>{1, 0}, rng, {back.data(), 2, 5});
  EXPECT_EQ(back, encoded);
}

TEST(OpenRows, ClosingDrawsStatesByTheirShares) {
  const OpenRows rows({3}, {});
  const std::vector<float> shares = {0.2F, 0.5F, 0.3F};
  std::vector<int> count(3);
  PublicRng rng(2);
  constexpr int kRows = 100000;
  for (int i = 0; i < kRows; ++i) {
    float state = NAN;
    rows.close({shares.data(), 1, 3}, {}, rng, {&state, 1, 1});
    ++count[static_cast<std::size_t>(state)];
  }
  // Binomial; 5.5 standard deviations are exceeded with a probability of 4e-8 each.
  for (std::size_t s = 0; s < 3; ++s) {
    const double share = static_cast<double>(shares[s]);
    EXPECT_NEAR(count[s], kRows * share, 5.5 * std::sqrt(kRows * share * (1.0 - share)));
  }
}

TEST(OpenRows, ANumericLabelIsANumberLikeOthers) {
  const OpenRows rows({0, 2}, 0);
  EXPECT_EQ(rows.parts(), 1);
  EXPECT_EQ(rows.inputs(), 3);
}

TEST(OnEncoded, MapsByPartAndCounts) {
  const auto map = on_encoded(mixed(), block_products({1, 1, 3, 4}, {{2}, {3}}), 0.5);
  EXPECT_EQ(map->dim(), 7);
  EXPECT_EQ(map->parts(), 2);
  EXPECT_EQ(map->count_weight(), 0.5);
  const std::vector<float> encoded = {2, 0.5F, 1, 0.25F, 0};
  std::vector<float> vector(7);
  map->forward({encoded.data(), 1, 5}, {vector.data(), 1, 7});
  EXPECT_THAT(vector, ElementsAre(0, 0, 1, 1, 0, 0, 0));
}

}  // namespace
}  // namespace sosia
