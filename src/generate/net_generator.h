// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <sosia/images.h>

#include "features/open_rows.h"
#include "generate/generator.h"
#include "nn/net.h"

namespace sosia {

/// How a net makes its rows: by dense layers, or, where they are images, by the nets of nn/image_generator.h.
enum class NetKind { dense, convolutional, residual };

/// The shape of a generating net.
struct NetShape {
  int codes = 10;                ///< normals that a row is made from
  int signs = 10;                ///< and so many of -1 or 1: what is in pieces need not be torn out of one
  std::vector<int> hidden = {};  ///< widths of dense layers, each followed by batch norm and relu; convolutional: one
  NetKind kind = NetKind::dense;
  ImageShape image = {};         ///< not dense: what a row is
  std::vector<int> planes = {};  ///< not dense: as the options of the net say

  /// Random numbers that a row is made from.
  std::size_t drawn() const { return static_cast<std::size_t>(codes) + static_cast<std::size_t>(signs); }
};

/// Which rows a net makes anew, where rows are two numbers in [0, 1]: each square of a grid has a chance that a row in
/// it stays.
struct Thinning {
  std::size_t side = 0;     ///< squares across; 0: every row stays
  std::vector<float> kept;  ///< chances from 0 to 1: of part 0, of part 1 ...; the second number runs fastest

  float chance(std::uint32_t part, std::span<const float> row) const;
};

/// A net that turns random codes and a class into rows: scalars by a sigmoid, blocks by a softmax (Harder, Adamczewski
/// and Park 2021). The class is an input, so rows of a class are exact; any other condition is met by making rows until
/// enough fit.
class NetGenerator : public Generator {
 public:
  /// `shares`: how frequent each part is; not negative, with a positive sum.
  NetGenerator(OpenRows rows, NetShape shape, std::vector<double> shares, nn::Net net);
  /// The same net, some of whose rows are made anew.
  NetGenerator(NetGenerator net, Thinning thinning);

  /// The net, as it starts.
  static nn::Net make_net(const OpenRows& rows, const NetShape& shape, std::uint64_t seed, ThreadPool& threads);
  /// Writes the net's inputs: codes, signs, and one-hot parts where there are several. Takes codes + signs normals a
  /// row.
  static void write_inputs(const OpenRows& rows, const NetShape& shape, Parts parts, std::span<const float> normals,
                           MatrixView<float> inputs);

  const std::vector<std::uint32_t>& widths() const override { return widths_; }
  void sample(std::uint64_t seed, std::uint64_t block, const Condition& condition,
              MatrixView<float> rows) const override;

  const OpenRows& rows() const { return rows_; }
  const NetShape& shape() const { return shape_; }
  const std::vector<double>& shares() const { return shares_; }
  const nn::Net& net() const { return net_; }
  const Thinning& thinning() const { return thinning_; }
  /// Opened rows of these parts, none of them made anew. Thread-safe.
  std::vector<float> make_open(std::uint64_t seed, std::uint64_t stream, Parts parts) const;

 private:
  void make_rows(PublicRng& rng, std::uint64_t seed, std::uint64_t stream, const std::vector<double>& shares,
                 MatrixView<float> rows) const;
  void make_anew(PublicRng& rng, std::uint64_t seed, std::uint64_t stream, Parts parts, MatrixView<float> opened) const;

  OpenRows rows_;
  NetShape shape_;
  std::vector<double> shares_;
  nn::Net net_;
  Thinning thinning_;
  std::vector<std::uint32_t> widths_;  ///< 1 for a scalar
};

}  // namespace sosia
