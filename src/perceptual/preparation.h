// SPDX-License-Identifier: Apache-2.0
// Images of any size and colours, brought to those that a feature net takes.
#pragma once

#include <vector>

#include "base/matrix.h"
#include "perceptual/feature_net.h"

namespace sosia {

/// Another size by linear interpolation, where the sizes differ; then other colours, centred and scaled, where that is
/// asked for: grey is spread to all colours, colours are mixed to grey evenly. May be none. Parameters: those of all of
/// these layers.
std::vector<nn::LayerPtr> preparing_layers(const FeatureNet& net, const ImageShape& shape);
std::vector<float> preparing_parameters(const FeatureNet& net, const ImageShape& shape);

/// The same for images, a row each.
void prepare_images(const FeatureNet& net, const ImageShape& shape, MatrixView<const float> images,
                    MatrixView<float> prepared);

}  // namespace sosia
