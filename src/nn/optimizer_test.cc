// SPDX-License-Identifier: Apache-2.0
// Steps are held against PyTorch in golden_test.cc; here what does not show there.
#include "nn/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <sosia/error.h>

namespace sosia::nn {
namespace {

TEST(Optimizer, EachFindsTheMinimumOfAQuadraticFunction) {
  ThreadPool pool(1);
  for (const OptimizerOptions& options : {OptimizerOptions(Sgd{}), OptimizerOptions(Sgd{.momentum = 0.9}),
                                          OptimizerOptions(Adam{}), OptimizerOptions(RmsProp{})}) {
    Optimizer optimizer(options, 3);
    std::vector<float> weights = {5.0F, -3.0F, 0.5F}, gradient(3);
    for (int step = 0; step < 3000; ++step) {
      for (std::size_t i = 0; i < 3; ++i) gradient[i] = weights[i] - 1.0F;
      optimizer.step(0.02, gradient, weights, pool);
    }
    EXPECT_EQ(optimizer.steps(), 3000);
    for (const float w : weights) EXPECT_NEAR(w, 1.0F, 0.03F);  // RMSProp goes on in steps of the rate
  }
}

// Adam's first step is the rate, whatever the size of the gradient.
TEST(Optimizer, AdamCorrectsItsStart) {
  ThreadPool pool(1);
  for (const float size : {1e-3F, 1.0F, 1e3F}) {
    Optimizer optimizer(Adam{}, 1);
    std::vector<float> weight = {0.0F};
    optimizer.step(0.1, std::vector<float>{size}, weight, pool);
    EXPECT_NEAR(weight[0], -0.1F, 1e-5F);
  }
}

TEST(Optimizer, RefusesWhatIsOutOfRange) {
  EXPECT_THROW(Optimizer(Sgd{.momentum = 1.0}, 1), Error);
  EXPECT_THROW(Optimizer(Adam{.decay2 = -0.1}, 1), Error);
  EXPECT_THROW(Optimizer(RmsProp{.epsilon = 0.0}, 1), Error);
  ThreadPool pool(1);
  Optimizer optimizer(Adam{}, 2);
  std::vector<float> weights(3);
  EXPECT_THROW(optimizer.step(0.1, weights, weights, pool), Error);
}

}  // namespace
}  // namespace sosia::nn
