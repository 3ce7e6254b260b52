// SPDX-License-Identifier: Apache-2.0
#include "perceptual/train_features.h"

#include <gtest/gtest.h>

#include <vector>

#include "perceptual/perceptual_map.h"
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

TrainedFeatures trained_on(const Bars& bars, int threads, int stop_after = 1 << 20) {
  ThreadPool pool(threads);
  return train_feature_net({Bars::kSide, Bars::kSide, 1}, bars.view(),
                           {.planes = {4, 6}, .epochs = 12, .batch = 20, .rate = 0.01, .held_out = 0.25}, pool,
                           [&](int step, int, double) { return step < stop_after; });
}

TEST(TrainFeatures, LearnsToTellClassesApartOnImagesHeldOut) {
  const Bars bars;
  const TrainedFeatures out = trained_on(bars, 2);
  EXPECT_EQ(out.trained, 180);
  EXPECT_EQ(out.held_out, 60);
  EXPECT_GT(out.accuracy, 0.95);  // by chance alone one half: the seed is fixed, so this is the same every time
  EXPECT_EQ(out.net.parameters.size(), parameter_count(out.net, "x"));
  EXPECT_EQ(feature_count(out.net, "x"), 4U * 64 + 6U * 16);
}

TEST(TrainFeatures, GivesTheSameNetFromAnyNumberOfThreads) {
  const Bars bars;
  EXPECT_EQ(trained_on(bars, 1, 9).net, trained_on(bars, 3, 9).net);
}

TEST(TrainFeatures, FoldsBatchNormIntoConvolutions) {
  // The last layer of the net is a mean of its features: classes are far apart there if they were for the classifier.
  const Bars bars;
  const auto map = perceptual(trained_on(bars, 2).net, {Bars::kSide, Bars::kSide, 1}, {.moments = 1});
  const auto dim = static_cast<std::size_t>(map->dim()), last = std::size_t{6} * 16;
  std::vector<float> sums(2 * dim);
  ThreadPool pool(1);
  map->sum(bars.view().images, bars.classes, {sums.data(), 2, dim}, pool);
  double gap = 0.0, size = 0.0;
  for (std::size_t j = dim - last; j < dim; ++j) {
    gap += (sums[j] - sums[dim + j]) * (sums[j] - sums[dim + j]);
    size += sums[j] * sums[j];
  }
  EXPECT_GT(gap, 0.5 * size);
}

}  // namespace
}  // namespace sosia
