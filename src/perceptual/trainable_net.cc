// SPDX-License-Identifier: Apache-2.0
#include "perceptual/trainable_net.h"

#include <cmath>
#include <string>
#include <utility>

namespace sosia {

namespace {

using Kind = FeatureLayer::Kind;

void add_plain_stage(std::size_t stage, std::size_t planes, FeatureNet& net) {
  if (stage > 0) net.layers.push_back({.kind = Kind::max_pool, .side = 2});
  const std::string name = std::to_string(stage);
  net.layers.push_back({.name = name + ".0", .channels = planes});
  net.layers.push_back({.name = name + ".1", .channels = planes, .is_read = true});
}

void add_block(std::size_t stage, std::size_t planes, FeatureNet& net) {
  const std::string name = std::to_string(stage);
  const std::size_t stride = stage > 0 ? 2 : 1;
  if (stage == 0) net.layers.push_back({.name = "first", .channels = planes});
  FeatureLayer block{.kind = Kind::residual, .is_read = true};
  block.inside.push_back({.name = name + ".0", .channels = planes, .stride = stride});
  block.inside.push_back({.name = name + ".1", .channels = planes});
  if (stage > 0) block.bypass.push_back({.name = name + ".bypass", .channels = planes, .side = 1, .stride = stride});
  net.layers.push_back(std::move(block));
}

std::vector<nn::LayerPtr> normed(const FeatureLayer& layer, const ImageShape& shape, bool has_relu) {
  using enum simd::ActivationKind;
  std::vector<nn::LayerPtr> layers;
  layers.push_back(nn::convolution(shape, layer.channels, {.side = layer.side}));
  if (layer.stride > 1) layers.push_back(thinned({shape.width, shape.height, layer.channels}, layer.stride));
  const ImageShape at{shape.width / layer.stride, shape.height / layer.stride, layer.channels};
  layers.push_back(nn::channel_norm(at, {.activation = {.kind = has_relu ? relu : identity}}));
  return layers;
}

}  // namespace

FeatureNet untrained_net(const ImageShape& shape, const std::vector<std::size_t>& planes, bool is_residual) {
  FeatureNet net{.shape = shape, .layers = {}, .parameters = {}};
  for (std::size_t stage = 0; stage < planes.size(); ++stage) {
    (is_residual ? add_block : add_plain_stage)(stage, planes[stage], net);
  }
  return net;
}

std::vector<nn::LayerPtr> training_layers(const FeatureNet& net, std::size_t classes) {
  const std::vector<ImageShape> shapes = shapes_of(net, "feature net");
  std::vector<nn::LayerPtr> layers;
  for (std::size_t i = 0; i < net.layers.size(); ++i) layers.push_back(layer_of(net.layers[i], shapes[i], normed));
  layers.push_back(nn::pooling(shapes.back(), shapes.back().width, nn::Pooling::mean));
  layers.push_back(nn::dense(shapes.back().channels, classes, {.init = nn::Init::xavier}));
  return layers;
}

void fold_norms(const nn::Net& trained, FeatureNet& net) {
  constexpr double kEpsilon = nn::BatchNormOptions{}.epsilon;
  std::span<const float> parameters = trained.parameters(), state = trained.state();
  const auto next = [](std::span<const float>& from, std::size_t count) {
    const std::span<const float> taken = from.first(count);
    from = from.subspan(count);
    return taken;
  };
  for (const Filters& filters : convolutions_of(net)) {
    const std::size_t channels = filters.layer->channels, taps = filters.count() / channels;
    const std::span<const float> weights = next(parameters, filters.count()), biases = next(parameters, channels),
                                 gains = next(parameters, channels), shifts = next(parameters, channels),
                                 means = next(state, channels), variances = next(state, channels);
    std::vector<float> folded;
    for (std::size_t c = 0; c < channels; ++c) {
      const double scale = gains[c] / std::sqrt(double{variances[c]} + kEpsilon);
      for (std::size_t t = 0; t < taps; ++t) {
        net.parameters.push_back(static_cast<float>(scale * double{weights[c * taps + t]}));
      }
      folded.push_back(static_cast<float>((double{biases[c]} - double{means[c]}) * scale + double{shifts[c]}));
    }
    net.parameters.insert(net.parameters.end(), folded.begin(), folded.end());
  }
}

}  // namespace sosia
