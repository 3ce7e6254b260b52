// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include <sosia/error.h>

#include "nn/test_support.h"

namespace sosia::nn {
namespace {

TEST(Head, EachBlockHasItsOwnFunction) {
  ThreadPool pool(1);
  Net net(layers(head({{HeadKind::linear, 1},
                       {HeadKind::softmax, 2},
                       {HeadKind::softmax, 3},
                       {HeadKind::sigmoid, 1},
                       {HeadKind::tanh, 2}})),
          1, pool);
  ASSERT_EQ(net.inputs(), 9U);
  ASSERT_EQ(net.parameters().size(), 0U);
  Workspace workspace(net, 3);
  const std::vector<float> x = normal_floats(27, 1, 2.0);
  const MatrixView<const float> y = net.forward({x.data(), 3, 9}, workspace, pool);
  for (std::size_t r = 0; r < 3; ++r) {
    const std::span<const float> in(x.data() + r * 9, 9), out = y.row(r);
    EXPECT_EQ(out[0], in[0]);
    EXPECT_NEAR(out[1] + out[2], 1.0F, 1e-6F);
    EXPECT_NEAR(out[1] / out[2], std::exp(in[1] - in[2]), 1e-5F * out[1] / out[2]);
    EXPECT_NEAR(out[3] + out[4] + out[5], 1.0F, 1e-6F);
    EXPECT_NEAR(out[6], 1.0F / (1.0F + std::exp(-in[6])), 1e-6F);
    EXPECT_NEAR(out[7], std::tanh(in[7]), 1e-6F);
    EXPECT_NEAR(out[8], std::tanh(in[8]), 1e-6F);
  }
}

TEST(Head, RefusesEmptyBlocks) { EXPECT_THROW(head({{HeadKind::softmax, 0}}), Error); }

}  // namespace
}  // namespace sosia::nn
