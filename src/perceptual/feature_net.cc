// SPDX-License-Identifier: Apache-2.0
#include "perceptual/feature_net.h"

#include <algorithm>
#include <cmath>

#include <sosia/error.h>

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

ImageShape after(const FeatureLayer& layer, const ImageShape& at, const std::string& where) {
  if (layer.kind == FeatureLayer::Kind::convolution) {
    if (!is_size(layer.channels, kMostChannels)) refuse(where, "a convolution without channels, or with too many");
    if (!is_size(layer.side, kMostFilter) || layer.side % 2 == 0) refuse(where, "a filter whose side is not odd");
    return {at.width, at.height, layer.channels};
  }
  if (!is_size(layer.side, kMostSide) || at.width % layer.side != 0 || at.height % layer.side != 0) {
    refuse(where, "squares of a pool that do not fill the image");
  }
  return {at.width / layer.side, at.height / layer.side, at.channels};
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

std::size_t parameter_count(const FeatureNet& net, const std::string& where) {
  const std::vector<ImageShape> shapes = shapes_of(net, where);
  std::size_t count = 0;
  for (std::size_t i = 0; i < net.layers.size(); ++i) {
    const FeatureLayer& layer = net.layers[i];
    if (layer.kind != FeatureLayer::Kind::convolution) continue;
    count += layer.channels * (shapes[i].channels * layer.side * layer.side + 1);
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

nn::LayerPtr layer_of(const FeatureLayer& layer, const ImageShape& shape) {
  using Kind = FeatureLayer::Kind;
  if (layer.kind == Kind::convolution) {
    return nn::convolution(shape, layer.channels,
                           {.side = layer.side, .activation = {.kind = simd::ActivationKind::relu}});
  }
  return nn::pooling(shape, layer.side, layer.kind == Kind::max_pool ? nn::Pooling::max : nn::Pooling::mean);
}

}  // namespace sosia
