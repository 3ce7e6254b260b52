// SPDX-License-Identifier: Apache-2.0
#include "nn/image_generator.h"

#include <utility>

#include "base/check.h"

namespace sosia::nn {

namespace {

constexpr simd::Activation kRelu{.kind = simd::ActivationKind::relu};
constexpr simd::Activation kSigmoid{.kind = simd::ActivationKind::sigmoid};

/// The image's size before it is doubled `times` times; where it is not a multiple, the last doublings give less.
ImageShape halved(const ImageShape& shape, std::size_t times, std::size_t planes) {
  const auto part = [&](std::size_t size) { return ((size - 1) >> times) + 1; };
  return {part(shape.width), part(shape.height), planes};
}

template <class... Layers>
std::vector<LayerPtr> list(Layers... layers) {
  std::vector<LayerPtr> all;
  (all.push_back(std::move(layers)), ...);
  return all;
}

}  // namespace

std::vector<LayerPtr> convolutional_generator(std::size_t codes, const ImageShape& shape,
                                              const ConvolutionalOptions& options) {
  const std::size_t times = options.planes.size();
  SOSIA_CHECK(times > 0, "a convolutional net without convolutions");
  ImageShape at = halved(shape, times, options.planes[0]);
  std::vector<LayerPtr> layers =
      list(dense(codes, options.hidden), batch_norm(options.hidden, {.activation = kRelu}),
           dense(options.hidden, at.values(), {.init = Init::xavier}), batch_norm(at.values()));
  for (std::size_t i = 0; i < times; ++i) {
    const ImageShape next = halved(shape, times - 1 - i, at.channels);
    layers.push_back(resize(at, next.width, next.height, Resize::linear));
    const bool is_last = i + 1 == times;
    const std::size_t channels = is_last ? shape.channels : options.planes[i + 1];
    layers.push_back(convolution(next, channels,
                                 {.side = options.side,
                                  .activation = is_last ? kSigmoid : kRelu,
                                  .init = is_last ? Init::xavier : Init::kaiming}));
    at = {next.width, next.height, channels};
  }
  return layers;
}

std::vector<LayerPtr> residual_generator(std::size_t codes, const ImageShape& shape, const ResidualOptions& options) {
  SOSIA_CHECK(!options.planes.empty(), "a residual net without planes");
  const std::size_t times = options.planes.size() - 1;
  ImageShape at = halved(shape, times, options.planes[0]);
  std::vector<LayerPtr> layers = list(dense(codes, at.values(), {.init = Init::xavier}));
  for (std::size_t i = 1; i <= times; ++i) {
    const ImageShape from = halved(shape, times - i, at.channels);
    layers.push_back(resize(at, from.width, from.height, Resize::nearest));
    at = {from.width, from.height, options.planes[i]};
    layers.push_back(
        residual(list(channel_norm(from, {.activation = kRelu}), convolution(from, at.channels, {.init = Init::xavier}),
                      channel_norm(at, {.activation = kRelu}), convolution(at, at.channels, {.init = Init::xavier})),
                 list(convolution(from, at.channels, {.side = 1, .init = Init::xavier}))));
  }
  layers.push_back(channel_norm(at, {.activation = kRelu}));
  layers.push_back(convolution(at, shape.channels, {.activation = kSigmoid, .init = Init::xavier}));
  return layers;
}

}  // namespace sosia::nn
