// SPDX-License-Identifier: Apache-2.0
// Rows by way of codes: a generator in the space of an auto-encoder's codes, or codes that are drawn, and a decoder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "features/open_rows.h"
#include "generate/code_mixture.h"
#include "generate/generator.h"
#include "nn/net.h"

namespace sosia {

/// Nets of methods that train on rows, in the shapes of Tantipongpipat et al. 2021. With a hidden layer, those for
/// mixed columns: leaky relu, and a generator of two residual blocks. Without, those for binary columns: tanh, and a
/// generator of one hidden layer. Where there are classes, the first layer of the maker takes the class, one-hot.
struct DecodedShape {
  int drawn = 64;   ///< normals that a generator makes a code from; 0: there is none, codes themselves are drawn
  int latent = 15;  ///< numbers of a code
  int hidden = 60;  ///< of encoder and decoder; 0: none
  int classes = 0;  ///< of the label, that rows are made by; 0: the label, if any, is a block like others

  /// Numbers that the maker takes: normals or a code, and the class.
  std::size_t inputs() const {
    return static_cast<std::size_t>(drawn > 0 ? drawn : latent) + static_cast<std::size_t>(classes);
  }
  /// Opened rows to codes; by tanh, if codes are to stay within [-1, 1].
  std::vector<nn::LayerPtr> encoder(std::size_t inputs, bool is_bounded) const;
  /// Opened rows to codes and back to logits. A decoder that is told the class has it from columns behind the row's.
  std::vector<nn::LayerPtr> auto_encoder(std::size_t inputs, bool is_bounded = false) const;
  /// A variational one (Kingma and Welling 2014): takes a row and normals, `latent` of them; gives logits, and means
  /// and logarithms of spreads of the codes.
  std::vector<nn::LayerPtr> variational(std::size_t inputs) const;
  /// To opened rows: a generator, the decoder, and a head that makes probabilities.
  std::vector<nn::LayerPtr> maker(const OpenRows& rows) const;
  /// How many parameters of an auto-encoder, at its end, are the decoder's; so many has the maker at its end.
  std::size_t decoder_parameters(std::size_t outputs) const;

 private:
  int decoder_inputs() const { return latent + (drawn > 0 ? 0 : classes); }
  void add_decoder(std::size_t outputs, std::vector<nn::LayerPtr>& layers) const;
};

/// A maker with its numbers, trained under noise.
struct DecodedNet {
  double rows = 1.0;           ///< of the table, about
  std::vector<double> shares;  ///< of the classes, where there are any; not negative, with a positive sum
  DecodedShape shape;
  CodeMixture codes;  ///< that are drawn, where there is no generator
  std::vector<float> parameters, state;
};

class DecodedGenerator : public Generator {
 public:
  /// `rows`: with a label if and only if the net makes rows by class.
  DecodedGenerator(OpenRows rows, const DecodedNet& net);

  const std::vector<std::uint32_t>& widths() const override { return widths_; }
  void sample(std::uint64_t seed, std::uint64_t block, const Condition& condition,
              MatrixView<float> rows) const override;

 private:
  void make_rows(PublicRng& rng, std::uint64_t seed, std::uint64_t stream, const std::vector<double>& shares,
                 MatrixView<float> rows) const;

  OpenRows rows_;
  DecodedShape shape_;
  std::vector<double> shares_;
  CodeMixture codes_;
  nn::Net net_;
  std::vector<std::uint32_t> widths_;  ///< 1 for a scalar
};

/// Writes a maker's inputs: normals, so many a row as there is room for before the class, and the class, one-hot.
void write_maker_inputs(const DecodedShape& shape, Parts parts, std::span<const float> normals,
                        MatrixView<float> inputs);

}  // namespace sosia
