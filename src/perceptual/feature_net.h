// SPDX-License-Identifier: Apache-2.0
// Nets whose results on the way say what is in an image: convolutions with relu, and pools, one after the other, as in
// VGG (Simonyan and Zisserman 2015), and blocks with a bypass, as in ResNet (He et al. 2016). Trained on public images,
// and never changed by private ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <sosia/images.h>

#include "nn/layers.h"

namespace sosia {

/// A convolution with a border of zeros, followed by relu; a pool of squares; or a residual block: convolutions, the
/// last without relu, then what the block was given is added, and relu follows. So no result is negative. There is no
/// batch norm: in a net that is used and not trained it is part of the convolution before it, and a row's features
/// depend on that row alone.
struct FeatureLayer {
  enum class Kind { convolution, mean_pool, max_pool, residual };

  Kind kind = Kind::convolution;
  std::string name = {};                  ///< of a convolution: its numbers in the file are NAME.weight and NAME.bias
  std::size_t channels = 0;               ///< that a convolution makes
  std::size_t side = 3;                   ///< of the filter, odd; or of the squares
  std::size_t stride = 1;                 ///< of a convolution's results, every so many-th line and column is kept
  bool is_read = false;                   ///< what it makes is part of the features
  std::vector<FeatureLayer> inside = {};  ///< the convolutions of a block
  std::vector<FeatureLayer> bypass = {};  ///< one without relu, for what is added to go through; none: as it is

  bool operator==(const FeatureLayer& other) const = default;
};

struct FeatureNet {
  ImageShape shape;                               ///< of the images that it takes
  std::vector<double> mean = {}, deviation = {};  ///< of each channel, if images are to be centred and scaled first
  std::vector<FeatureLayer> layers;               ///< up to the last that is read
  std::vector<float> parameters;  ///< of each convolution, in the order of convolutions_of, filters, then biases

  bool operator==(const FeatureNet& other) const = default;
};

/// The shape before each layer, and after the last. Throws a data error for layers that do not fit each other, a net
/// that is not read, and more numbers in an image or in all parameters than any net needs: it bounds what a file
/// can ask for.
std::vector<ImageShape> shapes_of(const FeatureNet& net, const std::string& where);
/// All convolutions, those of a block before that of its bypass, with the planes that each takes.
struct Filters {
  const FeatureLayer* layer;
  std::size_t planes;
  std::size_t count() const { return layer->channels * planes * layer->side * layer->side; }
};
std::vector<Filters> convolutions_of(const FeatureNet& net);

/// Numbers in all parameters.
std::size_t parameter_count(const FeatureNet& net, const std::string& where);
/// Numbers that are read of an image.
std::size_t feature_count(const FeatureNet& net, const std::string& where);

/// The layer by itself, for images of this shape.
nn::LayerPtr layer_of(const FeatureLayer& layer, const ImageShape& shape);

/// From a convolution and the shape before it to layers.
using LayersOfConvolution =
    std::function<std::vector<nn::LayerPtr>(const FeatureLayer& convolution, const ImageShape& shape, bool has_relu)>;
/// A layer whose convolutions are made up as the function says.
nn::LayerPtr layer_of(const FeatureLayer& layer, const ImageShape& shape, const LayersOfConvolution& made_up);
/// Every `stride`-th line and column of an image.
nn::LayerPtr thinned(const ImageShape& shape, std::size_t stride);

}  // namespace sosia
