// SPDX-License-Identifier: Apache-2.0
// Every gradient against central differences of a random linear function of the result.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <ostream>

#include "nn/test_support.h"

namespace sosia::nn {
namespace {

struct Case {
  const char* name;
  std::function<std::vector<LayerPtr>()> make;
  bool has_kinks = false;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

const Case kCases[] = {
    {"dense", [] { return layers(dense(5, 4)); }},
    {"dense_relu", [] { return layers(dense(5, 4, {.activation = kRelu}), dense(4, 3)); }, true},
    {"activation_leaky", [] { return layers(dense(5, 4), activation(4, kLeaky), dense(4, 3)); }, true},
    {"dense_tanh", [] { return layers(dense(5, 4, {.activation = kTanh}), dense(4, 3)); }},
    {"dense_sigmoid", [] { return layers(dense(5, 4, {.activation = kSigmoid})); }},
    {"activation", [] { return layers(dense(5, 4), activation(4, kSigmoid), dense(4, 4), activation(4, kTanh)); }},
    {"batch_norm", [] { return layers(dense(5, 6), batch_norm(6), dense(6, 3)); }},
    {"batch_norm_tanh", [] { return layers(batch_norm(5, {.activation = kTanh}), dense(5, 3)); }},
    {"head",
     [] {
       return layers(
           dense(5, 9),
           head({{HeadKind::softmax, 4}, {HeadKind::sigmoid, 2}, {HeadKind::softmax, 2}, {HeadKind::linear, 1}}));
     }},
    {"residual",
     [] {
       return layers(residual(layers(dense(5, 7, {.activation = kTanh}), dense(7, 5, {.activation = kTanh}))),
                     dense(5, 2));
     }},
    {"residual_in_residual",
     [] {
       return layers(
           residual(layers(dense(5, 5, {.activation = kTanh}), residual(layers(batch_norm(5), dense(5, 5))))));
     }},
    {"beside", [] { return layers(beside(layers(dense(3, 4, {.activation = kTanh}), dense(4, 2)), 2), dense(4, 3)); }},
    {"drawn_codes",
     [] { return layers(beside(layers(dense(3, 4)), 2), drawn_codes(2), beside(layers(dense(2, 3)), 4)); }},
};

const Case kImageCases[] = {
    {"convolution", [] { return layers(convolution({4, 3, 2}, 3), dense(36, 4)); }},
    {"convolution_tanh",
     [] { return layers(convolution({3, 4, 1}, 2, {.side = 5, .activation = kTanh}), convolution({3, 4, 2}, 1)); }},
    {"convolution_of_pixels", [] { return layers(convolution({3, 2, 2}, 3, {.side = 1})); }},
    {"channel_norm", [] { return layers(convolution({3, 2, 1}, 2), channel_norm({3, 2, 2}), dense(12, 3)); }},
    {"channel_norm_tanh", [] { return layers(channel_norm({3, 2, 2}, {.activation = kTanh}), dense(12, 3)); }},
    {"resize_linear", [] { return layers(resize({3, 2, 2}, 7, 4, Resize::linear), dense(56, 3)); }},
    {"resize_nearest", [] { return layers(resize({3, 2, 2}, 4, 6, Resize::nearest), dense(48, 3)); }},
    {"pool_mean", [] { return layers(pooling({4, 6, 2}, 2, Pooling::mean), dense(12, 3)); }},
    {"pool_max", [] { return layers(pooling({4, 6, 2}, 2, Pooling::max), dense(12, 3)); }, true},
    {"bypass",
     [] {
       return layers(residual(layers(channel_norm({3, 2, 2}), convolution({3, 2, 2}, 3, {.activation = kTanh})),
                              layers(convolution({3, 2, 2}, 3, {.side = 1}))),
                     dense(18, 2));
     }},
};

class GradientTest : public testing::TestWithParam<Case> {};

// Steps of 1/128. Rounding of the function in floats: below 1e-6 of a sum of about 10, over two steps, 1e-3; curvature
// adds less. Nets with kinks are straight lines between them: where a kink lies within a step, the two halves of the
// difference disagree and the number is left out. (Batch norm with relu, curved and with kinks, is in golden_test.cc.)
TEST_P(GradientTest, AgreesWithDifferences) {
  constexpr std::size_t kRows = 6;
  constexpr double kStep = 0x1p-7, kTolerance = 2e-3;
  ThreadPool pool(1);
  Net net(GetParam().make(), 3, pool);
  perturb(net, 4);
  std::vector<float> x = normal_floats(kRows * net.inputs(), 5);
  const std::vector<float> direction = normal_floats(kRows * net.outputs(), 6);
  Workspace workspace(net, kRows, true);
  const auto value = [&] {
    const MatrixView<const float> y = net.forward({x.data(), kRows, net.inputs()}, workspace, pool);
    double total = 0.0;
    for (std::size_t i = 0; i < direction.size(); ++i) total += double{direction[i]} * y.data[i];
    return total;
  };
  const double here = value();
  std::ranges::copy(direction, workspace.output_gradient().data);
  std::vector<float> gradient(net.parameters().size());
  net.backward(workspace, gradient, pool);
  const std::vector<float> by_input(workspace.input_gradient().data, workspace.input_gradient().data + x.size());

  std::size_t kinks = 0, checked = 0;
  const auto check = [&](float& number, float derivative) {
    const float before = number;
    number = before + static_cast<float>(kStep);
    const double above = (value() - here) / kStep;
    number = before - static_cast<float>(kStep);
    const double below = (here - value()) / kStep;
    number = before;
    ++checked;
    const double tolerance = kTolerance * (1.0 + std::abs(derivative));
    if (GetParam().has_kinks && std::abs(above - below) > 2.0 * tolerance) {
      ++kinks;
    } else {
      EXPECT_NEAR(derivative, (above + below) / 2.0, tolerance);
    }
  };
  for (std::size_t i = 0; i < gradient.size(); ++i) check(net.parameters()[i], gradient[i]);
  for (std::size_t i = 0; i < x.size(); ++i) check(x[i], by_input[i]);
  EXPECT_LE(kinks, checked / 4);
}

INSTANTIATE_TEST_SUITE_P(Layers, GradientTest, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(Images, GradientTest, testing::ValuesIn(kImageCases),
                         [](const auto& test) { return std::string(test.param.name); });

// In evaluation the running statistics are constants.
TEST(Gradient, OfBatchNormInEvaluation) {
  ThreadPool pool(1);
  Net net(layers(batch_norm(1)), 1, pool);
  net.parameters()[0] = 3.0F;
  net.state()[0] = 1.0F;
  net.state()[1] = 4.0F - 1e-5F;
  Workspace workspace(net, 2, true);
  const std::vector<float> x = {5.0F, -1.0F};
  const MatrixView<const float> y = net.evaluate({x.data(), 2, 1}, workspace, pool);
  EXPECT_NEAR(y.data[0], 6.0F, 1e-5F);
  EXPECT_NEAR(y.data[1], -3.0F, 1e-5F);
  std::ranges::copy(std::vector<float>{1.0F, 10.0F}, workspace.output_gradient().data);
  std::vector<float> gradient(2);
  net.backward(workspace, gradient, pool);
  EXPECT_NEAR(workspace.input_gradient().data[0], 1.5F, 1e-5F);
  EXPECT_NEAR(workspace.input_gradient().data[1], 15.0F, 1e-4F);
  EXPECT_NEAR(gradient[0], 2.0F - 10.0F, 1e-4F);
  EXPECT_NEAR(gradient[1], 11.0F, 1e-4F);
}

}  // namespace
}  // namespace sosia::nn
