// SPDX-License-Identifier: Apache-2.0
// What the tests of nets share.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "nn/net.h"
#include "random/public_rng.h"

namespace sosia::nn {

inline constexpr simd::Activation kIdentity{}, kRelu{.kind = simd::ActivationKind::relu},
    kLeaky{.kind = simd::ActivationKind::leaky_relu, .leak = 0.2F}, kTanh{.kind = simd::ActivationKind::tanh},
    kSigmoid{.kind = simd::ActivationKind::sigmoid};

inline std::vector<float> normal_floats(std::size_t count, std::uint64_t seed, double scale = 1.0) {
  PublicRng rng(seed);
  std::vector<float> numbers(count);
  for (float& x : numbers) x = static_cast<float>(scale * rng.normal());
  return numbers;
}

/// layers(a, b, c): a vector of things that cannot be copied.
template <class... Layers>
std::vector<LayerPtr> layers(Layers... all) {
  std::vector<LayerPtr> list;
  (list.push_back(std::move(all)), ...);
  return list;
}

/// A net as an auto-encoder or a critic may be, without batch norm: every other kind of layer.
inline std::vector<LayerPtr> net_without_batch_norm() {
  return layers(
      dense(7, 12, {.activation = kLeaky}), residual(layers(dense(12, 5, {.activation = kTanh}), dense(5, 12))),
      activation(12, kSigmoid), beside(layers(dense(10, 7, {.activation = kTanh})), 2), drawn_codes(3), dense(9, 12),
      dense(12, 6, {.init = Init::xavier}), head({{HeadKind::softmax, 3}, {HeadKind::tanh, 2}, {HeadKind::linear, 1}}));
}

/// The same for images: 7 codes to 6 pixels again, by way of larger images.
inline std::vector<LayerPtr> image_net_without_batch_norm() {
  return layers(dense(7, 12), convolution({3, 2, 2}, 3, {.activation = kLeaky}),
                resize({3, 2, 3}, 6, 4, Resize::linear),
                residual(layers(convolution({6, 4, 3}, 2, {.side = 5, .activation = kTanh})),
                         layers(convolution({6, 4, 3}, 2, {.side = 1}))),
                pooling({6, 4, 2}, 2, Pooling::mean), convolution({3, 2, 2}, 1, {.activation = kSigmoid}));
}

/// All parameters different from 0, biases too.
inline void perturb(Net& net, std::uint64_t seed) {
  const std::vector<float> noise = normal_floats(net.parameters().size(), seed, 0.3);
  for (std::size_t i = 0; i < noise.size(); ++i) net.parameters()[i] += noise[i];
}

}  // namespace sosia::nn
