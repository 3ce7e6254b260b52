// SPDX-License-Identifier: Apache-2.0
// Maps that a generator can learn through: what the door asks of a map, and a gradient.
#pragma once

#include <memory>
#include <vector>

#include "base/matrix.h"
#include "privacy/bounded_map.h"

namespace sosia {

/// A bounded map with a derivative. The door uses `forward` on encoded private rows, a generator both on rows of its
/// own, which may lie between codes (probabilities in the place of one-hot codes).
class FeatureMap : public BoundedMap {
 public:
  virtual int inputs() const = 0;  ///< numbers in a row
  /// Writes the gradient by the rows of the sum over all of d_vectors * forward(rows). Thread-safe.
  virtual void backward(MatrixView<const float> rows, MatrixView<const float> d_vectors,
                        MatrixView<float> d_rows) const = 0;
};

/// Two maps of the same rows side by side, each times its weight: the norm bound is the root of the sum of squares.
std::unique_ptr<FeatureMap> concat(std::unique_ptr<FeatureMap> first, double first_weight,
                                   std::unique_ptr<FeatureMap> second, double second_weight);

/// The map once for each class: rows have one more block at the end, the one-hot code of the class (or a generator's
/// probabilities), and class c's part of the vector is the map's vector times number c of the block. On one-hot codes,
/// which are all that the door sees, a row is in one class only, and the norm is that of the map.
std::unique_ptr<FeatureMap> by_class(std::unique_ptr<FeatureMap> map, int classes);

/// The products of one-hot blocks: rows are blocks of the given widths, a vector holds for each set of blocks the
/// tensor product of their numbers, flattened, the last block running fastest. On one-hot codes the mean of these
/// vectors is the table of joint shares, and the norm is the root of the number of sets, exactly.
std::unique_ptr<FeatureMap> block_products(std::vector<int> widths, std::vector<std::vector<int>> sets);

}  // namespace sosia
