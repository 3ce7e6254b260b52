// SPDX-License-Identifier: Apache-2.0
// Rows by a generator in the space of an auto-encoder's codes, and its decoder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "features/open_rows.h"
#include "generate/generator.h"
#include "nn/net.h"

namespace sosia {

/// The nets of DP-auto-GAN (Tantipongpipat et al. 2021). With a hidden layer, those for mixed columns: leaky relu, and
/// a generator of two residual blocks. Without, those for binary columns: tanh, and a generator of one hidden layer.
struct DecodedShape {
  int drawn = 64;   ///< normals that a row is made from
  int latent = 15;  ///< numbers of a code
  int hidden = 60;  ///< of encoder and decoder; 0: none

  /// Opened rows to codes and back to logits: what is trained first.
  std::vector<nn::LayerPtr> auto_encoder(std::size_t inputs) const;
  /// Normals to codes to opened rows: a generator, the auto-encoder's decoder, and a head that makes probabilities.
  std::vector<nn::LayerPtr> maker(const OpenRows& rows) const;
  /// How many parameters of the auto-encoder, at its end, are the decoder's; so many has the maker at its end.
  std::size_t decoder_parameters(std::size_t inputs) const;
};

/// A maker with its numbers, trained under noise.
struct DecodedNet {
  double rows = 1.0;  ///< of the table, about
  DecodedShape shape;
  std::vector<float> parameters, state;
};

class DecodedGenerator : public Generator {
 public:
  DecodedGenerator(OpenRows rows, const DecodedNet& net);

  const std::vector<std::uint32_t>& widths() const override { return widths_; }
  void sample(std::uint64_t seed, std::uint64_t block, const Condition& condition,
              MatrixView<float> rows) const override;

 private:
  OpenRows rows_;
  nn::Net net_;
  std::vector<std::uint32_t> widths_;  ///< 1 for a scalar
};

}  // namespace sosia
