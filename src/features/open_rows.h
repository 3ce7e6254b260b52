// SPDX-License-Identifier: Apache-2.0
// Encoded rows as maps with a gradient and nets see them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/matrix.h"
#include "features/feature_map.h"
#include "random/public_rng.h"

namespace sosia {

/// An encoded row has a number for each field: a scalar, or the code of a state. Opened up, the scalars come first,
/// then a block for each code, one-hot, or probabilities in a row that a net has made. The label, where it is a code,
/// is no block, but says which part a row belongs to.
class OpenRows {
 public:
  /// `widths`: states of each field, 0 for a scalar.
  OpenRows(std::vector<std::uint32_t> widths, std::optional<int> label);

  int inputs() const { return inputs_; }  ///< numbers of an opened row
  int scalars() const { return scalars_; }
  const std::vector<int>& blocks() const { return blocks_; }  ///< their widths
  int parts() const { return parts_; }
  const std::vector<std::uint32_t>& widths() const { return widths_; }
  std::optional<int> label() const { return label_; }

  /// What is no state opens to a block of zeros.
  void open(MatrixView<const float> encoded, MatrixView<float> opened) const;
  /// The part of each encoded row; one that does not exist for a label that is no state.
  void assign(MatrixView<const float> encoded, std::span<std::uint32_t> parts) const;
  /// Draws a state from each block, and brings scalars into [0, 1].
  void close(MatrixView<const float> opened, Parts parts, PublicRng& rng, MatrixView<float> encoded) const;

 private:
  struct Place {
    int first = 0;
    std::uint32_t width = 0;  ///< 0: a scalar
  };
  std::vector<std::uint32_t> widths_;
  std::optional<int> label_;  ///< if it is a code
  std::vector<Place> places_;
  std::vector<int> blocks_;
  int inputs_ = 0, scalars_ = 0, parts_ = 1;
};

/// The map on encoded rows, by part unless said otherwise; counts of the parts too, if they have a weight.
std::unique_ptr<BoundedMap> on_encoded(const OpenRows& rows, std::shared_ptr<const FeatureMap> map, double count_weight,
                                       bool by_part = true);

}  // namespace sosia
