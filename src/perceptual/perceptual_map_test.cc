// SPDX-License-Identifier: Apache-2.0
#include "perceptual/perceptual_map.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "features/feature_contract.h"
#include "perceptual/perceptual_test_support.h"

namespace sosia {
namespace {

using Kind = FeatureLayer::Kind;

/// The first one black, the second one white; at least two.
std::vector<float> images(std::size_t count, std::size_t values, std::uint64_t seed) {
  PublicRng rng(seed);
  std::vector<float> rows(count * values);
  for (float& pixel : rows) pixel = static_cast<float>(rng.uniform());
  std::fill_n(rows.begin(), values, 0.0F);
  std::fill_n(rows.begin() + static_cast<std::ptrdiff_t>(values), values, 1.0F);
  return rows;
}

void expect_contract(const FeatureMap& map, const ImageShape& shape) {
  EXPECT_EQ(map.inputs(), static_cast<int>(shape.values()));
  EXPECT_TRUE(map.nonnegative());
  const std::vector<float> rows = images(21, shape.values(), 5);
  expect_bound(map, rows);
  expect_rows_alone(map, rows);
  expect_sums(map, 7);
  expect_gradient(map, 9);
}

TEST(PerceptualMap, KeepsTheContract) {
  for (const int moments : {1, 2}) {
    for (const ImageShape& shape : {ImageShape{4, 4, 1}, ImageShape{3, 5, 3}}) {
      const auto map = perceptual(small_feature_net(Kind::mean_pool, 3), shape, {.moments = moments});
      EXPECT_EQ(map->dim(), moments * (3 * 16 + 6 * 4));
      expect_contract(*map, shape);
    }
  }
}

TEST(PerceptualMap, BlocksKeepTheContract) {
  for (const ImageShape& shape : {ImageShape{4, 4, 1}, ImageShape{3, 5, 3}}) {
    const auto map = perceptual(small_residual_net(3), shape);
    EXPECT_EQ(map->dim(), 2 * (3 * 16 + 6 * 4 + 6 * 4));
    expect_contract(*map, shape);
  }
}

TEST(PerceptualMap, ABlockAddsWhatItWasGiven) {
  // Filters that keep the pixel in their middle: 2 x - 1 and a bypass of x make 3 x - 1, of every second pixel, where
  // that is above 0.
  FeatureNet net{.shape = {4, 4, 1}, .layers = {}, .parameters = {}};
  FeatureLayer block{.kind = Kind::residual, .is_read = true};
  block.inside = {{.name = "a", .channels = 1, .side = 1, .stride = 2}, {.name = "b", .channels = 1, .side = 1}};
  block.bypass = {{.name = "c", .channels = 1, .side = 1, .stride = 2}};
  net.layers.push_back(block);
  net.parameters = {1.0F, 0.0F, 2.0F, -1.0F, 1.0F, 0.0F};
  std::vector<float> image(16);
  for (std::size_t i = 0; i < 16; ++i) image[i] = static_cast<float>(i) / 16.0F;  // kept: 0, 2, 8, 10
  const std::vector<float> seen = vectors_of(*perceptual(net, {4, 4, 1}, {.moments = 1}), image);
  const double eight = 3.0 * 8 / 16 - 1.0, ten = 3.0 * 10 / 16 - 1.0, norm = std::hypot(eight, ten);
  ASSERT_EQ(seen.size(), 4U);
  EXPECT_EQ(seen[0], 0.0F);
  EXPECT_EQ(seen[1], 0.0F);
  EXPECT_NEAR(seen[2], eight / norm, 1e-5);
  EXPECT_NEAR(seen[3], ten / norm, 1e-5);
}

TEST(PerceptualMap, MaxPoolsAndScaledColoursKeepTheBound) {
  FeatureNet net = small_feature_net(Kind::max_pool, 4);
  net.mean = {0.4};
  net.deviation = {0.2};
  const auto map = perceptual(net, {6, 6, 3});
  const std::vector<float> rows = images(13, 108, 6);
  expect_bound(*map, rows);
  expect_rows_alone(*map, rows);
  expect_sums(*map, 8);
}

TEST(PerceptualMap, EveryPieceHasItsShareOfTheNorm) {
  const auto map = perceptual(small_feature_net(Kind::mean_pool, 3), {4, 4, 1});
  const std::vector<float> vector = vectors_of(*map, images(2, 16, 5));
  double first = 0.0;
  for (std::size_t j = 0; j < 48; ++j) first += double{vector[j]} * double{vector[j]};
  EXPECT_NEAR(first, 0.25, 1e-5);  // one of two layers, one of two moments
}

TEST(PerceptualMap, AnImageInWhichNothingIsSeenIsTheZeroVector) {
  FeatureNet net = small_feature_net(Kind::mean_pool, 3);
  std::fill(net.parameters.begin(), net.parameters.end(), -1.0F);
  const auto map = perceptual(net, {4, 4, 1});
  const std::vector<float> rows = images(3, 16, 5);
  for (const float entry : vectors_of(*map, rows)) EXPECT_EQ(entry, 0.0F);
  expect_gradient(*map, 9);
}

TEST(PerceptualMap, ScaledImagesAreWhatTheNetWouldSee) {
  FeatureNet net = small_feature_net(Kind::mean_pool, 3);
  FeatureNet scaled = net;
  scaled.mean = {0.5};
  scaled.deviation = {2.0};
  std::vector<float> rows = images(3, 16, 5);
  const std::vector<float> expected_of_scaled = vectors_of(*perceptual(scaled, {4, 4, 1}), rows);
  for (float& pixel : rows) pixel = (pixel - 0.5F) / 2.0F;
  const std::vector<float> expected = vectors_of(*perceptual(net, {4, 4, 1}), rows);
  for (std::size_t j = 0; j < expected.size(); ++j) EXPECT_NEAR(expected[j], expected_of_scaled[j], 1e-6);
}

}  // namespace
}  // namespace sosia
