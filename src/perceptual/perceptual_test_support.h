// SPDX-License-Identifier: Apache-2.0
// A small feature net for tests.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "perceptual/feature_net.h"
#include "random/public_rng.h"

namespace sosia {

/// Two convolutions with a pool between, both read. Biases are so large that at pixels from 0 to 1 every third channel
/// is always off and the others never are: with mean pools there is no kink for finite differences to fall over.
inline FeatureNet small_feature_net(FeatureLayer::Kind pool, std::uint64_t seed) {
  FeatureNet net{.shape = {4, 4, 1}, .layers = {}, .parameters = {}};
  net.layers.push_back({.name = "first", .channels = 3, .is_read = true});
  net.layers.push_back({.kind = pool, .side = 2});
  net.layers.push_back({.name = "second", .channels = 6, .is_read = true});
  PublicRng rng(seed);
  std::size_t planes = 1;
  for (const std::size_t channels : {std::size_t{3}, std::size_t{6}}) {
    for (std::size_t i = 0; i < channels * planes * 9; ++i) {
      net.parameters.push_back(static_cast<float>(0.3 * rng.normal()));
    }
    for (std::size_t c = 0; c < channels; ++c) net.parameters.push_back(c % 3 == 2 ? -20.0F : 5.0F);
    planes = channels;
  }
  return net;
}

/// A convolution and two blocks, all read: one whose bypass is a convolution, with a stride, and one that adds what it
/// was given. No channel is near the kink of relu.
inline FeatureNet small_residual_net(std::uint64_t seed) {
  using Kind = FeatureLayer::Kind;
  FeatureNet net{.shape = {4, 4, 1}, .layers = {}, .parameters = {}};
  net.layers.push_back({.name = "first", .channels = 3, .is_read = true});
  FeatureLayer block{.kind = Kind::residual, .is_read = true};
  block.inside = {{.name = "a", .channels = 4, .stride = 2}, {.name = "b", .channels = 6}};
  block.bypass = {{.name = "c", .channels = 6, .side = 1, .stride = 2}};
  net.layers.push_back(std::move(block));
  FeatureLayer plain{.kind = Kind::residual, .is_read = true};
  plain.inside = {{.name = "d", .channels = 2}, {.name = "e", .channels = 6}};
  net.layers.push_back(std::move(plain));
  PublicRng rng(seed);
  for (const Filters& filters : convolutions_of(net)) {
    for (std::size_t i = 0; i < filters.count(); ++i) {
      net.parameters.push_back(static_cast<float>(0.03 * rng.normal()));
    }
    for (std::size_t c = 0; c < filters.layer->channels; ++c) net.parameters.push_back(c % 3 == 2 ? -20.0F : 5.0F);
  }
  return net;
}

}  // namespace sosia
