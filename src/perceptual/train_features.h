// SPDX-License-Identifier: Apache-2.0
// A feature net learned from PUBLIC images. Nothing here is private: whoever holds the net can learn about the images
// that it was trained on.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/matrix.h"
#include "base/thread_pool.h"
#include "perceptual/feature_net.h"

namespace sosia {

struct FeatureTrainingOptions {
  std::vector<std::size_t> planes = {16, 32, 64};  ///< of each stage; images are halved between stages
  bool residual = false;                           ///< whether stages are blocks with a bypass
  int epochs = 8;
  int batch = 100;
  double rate = 2e-3;     ///< of Adam, at the start; it falls to 0 along half a cosine
  double held_out = 0.1;  ///< the share of the images that it is tested on, not trained
  std::uint64_t seed = 1;
};

/// Public images of the net's own shape, a row each, and the class of each.
struct LabelledImages {
  MatrixView<const float> images;
  std::span<const std::uint32_t> classes;
  std::size_t class_count = 0;
};

/// Called after each step with the number of steps so far, of all, and the loss; false ends the training with what
/// there is.
using FeatureTrainingWatch = std::function<bool(int step, int most, double loss)>;

struct TrainedFeatures {
  FeatureNet net;
  double accuracy = 0.0;                   ///< on the images held out
  std::int64_t trained = 0, held_out = 0;  ///< images
  int steps = 0, planned_steps = 0;
};

/// Trains a classifier of two 3 x 3 convolutions a stage with batch norm and relu (trainable_net.h) and a mean over all
/// pixels before the last layer, on images that are moved and zoomed at random; then batch norm is made part of the
/// convolutions, and the last layer is dropped. Images are square, with a side that is halved between stages.
/// The same net from any number of threads.
TrainedFeatures train_feature_net(const ImageShape& shape, const LabelledImages& data,
                                  const FeatureTrainingOptions& options, ThreadPool& threads,
                                  const FeatureTrainingWatch& watch);

}  // namespace sosia
