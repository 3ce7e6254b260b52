// SPDX-License-Identifier: Apache-2.0
#include "nn/net.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <sosia/error.h>

#include "nn/loss.h"
#include "nn/optimizer.h"
#include "nn/test_support.h"

namespace sosia::nn {
namespace {

std::vector<LayerPtr> generator() {
  return layers(dense(16, 200), batch_norm(200, {.activation = kRelu}), dense(200, 300, {.init = Init::xavier}),
                head({{HeadKind::softmax, 100}, {HeadKind::sigmoid, 50}, {HeadKind::softmax, 150}}));
}

/// Parameters after some steps of training.
std::vector<float> trained(int threads) {
  constexpr std::size_t kRows = 500;
  ThreadPool pool(threads);
  Net net(generator(), 1, pool);
  Workspace workspace(net, kRows, true);
  Optimizer optimizer(Adam{}, net.parameters().size());
  const std::vector<float> x = normal_floats(kRows * 16, 2), target = normal_floats(kRows * 300, 3);
  std::vector<float> gradient(net.parameters().size());
  std::vector<double> losses(kRows);
  for (int step = 0; step < 3; ++step) {
    net.forward({x.data(), kRows, 16}, workspace, pool);
    squared_error(workspace.output(), {target.data(), kRows, 300}, 1.0 / kRows, {workspace.output_gradient(), losses},
                  pool);
    net.backward(workspace, gradient, pool);
    optimizer.step(1e-3, gradient, net.parameters(), pool);
  }
  return {net.parameters().begin(), net.parameters().end()};
}

TEST(Net, ThreadsChangeNoBitOfATraining) {
  const std::vector<float> one = trained(1);
  for (const float x : one) ASSERT_TRUE(std::isfinite(x));
  EXPECT_EQ(one, trained(2));
  EXPECT_EQ(one, trained(5));
}

TEST(Net, LearnsAFunction) {
  constexpr std::size_t kRows = 256;
  ThreadPool pool(2);
  Net net(layers(dense(2, 32, {.activation = kTanh}), dense(32, 1)), 1, pool);
  Workspace workspace(net, kRows);
  Optimizer optimizer(Adam{}, net.parameters().size());
  std::vector<float> x = normal_floats(kRows * 2, 2), target(kRows), gradient(net.parameters().size());
  for (std::size_t r = 0; r < kRows; ++r) target[r] = x[2 * r] * x[2 * r + 1];
  std::vector<double> losses(kRows);
  double first = 0.0, last = 0.0;
  for (int step = 0; step < 500; ++step) {
    net.forward({x.data(), kRows, 2}, workspace, pool);
    last = squared_error(workspace.output(), {target.data(), kRows, 1}, 1.0 / kRows,
                         {workspace.output_gradient(), losses}, pool);
    if (step == 0) first = last;
    net.backward(workspace, gradient, pool);
    optimizer.step(1e-2, gradient, net.parameters(), pool);
  }
  EXPECT_LT(last, 0.02 * first);
}

TEST(Net, EvaluationTakesEachRowByItselfToTheBit) {
  ThreadPool pool(2);
  Net net(generator(), 1, pool);
  constexpr std::size_t kRows = 230;
  Workspace workspace(net, kRows);
  const std::vector<float> x = normal_floats(kRows * 16, 2);
  net.forward({x.data(), kRows, 16}, workspace, pool);  // running statistics that are not the initial ones
  const MatrixView<const float> y = net.evaluate({x.data(), kRows, 16}, workspace, pool);
  const std::vector<float> all(y.data, y.data + kRows * 300);
  for (const std::size_t row : {0, 1, 100, 191, 229}) {
    const MatrixView<const float> one = net.evaluate({x.data() + row * 16, 1, 16}, workspace, pool);
    EXPECT_TRUE(std::ranges::equal(one.row(0), std::span(all).subspan(row * 300, 300)));
  }
}

TEST(Net, OnlyTrainingMovesTheRunningStatistics) {
  ThreadPool pool(1);
  Net net(generator(), 1, pool);
  Workspace workspace(net, 10);
  const std::vector<float> x = normal_floats(160, 2), before(net.state().begin(), net.state().end());
  net.evaluate({x.data(), 10, 16}, workspace, pool);
  EXPECT_TRUE(std::ranges::equal(before, net.state()));
  net.forward({x.data(), 10, 16}, workspace, pool);
  EXPECT_FALSE(std::ranges::equal(before, net.state()));
}

TEST(Net, ParametersOfALayerAreWhereTheLayerIs) {
  ThreadPool pool(1);
  Net net(generator(), 1, pool);
  EXPECT_EQ(net.parameters_of(0).size(), 16U * 200 + 200);
  EXPECT_EQ(net.parameters_of(1).data(), net.parameters().data() + 16 * 200 + 200);
  EXPECT_EQ(net.parameters_of(3).size(), 0U);
  // A shift of the last dense layer shows in the result: a bias can be set from what has been released.
  std::ranges::fill(net.parameters_of(2), 0.0F);
  net.parameters_of(2).last(300)[0] = 50.0F;
  Workspace workspace(net, 2);
  const std::vector<float> x = normal_floats(32, 2);
  EXPECT_NEAR(net.forward({x.data(), 2, 16}, workspace, pool).row(1)[0], 1.0F, 1e-6F);
}

TEST(Net, MisuseIsSeen) {
  ThreadPool pool(1);
  EXPECT_THROW(Net({}, 1, pool), Error);
  EXPECT_THROW(Net(layers(dense(2, 3), dense(2, 3)), 1, pool), Error);
  EXPECT_THROW(residual(layers(dense(2, 3))), Error);
  Net net(layers(dense(2, 3)), 1, pool), other(layers(dense(3, 3)), 1, pool);
  Workspace workspace(net, 4);
  const std::vector<float> x(15);
  std::vector<float> gradient(9), short_gradient(8);
  std::vector<double> norms(4);
  EXPECT_THROW(net.backward(workspace, gradient, pool), Error) << "nothing went forward";
  EXPECT_THROW(net.forward({x.data(), 5, 2}, workspace, pool), Error) << "too many rows";
  EXPECT_THROW(net.forward({x.data(), 4, 3}, workspace, pool), Error) << "too many columns";
  EXPECT_THROW(other.forward({x.data(), 4, 3}, workspace, pool), Error) << "a workspace of another net";
  net.forward({x.data(), 4, 2}, workspace, pool);
  EXPECT_THROW(net.backward(workspace, short_gradient, pool), Error);
  EXPECT_THROW(net.squared_norms(workspace, 1, norms, pool), Error) << "nothing went backward";
  net.backward(workspace, gradient, pool);
  EXPECT_THROW(net.backward(workspace, gradient, pool), Error) << "the output's gradient is spoilt";
  EXPECT_THROW(net.squared_norms(workspace, 3, norms, pool), Error) << "4 rows are not whole examples";
  Net normed(layers(batch_norm(2)), 1, pool);
  Workspace single(normed, 1);
  EXPECT_THROW(normed.forward({x.data(), 1, 2}, single, pool), Error) << "the variance of one row";
}

}  // namespace
}  // namespace sosia::nn
