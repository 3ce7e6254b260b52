// SPDX-License-Identifier: Apache-2.0
#include "perceptual/preparation.h"

#include <algorithm>

#include "nn/net.h"

namespace sosia {

namespace {

bool has_other_size(const FeatureNet& net, const ImageShape& shape) {
  return shape.width != net.shape.width || shape.height != net.shape.height;
}

bool has_other_colours(const FeatureNet& net, const ImageShape& shape) {
  return shape.channels != net.shape.channels || !net.mean.empty();
}

}  // namespace

std::vector<nn::LayerPtr> preparing_layers(const FeatureNet& net, const ImageShape& shape) {
  const ImageShape& to = net.shape;
  std::vector<nn::LayerPtr> layers;
  if (has_other_size(net, shape)) layers.push_back(nn::resize(shape, to.width, to.height, nn::Resize::linear));
  if (has_other_colours(net, shape)) {
    layers.push_back(nn::convolution({to.width, to.height, shape.channels}, to.channels, {.side = 1}));
  }
  return layers;
}

std::vector<float> preparing_parameters(const FeatureNet& net, const ImageShape& shape) {
  if (!has_other_colours(net, shape)) return {};
  std::vector<float> filter, biases;
  for (std::size_t to = 0; to < net.shape.channels; ++to) {
    const double scale = net.deviation.empty() ? 1.0 : 1.0 / net.deviation[to];
    for (std::size_t from = 0; from < shape.channels; ++from) {
      const bool is_same = shape.channels == net.shape.channels;
      const double share = is_same ? (from == to ? 1.0 : 0.0) : 1.0 / static_cast<double>(shape.channels);
      filter.push_back(static_cast<float>(scale * share));
    }
    biases.push_back(static_cast<float>(net.mean.empty() ? 0.0 : -net.mean[to] * scale));
  }
  filter.insert(filter.end(), biases.begin(), biases.end());
  return filter;
}

void prepare_images(const FeatureNet& net, const ImageShape& shape, MatrixView<const float> images,
                    MatrixView<float> prepared) {
  std::vector<nn::LayerPtr> layers = preparing_layers(net, shape);
  if (layers.empty()) {
    for (std::size_t r = 0; r < images.rows; ++r) std::ranges::copy(images.row(r), prepared.row(r).begin());
    return;
  }
  constexpr std::size_t kAtOnce = 64;
  ThreadPool alone(1);
  nn::Net way(std::move(layers), 0, alone);
  std::ranges::copy(preparing_parameters(net, shape), way.parameters().begin());
  nn::Workspace workspace(way, kAtOnce);
  for (std::size_t first = 0; first < images.rows; first += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, images.rows - first);
    const MatrixView<const float> made =
        way.evaluate({images.data + first * images.stride, count, images.cols, images.stride}, workspace, alone);
    for (std::size_t r = 0; r < count; ++r) std::ranges::copy(made.row(r), prepared.row(first + r).begin());
  }
}

}  // namespace sosia
