// SPDX-License-Identifier: Apache-2.0
// A feature net before, in and after its training.
#pragma once

#include <vector>

#include "nn/net.h"
#include "perceptual/feature_net.h"

namespace sosia {

/// The layers of the finished net: for each number of planes a stage of two 3 x 3 convolutions, which is read at its
/// end, and half the size from stage to stage. Plain: one after the other, with max pools between stages. Residual: one
/// more convolution first, then a block for each stage, whose first convolution has a stride.
FeatureNet untrained_net(const ImageShape& shape, const std::vector<std::size_t>& planes, bool is_residual);

/// The same in training: batch norm after every convolution, and a classifier at the end.
std::vector<nn::LayerPtr> training_layers(const FeatureNet& net, std::size_t classes);

/// Gives the net filters and biases that do what convolution and batch norm did together.
void fold_norms(const nn::Net& trained, FeatureNet& net);

}  // namespace sosia
