// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "eval/learners/learner.h"
#include "eval/rows.h"
#include "nn/layers.h"
#include "nn/loss.h"
#include "nn/net.h"
#include "nn/optimizer.h"

namespace sosia::eval {

namespace {

constexpr std::size_t kHidden = 64, kBatch = 128, kBlock = 1024;
constexpr int kPasses = 20;
constexpr double kRate = 1e-3;

std::vector<nn::LayerPtr> layers(std::size_t inputs, std::size_t classes) {
  std::vector<nn::LayerPtr> list;
  list.push_back(nn::dense(inputs, kHidden, {.activation = {.kind = simd::ActivationKind::relu}}));
  list.push_back(nn::dense(kHidden, classes, {.init = nn::Init::xavier}));
  return list;
}

class SmallNet : public Learner {
 public:
  explicit SmallNet(std::uint64_t seed) : seed_(seed) {}

  void fit(const Examples& examples, ThreadPool& pool) override {
    const std::size_t rows = examples.x.rows, batch = std::min(kBatch, rows);
    net_ = std::make_unique<nn::Net>(layers(examples.x.cols, examples.classes), seed_, pool);
    nn::Workspace workspace(*net_, batch);
    nn::Optimizer optimizer(nn::Adam{}, net_->parameters().size());
    std::vector<float> gradient(net_->parameters().size()), x(batch * examples.x.cols);
    PublicRng rng(seed_, 1);
    for (int pass = 0; pass < kPasses; ++pass) {
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

  std::uint64_t seed_;
  std::unique_ptr<nn::Net> net_;
};

}  // namespace

std::unique_ptr<Learner> small_net(std::uint64_t seed) { return std::make_unique<SmallNet>(seed); }

}  // namespace sosia::eval
