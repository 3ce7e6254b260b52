// SPDX-License-Identifier: Apache-2.0
// Nets whose results on the way say what is in an image: convolutions with relu, and pools, one after the other, as in
// VGG (Simonyan and Zisserman 2015). Trained on public images, and never changed by private ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <sosia/images.h>

#include "nn/layers.h"

namespace sosia {

/// A convolution that keeps the size, followed by relu, or a pool of squares. There is no batch norm: in a net that is
/// used and not trained it is part of the convolution before it, and a row's features depend on that row alone.
struct FeatureLayer {
  enum class Kind { convolution, mean_pool, max_pool };

  Kind kind = Kind::convolution;
  std::string name = {};     ///< of a convolution: its numbers in the file are NAME.weight and NAME.bias
  std::size_t channels = 0;  ///< that a convolution makes
  std::size_t side = 3;      ///< of the filter, odd; or of the squares
  bool is_read = false;      ///< what it makes is part of the features

  bool operator==(const FeatureLayer& other) const = default;
};

struct FeatureNet {
  ImageShape shape;                               ///< of the images that it takes
  std::vector<double> mean = {}, deviation = {};  ///< of each channel, if images are to be centred and scaled first
  std::vector<FeatureLayer> layers;               ///< up to the last that is read
  std::vector<float> parameters;                  ///< of each convolution the filters, then a bias for each channel

  bool operator==(const FeatureNet& other) const = default;
};

/// The shape before each layer, and after the last. Throws a data error for layers that do not fit each other, a net
/// that is not read, and more numbers in an image or in all parameters than any net needs: it bounds what a file
/// can ask for.
std::vector<ImageShape> shapes_of(const FeatureNet& net, const std::string& where);
/// Numbers in all parameters.
std::size_t parameter_count(const FeatureNet& net, const std::string& where);
/// Numbers that are read of an image.
std::size_t feature_count(const FeatureNet& net, const std::string& where);

/// The layer by itself, for images of this shape.
nn::LayerPtr layer_of(const FeatureLayer& layer, const ImageShape& shape);

}  // namespace sosia
