// SPDX-License-Identifier: Apache-2.0
// Nets against PyTorch: results, losses, gradients and steps of optimisers (tools/make_golden_tensors.py).
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "nn/loss.h"
#include "nn/net.h"
#include "nn/optimizer.h"

namespace sosia::nn {
namespace {

using nlohmann::json;
using Floats = std::vector<float>;

simd::Activation activation_named(const std::string& name) {
  using Kind = simd::ActivationKind;
  const std::map<std::string, Kind> kinds = {{"identity", Kind::identity},
                                             {"relu", Kind::relu},
                                             {"leaky_relu", Kind::leaky_relu},
                                             {"tanh", Kind::tanh},
                                             {"sigmoid", Kind::sigmoid}};
  return {.kind = kinds.at(name), .leak = 0.2F};
}

HeadKind head_named(const std::string& name) {
  const std::map<std::string, HeadKind> kinds = {{"softmax", HeadKind::softmax},
                                                 {"sigmoid", HeadKind::sigmoid},
                                                 {"tanh", HeadKind::tanh},
                                                 {"linear", HeadKind::linear}};
  return kinds.at(name);
}

ImageShape shape_from(const json& spec) {
  const json& shape = spec.at("shape");  // channels, height, width, as in PyTorch
  return {shape.at(2), shape.at(1), shape.at(0)};
}

/// Nothing if the layer is not one of images.
LayerPtr image_layer_from(const json& spec) {
  const std::string type = spec.at("type");
  if (type == "convolution") {
    return convolution(shape_from(spec), spec.at("channels"),
                       {.side = spec.at("side"), .activation = activation_named(spec.at("activation"))});
  }
  if (type == "channel_norm") {
    return channel_norm(shape_from(spec), {.activation = activation_named(spec.at("activation"))});
  }
  if (type == "resize") {
    return resize(shape_from(spec), spec.at("width"), spec.at("height"),
                  spec.at("how") == "linear" ? Resize::linear : Resize::nearest);
  }
  if (type == "pool")
    return pooling(shape_from(spec), spec.at("side"), spec.at("how") == "max" ? Pooling::max : Pooling::mean);
  return nullptr;
}

std::vector<LayerPtr> layers_from(const json& specs) {
  std::vector<LayerPtr> layers;
  for (const json& spec : specs) {
    const std::string type = spec.at("type");
    if (LayerPtr layer = image_layer_from(spec)) {
      layers.push_back(std::move(layer));
    } else if (type == "dense") {
      layers.push_back(
          dense(spec.at("inputs"), spec.at("outputs"), {.activation = activation_named(spec.at("activation"))}));
    } else if (type == "batch_norm") {
      layers.push_back(batch_norm(spec.at("width"), {.activation = activation_named(spec.at("activation"))}));
    } else if (type == "activation") {
      layers.push_back(activation(spec.at("width"), activation_named(spec.at("activation"))));
    } else if (type == "residual" && spec.contains("bypass")) {
      layers.push_back(residual(layers_from(spec.at("layers")), layers_from(spec.at("bypass"))));
    } else if (type == "residual") {
      layers.push_back(residual(layers_from(spec.at("layers"))));
    } else if (type == "beside") {
      layers.push_back(beside(layers_from(spec.at("layers")), spec.at("passed")));
    } else if (type == "drawn_codes") {
      layers.push_back(drawn_codes(spec.at("width")));
    } else {
      std::vector<HeadBlock> blocks;
      for (const json& block : spec.at("blocks")) blocks.push_back({head_named(block.at(0)), block.at(1)});
      layers.push_back(head(blocks));
    }
  }
  return layers;
}

OptimizerOptions optimizer_named(const std::string& name) {
  const std::map<std::string, OptimizerOptions> all = {
      {"sgd", Sgd{}}, {"momentum", Sgd{.momentum = 0.9}}, {"adam", Adam{}}, {"rmsprop", RmsProp{}}};
  return all.at(name);
}

// PyTorch computed in double: what is left are our own roundings, a few in a row of operations.
void expect_close(std::span<const float> got, const json& expected, const char* what, double absolute = 1e-9) {
  const auto numbers = expected.get<std::vector<double>>();
  ASSERT_EQ(got.size(), numbers.size()) << what;
  double largest = 0.0;
  for (const double x : numbers) largest = std::max(largest, std::abs(x));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    EXPECT_NEAR(got[i], numbers[i], 2e-6 * std::abs(numbers[i]) + 1e-6 * largest + absolute) << what << " " << i;
  }
}

double loss_of(const json& c, MatrixView<const float> y, MatrixView<const float> target, LossOutput out,
               ThreadPool& pool) {
  const double weight = 1.0 / static_cast<double>(y.rows);
  const std::vector<std::uint32_t> widths = {3, 2};
  if (c.at("loss") == "logistic_loss") return logistic_loss(y, target, weight, out, pool);
  if (c.at("loss") == "cross_entropy") return cross_entropy(y, widths, target, weight, out, pool);
  return squared_error(y, target, weight, out, pool);
}

void check(const json& c, double rate) {
  SCOPED_TRACE(c.at("name"));
  ThreadPool pool(2);
  const std::size_t rows = c.at("rows"), inputs = c.at("inputs");
  Net net(layers_from(c.at("layers")), 1, pool);
  const auto parameters = c.at("parameters").get<Floats>(), x = c.at("x").get<Floats>(),
             target = c.at("target").get<Floats>();
  ASSERT_EQ(parameters.size(), net.parameters().size());
  std::ranges::copy(parameters, net.parameters().begin());

  Workspace workspace(net, rows, true);
  Floats gradient(parameters.size());
  std::vector<double> row_losses(rows);
  const MatrixView<const float> batch(x.data(), rows, inputs);
  const auto pass = [&] {
    const MatrixView<const float> y = net.forward(batch, workspace, pool);
    return loss_of(c, y, {target.data(), rows, y.cols}, {workspace.output_gradient(), row_losses}, pool);
  };
  const double loss = pass();
  EXPECT_NEAR(loss, c.at("loss_value"), 1e-6 * std::abs(loss));
  expect_close({workspace.output().data, rows * net.outputs()}, c.at("y"), "y");
  net.backward(workspace, gradient, pool);
  expect_close(gradient, c.at("gradient"), "gradient");
  expect_close({workspace.input_gradient().data, rows * inputs}, c.at("input_gradient"), "input gradient");
  expect_close(net.state(), c.at("state"), "state");
  const MatrixView<const float> evaluated = net.evaluate(batch, workspace, pool);
  expect_close({evaluated.data, rows * net.outputs()}, c.at("evaluated"), "evaluated");

  if (!c.contains("optimizer")) return;
  Optimizer optimizer(optimizer_named(c.at("optimizer")), parameters.size());
  for (const json& after : c.at("steps")) {
    pass();
    net.backward(workspace, gradient, pool);
    optimizer.step(rate, gradient, net.parameters(), pool);
    // Adam and RMSProp divide a gradient by its own size, so that roundings of small ones count in full: 2e-4 of a
    // step.
    expect_close(net.parameters(), after, "parameters after a step", 2e-4 * rate);
  }
}

TEST(Golden, NetsAgreeWithPyTorch) {
  std::ifstream file("tests/golden_tensors/nn.json");
  const json golden = json::parse(file);
  ASSERT_GE(golden.at("cases").size(), 20U);
  for (const json& c : golden.at("cases")) check(c, golden.at("rate"));
}

}  // namespace
}  // namespace sosia::nn
