// SPDX-License-Identifier: Apache-2.0
// Vectors that are too long to be written down for every row, but are made of few numbers: gradients of nets.
#pragma once

#include <cstddef>
#include <span>

#include "base/matrix.h"

namespace sosia {

/// A block of a vector: the outer product of (left, 1), inputs + 1 numbers, and right, outputs numbers, row by row. The
/// gradient of a dense layer, weights and then biases, has this form.
struct FactorShape {
  std::size_t inputs = 0, outputs = 0;
  std::size_t size() const { return (inputs + 1) * outputs; }
};

/// The factors of one block for some rows.
template <class T>
struct FactorPair {
  MatrixView<T> left, right;
};

/// A vector function of one row, like BoundedMap, that tells the factors of its blocks. The door itself finds the norm
/// of each vector, all blocks together, and shrinks it to the bound: clipping is its work. As there, the factors of a
/// row depend on that row alone, to the bit.
class FactoredMap {
 public:
  virtual ~FactoredMap() = default;
  virtual std::span<const FactorShape> shapes() const = 0;
  /// 1 or 2: a block is the sum of so many outer products.
  virtual std::size_t terms() const { return 1; }
  /// What vectors are shrunk to.
  virtual double norm_bound() const = 0;
  /// Above 0: the release has one more number, the sum of this weight for each vector that was within the bound, and of
  /// minus this weight for each that was shrunk. What it takes to adapt the bound.
  virtual double sign_weight() const { return 0.0; }
  /// Of each block, `terms` rows that follow each other for each row. Called from several threads at once.
  virtual void forward(MatrixView<const float> rows, std::span<const FactorPair<float>> factors) const = 0;
};

}  // namespace sosia
