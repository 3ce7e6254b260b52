// SPDX-License-Identifier: Apache-2.0
#include "perceptual/train_features.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "perceptual/trainable_net.h"
#include "random/public_rng.h"

namespace sosia {
namespace {

/// Bars of light, upright in one class and lying in the other.
struct Bars {
  static constexpr std::size_t kCount = 240, kSide = 8;
  Bars() : pixels(kCount * kSide * kSide), classes(kCount) {
    PublicRng rng(11);
    for (std::size_t i = 0; i < kCount; ++i) {
      classes[i] = static_cast<std::uint32_t>(i % 2);
      const std::size_t at = 2 + rng.next_u32() % 4;
      for (std::size_t p = 0; p < kSide * kSide; ++p) {
        const bool is_bar = (classes[i] == 0 ? p % kSide : p / kSide) == at;
        pixels[i * kSide * kSide + p] = static_cast<float>((is_bar ? 0.7 : 0.0) + 0.3 * rng.uniform());
      }
    }
  }
  LabelledImages view() const { return {{pixels.data(), kCount, kSide * kSide}, classes, 2}; }
  std::vector<float> pixels;
  std::vector<std::uint32_t> classes;
};

TrainedFeatures trained_on(const Bars& bars, int threads, int stop_after = 1 << 20, bool is_residual = false) {
  ThreadPool pool(threads);
  const FeatureTrainingOptions options{
      .planes = {4, 6}, .residual = is_residual, .epochs = 12, .batch = 20, .rate = 0.01, .held_out = 0.25};
  return train_feature_net({Bars::kSide, Bars::kSide, 1}, bars.view(), options, pool,
                           [&](int step, int, double) { return step < stop_after; });
}

TEST(TrainFeatures, LearnsToTellClassesApartOnImagesHeldOut) {
  const Bars bars;
  for (const bool is_residual : {false, true}) {
    const TrainedFeatures out = trained_on(bars, 2, 1 << 20, is_residual);
    EXPECT_EQ(out.trained, 180);
    EXPECT_EQ(out.held_out, 60);
    EXPECT_GT(out.accuracy, 0.95);  // by chance alone one half: the seed is fixed, so this is the same every time
    EXPECT_EQ(out.net.parameters.size(), parameter_count(out.net, "x"));
    EXPECT_EQ(feature_count(out.net, "x"), 4U * 64 + 6U * 16);
  }
}

TEST(TrainFeatures, GivesTheSameNetFromAnyNumberOfThreads) {
  const Bars bars;
  EXPECT_EQ(trained_on(bars, 1, 9).net, trained_on(bars, 3, 9).net);
}

TEST(TrainFeatures, FoldsBatchNormIntoConvolutions) {
  // The finished net, with a classifier's last layers put back, tells what the net in training told.
  for (const bool is_residual : {false, true}) {
    const Bars bars;
    const ImageShape shape{Bars::kSide, Bars::kSide, 1};
    ThreadPool pool(1);
    FeatureNet net = untrained_net(shape, {4, 6}, is_residual);
    nn::Net trained(training_layers(net, 2), 5, pool);
    nn::Workspace workspace(trained, Bars::kCount);
    for (int i = 0; i < 20; ++i)
      trained.forward(bars.view().images, workspace, pool);  // statistics that are not 0 and 1
    PublicRng rng(3);
    for (float& parameter : trained.parameters()) parameter += static_cast<float>(0.2 * rng.normal());
    fold_norms(trained, net);
    std::vector<nn::LayerPtr> layers;
    const std::vector<ImageShape> shapes = shapes_of(net, "x");
    for (std::size_t i = 0; i < net.layers.size(); ++i) layers.push_back(layer_of(net.layers[i], shapes[i]));
    layers.push_back(nn::pooling(shapes.back(), shapes.back().width, nn::Pooling::mean));
    layers.push_back(nn::dense(6, 2));
    nn::Net folded(std::move(layers), 5, pool);
    std::ranges::copy(net.parameters, folded.parameters().begin());
    std::ranges::copy(trained.parameters().last(14), folded.parameters().last(14).begin());
    nn::Workspace other(folded, Bars::kCount);
    const MatrixView<const float> one = trained.evaluate(bars.view().images, workspace, pool),
                                  two = folded.evaluate(bars.view().images, other, pool);
    for (std::size_t r = 0; r < Bars::kCount; ++r) EXPECT_NEAR(one.row(r)[0], two.row(r)[0], 1e-4);
  }
}

}  // namespace
}  // namespace sosia
