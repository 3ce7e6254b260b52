// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "nn/test_support.h"

namespace sosia::nn {
namespace {

constexpr std::size_t kInputs = 300, kOutputs = 200;

double variance(std::span<const float> x) {
  double square = 0.0;
  for (const float v : x) square += double{v} * v;
  return square / static_cast<double>(x.size());
}

// Limits: 5 standard errors of a mean of squares, a false alarm rate of 6e-7 each (and the seed is fixed).
TEST(Init, WeightsHaveTheirVariance) {
  ThreadPool pool(2);
  constexpr double kCount = kInputs * kOutputs;
  Net kaiming(layers(dense(kInputs, kOutputs)), 7, pool),
      xavier(layers(dense(kInputs, kOutputs, {.init = Init::xavier})), 7, pool);
  const auto normal = kaiming.parameters().first(kInputs * kOutputs),
             uniform = xavier.parameters().first(kInputs * kOutputs);
  EXPECT_NEAR(variance(normal) * kInputs / 2.0, 1.0, 5 * std::sqrt(2.0 / kCount));
  EXPECT_NEAR(variance(uniform) * (kInputs + kOutputs) / 2.0, 1.0, 5 * std::sqrt(0.8 / kCount));
  const float bound = std::sqrt(6.0F / (kInputs + kOutputs));
  for (const float w : uniform) ASSERT_LE(std::abs(w), bound);
  for (const Net* net : {&kaiming, &xavier}) {
    for (const float b : net->parameters().last(kOutputs)) ASSERT_EQ(b, 0.0F);
  }
}

TEST(Init, IsAFunctionOfTheSeed) {
  ThreadPool one(1), several(3);
  const auto weights = [](std::uint64_t seed, ThreadPool& pool) {
    Net net(net_without_batch_norm(), seed, pool);
    return std::vector<float>(net.parameters().begin(), net.parameters().end());
  };
  EXPECT_EQ(weights(1, one), weights(1, several));
  EXPECT_NE(weights(1, one), weights(2, one));
}

TEST(Init, LayersOfOneNetDiffer) {
  ThreadPool pool(1);
  Net net(layers(dense(4, 4), dense(4, 4)), 1, pool);
  EXPECT_FALSE(std::ranges::equal(net.parameters_of(0), net.parameters_of(1)));
}

}  // namespace
}  // namespace sosia::nn
