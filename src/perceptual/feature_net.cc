// SPDX-License-Identifier: Apache-2.0
#include "perceptual/feature_net.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include <sosia/error.h>

#include "nn/sequence.h"

namespace sosia {

namespace {

// A VGG-19 at 224 x 224 has 20 million numbers in its convolutions, and 3.2 million in an image on its way.
constexpr std::size_t kMostNumbers = std::size_t{1} << 26, kMostSide = 4096, kMostChannels = 1 << 14, kMostFilter = 31;

[[noreturn]] void refuse(const std::string& where, const std::string& what) {
  throw Error(ErrorKind::data, "the feature net does not fit together: " + what, where,
              "describe the layers as docs/methods/dp_mepf.md says");
}

bool is_size(std::size_t size, std::size_t most) { return size >= 1 && size <= most; }

void check_scaling(const FeatureNet& net, const std::string& where) {
  if (net.mean.size() != net.deviation.size() || (!net.mean.empty() && net.mean.size() != net.shape.channels)) {
    refuse(where, "a mean and a deviation for each channel, or none");
  }
  const auto is_deviation = [](double x) { return std::isfinite(x) && x > 1e-6; };
  if (!std::ranges::all_of(net.mean, [](double x) { return std::isfinite(x); }) ||
      !std::ranges::all_of(net.deviation, is_deviation)) {
    refuse(where, "a mean or a deviation is out of range");
  }
}

ImageShape after_convolution(const FeatureLayer& layer, const ImageShape& at, const std::string& where) {
  if (!is_size(layer.channels, kMostChannels)) refuse(where, "a convolution without channels, or with too many");
  if (!is_size(layer.side, kMostFilter) || layer.side % 2 == 0) refuse(where, "a filter whose side is not odd");
  if (!is_size(layer.stride, kMostSide) || at.width % layer.stride != 0 || at.height % layer.stride != 0) {
    refuse(where, "a stride that does not divide the image");
  }
  // The image has its old size before lines and columns are left out.
  if (at.pixels() * layer.channels > kMostNumbers) refuse(where, "images that grow too large");
  return {at.width / layer.stride, at.height / layer.stride, layer.channels};
}

ImageShape after_convolutions(const std::vector<FeatureLayer>& layers, ImageShape at, const std::string& where) {
  for (const FeatureLayer& layer : layers) {
    if (layer.kind != FeatureLayer::Kind::convolution) refuse(where, "a block of other layers than convolutions");
    at = after_convolution(layer, at, where);
  }
  return at;
}

ImageShape after(const FeatureLayer& layer, const ImageShape& at, const std::string& where) {
  if (layer.kind == FeatureLayer::Kind::convolution) return after_convolution(layer, at, where);
  if (layer.kind == FeatureLayer::Kind::residual) {
    const ImageShape end = after_convolutions(layer.inside, at, where);
    if (layer.inside.empty() || layer.bypass.size() > 1 || after_convolutions(layer.bypass, at, where) != end) {
      refuse(where, "a block whose bypass gives another shape than its convolutions");
    }
    return end;
  }
  if (!is_size(layer.side, kMostSide) || at.width % layer.side != 0 || at.height % layer.side != 0) {
    refuse(where, "squares of a pool that do not fill the image");
  }
  return {at.width / layer.side, at.height / layer.side, at.channels};
}

std::vector<nn::LayerPtr> used_layers(const FeatureLayer& layer, const ImageShape& shape, bool has_relu) {
  using enum simd::ActivationKind;
  std::vector<nn::LayerPtr> layers;
  layers.push_back(
      nn::convolution(shape, layer.channels, {.side = layer.side, .activation = {.kind = has_relu ? relu : identity}}));
  if (layer.stride > 1) layers.push_back(thinned({shape.width, shape.height, layer.channels}, layer.stride));
  return layers;
}

nn::LayerPtr in_one(std::vector<nn::LayerPtr> layers) {
  return layers.size() == 1 ? std::move(layers.front()) : std::make_unique<nn::Sequence>(std::move(layers));
}

/// Convolutions one after the other; relu after the last as is said, after the others always.
std::vector<nn::LayerPtr> row_of(const std::vector<FeatureLayer>& convolutions, ImageShape at,
                                 const LayersOfConvolution& made_up) {
  std::vector<nn::LayerPtr> all;
  for (const FeatureLayer& layer : convolutions) {
    for (nn::LayerPtr& part : made_up(layer, at, &layer != &convolutions.back())) all.push_back(std::move(part));
    at = after_convolution(layer, at, "feature net");
  }
  return all;
}

}  // namespace

std::vector<ImageShape> shapes_of(const FeatureNet& net, const std::string& where) {
  const ImageShape& shape = net.shape;
  if (!is_size(shape.width, kMostSide) || !is_size(shape.height, kMostSide) || !is_size(shape.channels, 3) ||
      shape.channels == 2) {
    refuse(where, "images without a sensible size");
  }
  check_scaling(net, where);
  if (net.layers.empty() || !net.layers.back().is_read) refuse(where, "nothing is read after the last layer");
  std::vector<ImageShape> shapes = {shape};
  for (const FeatureLayer& layer : net.layers) {
    shapes.push_back(after(layer, shapes.back(), where));
    if (shapes.back().values() > kMostNumbers) refuse(where, "images that grow too large");
  }
  return shapes;
}

std::vector<Filters> convolutions_of(const FeatureNet& net) {
  std::vector<Filters> all;
  std::size_t planes = net.shape.channels;
  const auto add = [&](const FeatureLayer& layer, std::size_t taken) {
    all.push_back({&layer, taken});
    return layer.channels;
  };
  for (const FeatureLayer& layer : net.layers) {
    const std::size_t given = planes;
    if (layer.kind == FeatureLayer::Kind::convolution) planes = add(layer, planes);
    for (const FeatureLayer& convolution : layer.inside) planes = add(convolution, planes);
    for (const FeatureLayer& convolution : layer.bypass) add(convolution, given);
  }
  return all;
}

std::size_t parameter_count(const FeatureNet& net, const std::string& where) {
  shapes_of(net, where);
  std::size_t count = 0;
  for (const Filters& filters : convolutions_of(net)) {
    count += filters.count() + filters.layer->channels;
    if (count > kMostNumbers) refuse(where, "too many numbers in its filters");
  }
  return count;
}

std::size_t feature_count(const FeatureNet& net, const std::string& where) {
  const std::vector<ImageShape> shapes = shapes_of(net, where);
  std::size_t count = 0;
  for (std::size_t i = 0; i < net.layers.size(); ++i) {
    if (net.layers[i].is_read) count += shapes[i + 1].values();
  }
  if (count > kMostNumbers) refuse(where, "too many numbers are read");
  return count;
}

nn::LayerPtr thinned(const ImageShape& shape, std::size_t stride) {
  return nn::resize(shape, shape.width / stride, shape.height / stride, nn::Resize::nearest);
}

nn::LayerPtr layer_of(const FeatureLayer& layer, const ImageShape& shape, const LayersOfConvolution& made_up) {
  using Kind = FeatureLayer::Kind;
  if (layer.kind == Kind::convolution) return in_one(made_up(layer, shape, true));
  if (layer.kind != Kind::residual) {
    return nn::pooling(shape, layer.side, layer.kind == Kind::max_pool ? nn::Pooling::max : nn::Pooling::mean);
  }
  std::vector<nn::LayerPtr> inside = row_of(layer.inside, shape, made_up), both;
  both.push_back(layer.bypass.empty() ? nn::residual(std::move(inside))
                                      : nn::residual(std::move(inside), row_of(layer.bypass, shape, made_up)));
  both.push_back(nn::activation(both.front()->outputs(), {.kind = simd::ActivationKind::relu}));
  return in_one(std::move(both));
}

nn::LayerPtr layer_of(const FeatureLayer& layer, const ImageShape& shape) {
  return layer_of(layer, shape, used_layers);
}

}  // namespace sosia
