// SPDX-License-Identifier: Apache-2.0
// What a method must say of a map before the door lets rows through it.
#pragma once

#include "base/matrix.h"

namespace sosia {

/// A vector function of one row. The door checks each vector against the bound and shrinks what exceeds it, so a
/// wrong bound costs accuracy, never privacy. One duty stays with the map: the bits of a row's vector depend on
/// that row alone, not on its neighbours or its place in the block (checked by the contract suite).
class BoundedMap {
 public:
  virtual ~BoundedMap() = default;
  virtual int dim() const = 0;
  /// The largest L2 norm of one row's vector.
  virtual double norm_bound() const = 0;
  /// True if no entry is ever negative; the door then sets negative ones to 0, and two vectors are at most
  /// sqrt(2) bounds apart instead of 2.
  virtual bool nonnegative() const { return false; }
  /// Writes one vector per row. Called from several threads at once.
  virtual void forward(MatrixView<const float> rows, MatrixView<float> vectors) const = 0;
};

}  // namespace sosia
