// SPDX-License-Identifier: Apache-2.0
#include "nn/loss.h"

#include <gtest/gtest.h>

#include <cmath>

#include <sosia/error.h>

#include "nn/test_support.h"

namespace sosia::nn {
namespace {

class LossTest : public testing::Test {
 protected:
  ThreadPool pool{1};
  std::vector<float> gradient = std::vector<float>(6);
  std::vector<double> losses = std::vector<double>(2);
  const LossOutput out{{gradient.data(), 2, 3}, losses};

  static MatrixView<const float> view(const std::vector<float>& x) { return {x.data(), 2, 3}; }
};

TEST_F(LossTest, SquaredError) {
  const std::vector<float> x = {1, 2, 3, 0, 0, 0}, t = {1, 0, 0, 0, 0, 2};
  EXPECT_EQ(squared_error(view(x), view(t), 0.5, out, pool), 0.5 * (13 + 4));
  EXPECT_EQ(losses, (std::vector<double>{13, 4}));
  EXPECT_EQ(gradient, (std::vector<float>{0, 2, 3, 0, 0, -2}));
}

TEST_F(LossTest, LogisticLossAndItsTails) {
  const std::vector<float> x = {0, 2, -2, 200, -200, 200}, t = {1, 1, 1, 1, 0, 0};
  const double near = std::log(2.0) + std::log1p(std::exp(-2.0)) + std::log1p(std::exp(2.0));
  EXPECT_NEAR(logistic_loss(view(x), view(t), 1.0, out, pool), near + 200.0, 1e-5);
  EXPECT_NEAR(losses[0], near, 1e-12);
  EXPECT_NEAR(gradient[0], -0.5, 1e-7);
  EXPECT_NEAR(gradient[1], -1.0 / (1.0 + std::exp(2.0)), 1e-7);
  EXPECT_EQ(gradient[3], 0.0F);
  EXPECT_EQ(gradient[4], 0.0F);
  EXPECT_EQ(gradient[5], 1.0F);
}

TEST_F(LossTest, CrossEntropyOfBlocks) {
  const std::vector<float> x = {0, 0, 5, 100, -100, 1}, t = {0.5F, 0.5F, 1, 0, 1, 1};
  const std::vector<std::uint32_t> widths = {2, 1};
  EXPECT_NEAR(cross_entropy(view(x), widths, view(t), 2.0, out, pool), 2.0 * (std::log(2.0) + 200.0), 1e-4);
  EXPECT_NEAR(losses[0], std::log(2.0), 1e-7);
  const std::vector<float> expected = {0, 0, 0, 2, -2, 0};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(gradient[i], expected[i], 1e-6);
}

TEST_F(LossTest, ShapesMustAgree) {
  const std::vector<float> x(6);
  EXPECT_THROW(squared_error(view(x), {x.data(), 3, 2}, 1.0, out, pool), Error);
  const std::vector<std::uint32_t> widths = {2};
  EXPECT_THROW(cross_entropy(view(x), widths, view(x), 1.0, out, pool), Error);
}

}  // namespace
}  // namespace sosia::nn
