// SPDX-License-Identifier: Apache-2.0
#include "features/feature_map.h"

#include <gtest/gtest.h>

#include <cmath>

#include "features/coarse_image.h"
#include "features/feature_contract.h"
#include "features/hermite.h"
#include "random/public_rng.h"

namespace sosia {
namespace {

/// One-hot rows of blocks.
std::vector<float> one_hot_rows(const std::vector<int>& widths, int count) {
  std::vector<float> rows;
  PublicRng rng(9);
  for (int i = 0; i < count; ++i) {
    for (const int width : widths) {
      const auto hot = static_cast<int>(rng.next_u32() % static_cast<unsigned>(width));
      for (int s = 0; s < width; ++s) rows.push_back(s == hot ? 1.0F : 0.0F);
    }
  }
  return rows;
}

std::unique_ptr<FeatureMap> pairs() { return block_products({2, 3, 4}, {{0, 1}, {0, 2}, {1, 2}}); }
std::unique_ptr<FeatureMap> singles() { return block_products({2, 3, 4}, {{0}, {1}, {2}}); }

void expect_contract(const FeatureMap& map, const std::vector<int>& widths) {
  const std::vector<float> rows = one_hot_rows(widths, 40);
  expect_bound(map, rows);
  expect_rows_alone(map, rows);
  expect_sums(map, 4);
  for (const std::uint64_t seed : {1, 2, 3}) expect_gradient(map, seed);
}

TEST(FeatureMap, ProductsKeepTheContract) {
  expect_contract(*pairs(), {2, 3, 4});
  expect_contract(*singles(), {2, 3, 4});
  expect_contract(*block_products({2, 3, 4}, {{0, 1, 2}}), {2, 3, 4});
}

std::unique_ptr<FeatureMap> both(double pair_weight, double single_weight) {
  std::vector<MapPart> parts;
  parts.push_back({pairs(), pair_weight});
  parts.push_back({singles(), single_weight});
  return concat(std::move(parts), 9);
}

TEST(FeatureMap, CombinationsKeepTheContract) {
  expect_contract(*both(1.0, 0.5), {2, 3, 4});
  std::vector<MapPart> parts;
  parts.push_back({both(2.0, 3.0), 1.0, 2});
  parts.push_back({block_products({2, 2}, {{0, 1}}), 0.5, 0});
  expect_contract(*concat(std::move(parts), 11), {2, 2, 3, 4});
}

TEST(FeatureMap, ColumnsThatAMapReadsNeedNotStandSideBySide) {
  // Blocks of 2, 3 and 4: the products of the first and the last, read alone and among all.
  std::vector<MapPart> parts;
  parts.push_back({singles(), 0.5});
  parts.push_back({block_products({2, 4}, {{0, 1}}), 2.0, 0, {0, 1, 5, 6, 7, 8}});
  const auto narrow = concat(std::move(parts), 9);
  expect_contract(*narrow, {2, 3, 4});
  parts.clear();
  parts.push_back({singles(), 0.5});
  parts.push_back({block_products({2, 3, 4}, {{0, 2}}), 2.0});
  const auto wide = concat(std::move(parts), 9);
  const std::vector<float> rows = one_hot_rows({2, 3, 4}, 50);
  EXPECT_EQ(vectors_of(*narrow, rows), vectors_of(*wide, rows));
  EXPECT_EQ(narrow->norm_bound(), wide->norm_bound());
  const auto gradients = [&](const FeatureMap& map) {
    std::vector<float> sums(static_cast<std::size_t>(map.dim())), d_sums(sums.size()), d_rows(rows.size());
    for (std::size_t j = 0; j < d_sums.size(); ++j) d_sums[j] = 0.1F * static_cast<float>(j % 7) - 0.2F;
    ThreadPool threads(2);
    map.sum_and_backward(
        {rows.data(), 50, 9}, {}, {sums.data(), 1, sums.size()}, [] {}, {d_sums.data(), 1, sums.size()},
        {d_rows.data(), 50, 9}, threads);
    sums.insert(sums.end(), d_rows.begin(), d_rows.end());
    return sums;
  };
  EXPECT_EQ(gradients(*narrow), gradients(*wide));
}

TEST(FeatureMap, BoundsAreExactOnCodes) {
  EXPECT_DOUBLE_EQ(pairs()->norm_bound(), std::sqrt(3.0));
  EXPECT_DOUBLE_EQ(both(2.0, 1.0)->norm_bound(), std::sqrt(15.0));
}

TEST(FeatureMap, MeansOfProductsAreTables) {
  const std::vector<float> rows = one_hot_rows({2, 3}, 60);
  const auto map = block_products({2, 3}, {{0, 1}});
  const std::vector<float> vectors = vectors_of(*map, rows);
  std::vector<int> table(6), sums(6);
  for (std::size_t r = 0; r < 60; ++r) {
    const std::size_t a = rows[r * 5] == 1.0F ? 0 : 1;
    const std::size_t b = rows[r * 5 + 2] == 1.0F ? 0 : rows[r * 5 + 3] == 1.0F ? 1 : 2;
    ++table[a * 3 + b];
    for (std::size_t j = 0; j < 6; ++j) sums[j] += static_cast<int>(vectors[r * 6 + j]);
  }
  EXPECT_EQ(sums, table);
}

/// Random images, the first of them black and the second white.
std::vector<float> images(std::size_t values) {
  std::vector<float> rows(20 * values);
  PublicRng rng(8);
  for (float& number : rows) number = static_cast<float>(rng.uniform());
  std::fill_n(rows.begin(), values, 0.0F);
  std::fill_n(rows.begin() + static_cast<std::ptrdiff_t>(values), values, 1.0F);
  return rows;
}

TEST(CoarseImage, DirectionsKeepTheContractAloneAndInPairs) {
  const ImageShape grey{5, 4, 1}, colours{4, 2, 3};
  for (const ImageShape& shape : {grey, colours}) {
    for (const std::size_t side : {1, 2, 3}) {
      std::vector<std::unique_ptr<FeatureMap>> both;
      both.push_back(unit_image(shape, side));
      both.push_back(unit_image(shape, side));
      const auto map = unit_image(shape, side), squares = tensor_product(std::move(both));
      for (const FeatureMap* one : {map.get(), squares.get()}) {
        expect_bound(*one, images(shape.values()));
        expect_rows_alone(*one, images(shape.values()));
        expect_sums(*one, 4);
        expect_gradient(*one, 1);
      }
      EXPECT_TRUE(squares->nonnegative());
      EXPECT_EQ(squares->norm_bound(), 1.0);
    }
  }
}

TEST(CoarseImage, DirectionsAreMeansOfSquaresOverTheirLength) {
  // Squares of two by two of three by two pixels: the second is a column.
  const std::vector<float> row = {1.0F, 0.5F, 0.25F, 0.5F, 0.0F, 0.75F};
  const std::vector<float> vector = vectors_of(*unit_image({3, 2, 1}, 2), row);
  ASSERT_EQ(vector.size(), 2U);
  const double length = std::sqrt(0.5 * 0.5 + 0.5 * 0.5 + 2.0 * 0.03);
  for (const float number : vector) EXPECT_NEAR(number, 0.5 / length, 1e-6);
}

TEST(CoarseImage, MapsOfSquaresKeepTheContract) {
  const ImageShape shape{5, 4, 2};
  for (const std::size_t side : {2, 5}) {
    const int squares = side == 2 ? 12 : 2;
    std::vector<HermiteColumn> columns;
    for (int c = 0; c < squares; ++c) columns.push_back({.column = c, .options = {.length_scale = 0.3, .order = 5}});
    const auto map = of_squares(shape, side, hermite_sum(columns, squares)), own = hermite_sum(columns, squares);
    expect_bound(*map, images(shape.values()));
    expect_rows_alone(*map, images(shape.values()));
    expect_sums(*map, 4);
    expect_gradient(*map, 1);
    EXPECT_EQ(map->norm_bound(), own->norm_bound());
  }
}

TEST(CoarseImage, MapsOfSquaresSeeTheirMeans) {
  // Two channels of two pixels, each a square: means .75 and .25.
  const std::vector<float> row = {1.0F, 0.5F, 0.5F, 0.0F}, means = {0.75F, 0.25F};
  const std::vector<HermiteColumn> columns = {{.column = 0}, {.column = 1}};
  const auto map = of_squares({2, 1, 2}, 2, hermite_sum(columns, 2));
  EXPECT_EQ(vectors_of(*map, row), vectors_of(*hermite_sum(columns, 2), means));
}

}  // namespace
}  // namespace sosia
