// SPDX-License-Identifier: Apache-2.0
// Where a FactoredMap writes the factors of a stretch of rows.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "privacy/factored_map.h"

namespace sosia {

/// Claim. After clear(), the factors of a row are what the map wrote for that row, and zeros where it wrote nothing.
/// Proof. All numbers are set to zero, and the lines of a row, `terms` that follow each other in each matrix, are
/// shared with no other row. QED  So nothing of one row is left over in the vector of another.
class FactorRoom {
 public:
  FactorRoom(std::span<const FactorShape> shapes, std::size_t terms);

  /// Room for so many rows.
  void clear(std::size_t rows);

  std::span<const FactorShape> shapes() const { return shapes_; }
  std::size_t terms() const { return terms_; }
  /// Of each block, as the last clear() made them.
  std::span<const FactorPair<float>> factors() const { return factors_; }

 private:
  std::vector<FactorShape> shapes_;
  std::size_t terms_;
  std::vector<float> numbers_;
  std::vector<FactorPair<float>> factors_;
};

}  // namespace sosia
