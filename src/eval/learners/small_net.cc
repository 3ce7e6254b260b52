// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <utility>

#include "eval/learners/learner.h"
#include "eval/rows.h"
#include "nn/layers.h"
#include "nn/loss.h"
#include "nn/net.h"
#include "nn/optimizer.h"

namespace sosia::eval {

namespace {

constexpr std::size_t kHidden = 64, kBatch = 128, kBlock = 1024;
constexpr std::size_t kPasses = 20;
constexpr std::size_t kFirstPlanes = 16, kSecondPlanes = 32, kImagePasses = 6, kImageSteps = 100;
constexpr double kRate = 1e-3;
constexpr simd::Activation kRelu{.kind = simd::ActivationKind::relu};

using Layers = std::vector<nn::LayerPtr>;

Layers dense_layers(std::size_t inputs, std::size_t classes) {
  Layers list;
  list.push_back(nn::dense(inputs, kHidden, {.activation = kRelu}));
  list.push_back(nn::dense(kHidden, classes, {.init = nn::Init::xavier}));
  return list;
}

/// Images whose sides are no multiples of 4 are stretched first.
Layers image_layers(const ImageShape& shape, std::size_t classes) {
  const auto rounded = [](std::size_t side) { return (side + 3) / 4 * 4; };
  ImageShape at{rounded(shape.width), rounded(shape.height), shape.channels};
  Layers list;
  if (!(at == shape)) list.push_back(nn::resize(shape, at.width, at.height, nn::Resize::linear));
  for (const std::size_t planes : {kFirstPlanes, kSecondPlanes}) {
    list.push_back(nn::convolution(at, planes, {.activation = kRelu}));
    at.channels = planes;
    list.push_back(nn::pooling(at, 2, nn::Pooling::max));
    at = {at.width / 2, at.height / 2, planes};
  }
  list.push_back(nn::dense(at.values(), classes, {.init = nn::Init::xavier}));
  return list;
}

class NetLearner : public Learner {
 public:
  using MakeLayers = std::function<Layers(std::size_t inputs, std::size_t classes)>;
  /// Passes over the examples, and more of them until there are so many steps.
  NetLearner(MakeLayers layers, std::size_t passes, std::size_t least_steps, std::uint64_t seed)
      : layers_(std::move(layers)), passes_(passes), least_steps_(least_steps), seed_(seed) {}

  void fit(const Examples& examples, ThreadPool& pool) override {
    const std::size_t rows = examples.x.rows, batch = std::min(kBatch, rows);
    net_ = std::make_unique<nn::Net>(layers_(examples.x.cols, examples.classes), seed_, pool);
    nn::Workspace workspace(*net_, batch);
    nn::Optimizer optimizer(nn::Adam{}, net_->parameters().size());
    std::vector<float> gradient(net_->parameters().size()), x(batch * examples.x.cols);
    PublicRng rng(seed_, 1);
    const std::size_t steps = rows / batch, passes = std::max(passes_, (least_steps_ + steps - 1) / steps);
    for (std::size_t pass = 0; pass < passes; ++pass) {
      const std::vector<std::size_t> order = draw_rows(rows, rows, rng);
      for (std::size_t first = 0; first + batch <= rows; first += batch) {
        const std::span<const std::size_t> chosen = std::span(order).subspan(first, batch);
        for (std::size_t i = 0; i < batch; ++i) {
          std::copy_n(examples.x.row(chosen[i]).data(), examples.x.cols, x.data() + i * examples.x.cols);
        }
        net_->forward({x.data(), batch, examples.x.cols}, workspace, pool);
        write_gradient(examples, chosen, workspace, pool);
        net_->backward(workspace, gradient, pool);
        optimizer.step(kRate, gradient, net_->parameters(), pool);
      }
    }
  }

  std::vector<double> scores(MatrixView<const float> x, ThreadPool& pool) const override {
    nn::Workspace workspace(*net_, std::min(kBlock, x.rows));
    std::vector<double> scores;
    scores.reserve(x.rows * net_->outputs());
    for (std::size_t first = 0; first < x.rows; first += kBlock) {
      const MatrixView<const float> block(x.data + first * x.stride, std::min(kBlock, x.rows - first), x.cols,
                                          x.stride);
      const MatrixView<const float> logits = net_->evaluate(block, workspace, pool);
      for (std::size_t i = 0; i < logits.rows; ++i) {
        scores.insert(scores.end(), logits.row(i).begin(), logits.row(i).end());
      }
    }
    return scores;
  }

 private:
  static void write_gradient(const Examples& examples, std::span<const std::size_t> chosen, nn::Workspace& workspace,
                             ThreadPool& pool) {
    const std::size_t rows = chosen.size(), classes = examples.classes;
    std::vector<float> target(rows * classes, 0.0F);
    std::vector<double> losses(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      target[i * classes + examples.labels[chosen[i]]] = static_cast<float>(examples.weight(chosen[i]));
    }
    const auto width = static_cast<std::uint32_t>(classes);
    nn::cross_entropy(workspace.output(), {&width, 1}, {target.data(), rows, classes}, 1.0 / static_cast<double>(rows),
                      {workspace.output_gradient(), losses}, pool);
  }

  MakeLayers layers_;
  std::size_t passes_, least_steps_;
  std::uint64_t seed_;
  std::unique_ptr<nn::Net> net_;
};

}  // namespace

std::unique_ptr<Learner> small_net(std::uint64_t seed) {
  return std::make_unique<NetLearner>(dense_layers, kPasses, 0, seed);
}

std::unique_ptr<Learner> convolutional_net(const ImageShape& shape, std::uint64_t seed) {
  const auto layers = [shape](std::size_t /*inputs*/, std::size_t classes) { return image_layers(shape, classes); };
  return std::make_unique<NetLearner>(layers, kImagePasses, kImageSteps, seed);
}

}  // namespace sosia::eval
