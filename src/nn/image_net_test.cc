// SPDX-License-Identifier: Apache-2.0
// Nets of images as a whole; their derivatives are in gradient_test.cc, per_example_test.cc and golden_test.cc.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <sosia/error.h>

#include "nn/image_generator.h"
#include "nn/loss.h"
#include "nn/optimizer.h"
#include "nn/test_support.h"

namespace sosia::nn {
namespace {

std::vector<float> result_of(std::vector<LayerPtr> all, const std::vector<float>& x) {
  ThreadPool pool(1);
  const Net net(std::move(all), 1, pool);
  Workspace workspace(net, 1);
  const MatrixView<const float> y = net.evaluate({x.data(), 1, x.size()}, workspace, pool);
  return {y.data, y.data + y.cols};
}

TEST(Resize, PutsPixelsWhereTheyBelong) {
  using Floats = std::vector<float>;
  const Floats two = {1, 2, 3, 4};  // two planes of one row
  EXPECT_EQ(result_of(layers(resize({2, 1, 2}, 4, 2, Resize::nearest)), two),
            (Floats{1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4}));
  EXPECT_EQ(result_of(layers(resize({2, 1, 2}, 5, 1, Resize::linear)), two),
            (Floats{1, 1.25, 1.5, 1.75, 2, 3, 3.25, 3.5, 3.75, 4}));
  EXPECT_EQ(result_of(layers(resize({4, 1, 1}, 1, 3, Resize::linear)), two), (Floats{1, 1, 1}));
  EXPECT_EQ(result_of(layers(resize({2, 2, 1}, 2, 2, Resize::linear)), two), two);
}

TEST(Pooling, TakesSquares) {
  using Floats = std::vector<float>;
  const Floats x = {1, 2, 5, 0, 3, 4, -1, 8};  // one plane of two rows
  EXPECT_EQ(result_of(layers(pooling({4, 2, 1}, 2, Pooling::max)), x), (Floats{4, 8}));
  EXPECT_EQ(result_of(layers(pooling({4, 2, 1}, 2, Pooling::mean)), x), (Floats{2.5, 3}));
  EXPECT_EQ(result_of(layers(pooling({2, 2, 2}, 2, Pooling::max)), x), (Floats{5, 8}));
}

TEST(ImageLayers, MisuseIsSeen) {
  EXPECT_THROW(convolution({3, 3, 1}, 1, {.side = 2}), Error);
  EXPECT_THROW(convolution({3, 3, 1}, 0), Error);
  EXPECT_THROW(pooling({3, 4, 1}, 2, Pooling::max), Error);
  EXPECT_THROW(resize({3, 3, 1}, 0, 1, Resize::nearest), Error);
  EXPECT_THROW(residual(layers(dense(2, 3)), layers(dense(2, 2))), Error);
  EXPECT_THROW(convolutional_generator(5, {8, 8, 1}, {.planes = {}}), Error);
  ThreadPool pool(1);
  Net net(layers(channel_norm({1, 1, 2})), 1, pool);
  Workspace workspace(net, 1);
  const std::vector<float> x(2);
  EXPECT_THROW(net.forward({x.data(), 1, 2}, workspace, pool), Error) << "the variance of one number";
}

TEST(ImageGenerator, GivesImagesOfAnyShape) {
  ThreadPool pool(1);
  for (const ImageShape& shape : {ImageShape{28, 28, 1}, {16, 16, 1}, {32, 32, 3}, {13, 9, 3}, {1, 1, 1}}) {
    for (const bool is_residual : {false, true}) {
      Net net(is_residual ? residual_generator(5, shape, {.planes = {6, 4}}) : convolutional_generator(5, shape), 1,
              pool);
      ASSERT_EQ(net.outputs(), shape.values());
      Workspace workspace(net, 3);
      const std::vector<float> codes = normal_floats(15, 2);
      const MatrixView<const float> y = net.forward({codes.data(), 3, 5}, workspace, pool);
      for (const float pixel : std::span(y.data, 3 * y.cols)) ASSERT_TRUE(pixel > 0.0F && pixel < 1.0F);
    }
  }
}

struct Trained {
  double first = 0.0, last = 0.0;
  std::vector<float> parameters, state;
};

/// Two images, from a code of one number each with a little noise.
Trained train(std::vector<LayerPtr> all, int threads) {
  constexpr std::size_t kRows = 40, kPixels = 64;
  ThreadPool pool(threads);
  Net net(std::move(all), 1, pool);
  Workspace workspace(net, kRows);
  Optimizer optimizer(Adam{}, net.parameters().size());
  std::vector<float> codes = normal_floats(kRows, 2, 0.1), target(kRows * kPixels), gradient(net.parameters().size());
  for (std::size_t r = 0; r < kRows; ++r) {
    codes[r] += r % 2 == 0 ? 1.0F : -1.0F;
    for (std::size_t i = 0; i < kPixels; ++i) {
      const bool is_on = r % 2 == 0 ? i % 8 == 3 : i / 8 == 4;  // an upright stroke, or a level one
      target[r * kPixels + i] = is_on ? 1.0F : 0.0F;
    }
  }
  std::vector<double> losses(kRows);
  Trained trained;
  for (int step = 0; step < 150; ++step) {
    net.forward({codes.data(), kRows, 1}, workspace, pool);
    trained.last = squared_error(workspace.output(), {target.data(), kRows, kPixels}, 1.0 / kRows,
                                 {workspace.output_gradient(), losses}, pool);
    if (step == 0) trained.first = trained.last;
    net.backward(workspace, gradient, pool);
    optimizer.step(1e-2, gradient, net.parameters(), pool);
  }
  trained.parameters.assign(net.parameters().begin(), net.parameters().end());
  trained.state.assign(net.state().begin(), net.state().end());
  return trained;
}

TEST(ImageGenerator, LearnsAndThreadsChangeNoBit) {
  const auto make = [](bool is_residual) {
    return is_residual ? residual_generator(1, {8, 8, 1}, {.planes = {6, 4}})
                       : convolutional_generator(1, {8, 8, 1}, {.hidden = 30, .planes = {6, 4}});
  };
  for (const bool is_residual : {false, true}) {
    const Trained one = train(make(is_residual), 1), several = train(make(is_residual), 3);
    EXPECT_LT(one.last, 0.05 * one.first);
    EXPECT_EQ(one.parameters, several.parameters);
    EXPECT_EQ(one.state, several.state);
  }
}

// Rows of a batch may lie apart.
TEST(ImageLayers, TakeRowsWithGaps) {
  constexpr std::size_t kRows = 5, kWidth = 24, kStride = 31;
  ThreadPool threads(2);
  for (int kind = 0; kind < 4; ++kind) {
    const auto make = [&] {
      if (kind == 0) return layers(convolution({4, 3, 2}, 3));
      if (kind == 1) return layers(channel_norm({4, 3, 2}));
      return layers(kind == 2 ? resize({4, 3, 2}, 5, 4, Resize::linear) : pooling({4, 6, 1}, 2, Pooling::max));
    };
    const auto run = [&](const std::vector<float>& x, std::size_t stride) {
      Net net(make(), 1, threads);
      Workspace workspace(net, kRows);
      const MatrixView<const float> y = net.forward({x.data(), kRows, kWidth, stride}, workspace, threads);
      return std::vector<float>(y.data, y.data + kRows * y.cols);
    };
    const std::vector<float> x = normal_floats(kRows * kWidth, 2);
    std::vector<float> apart(kRows * kStride, 99.0F);
    for (std::size_t r = 0; r < kRows; ++r) std::copy_n(x.data() + r * kWidth, kWidth, apart.data() + r * kStride);
    EXPECT_EQ(run(x, kWidth), run(apart, kStride));
  }
}

// Limits: 5 standard errors of a mean of squares, a false alarm rate of 6e-7 each (and the seed is fixed).
TEST(Init, FiltersHaveTheirVariance) {
  ThreadPool pool(1);
  constexpr std::size_t kTaps = 20 * 9, kBack = 30 * 9;
  constexpr double kCount = 30 * kTaps;
  for (const Init init : {Init::kaiming, Init::xavier}) {
    Net net(layers(convolution({2, 2, 20}, 30, {.init = init})), 7, pool);
    double square = 0.0;
    for (const float w : net.parameters().first(30 * kTaps)) square += double{w} * w / kCount;
    const double expected = init == Init::kaiming ? 2.0 / kTaps : 2.0 / (kTaps + kBack);
    EXPECT_NEAR(square / expected, 1.0, 5 * std::sqrt((init == Init::kaiming ? 2.0 : 0.8) / kCount));
    for (const float b : net.parameters().last(30)) ASSERT_EQ(b, 0.0F);
  }
}

}  // namespace
}  // namespace sosia::nn
