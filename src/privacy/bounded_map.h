// SPDX-License-Identifier: Apache-2.0
// What a method must say of a map before the door lets rows through it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/matrix.h"

namespace sosia {

/// A vector function of one row. The door checks each vector against the bound and shrinks what exceeds it, so a
/// wrong bound costs accuracy, never privacy. One duty stays with the map: the bits of a row's vector depend on
/// that row alone, not on its neighbours or its place in the block (checked by the contract suite).
///
/// A map may sort rows into parts, such as the classes of a label. Then the door adds up each part by itself, and
/// releases the sums of part 0, of part 1 and so on, followed, where rows are counted, by the count of each part times
/// the weight of a count.
class BoundedMap {
 public:
  virtual ~BoundedMap() = default;
  virtual int dim() const = 0;  ///< numbers in one row's vector
  /// The largest L2 norm of one row's vector.
  virtual double norm_bound() const = 0;
  /// True if no entry is ever negative; the door then sets negative ones to 0, and two vectors are at most
  /// sqrt(2) bounds apart instead of 2.
  virtual bool nonnegative() const { return false; }
  /// Writes one vector per row. Called from several threads at once.
  virtual void forward(MatrixView<const float> rows, MatrixView<float> vectors) const = 0;

  virtual int parts() const { return 1; }
  /// 0: rows are not counted. Not negative.
  virtual double count_weight() const { return 0.0; }
  /// Writes the part of each row, of that row alone; a row whose part does not exist adds nothing. Thread-safe.
  virtual void assign(MatrixView<const float> /*rows*/, std::span<std::uint32_t> parts) const {
    std::fill(parts.begin(), parts.end(), 0U);
  }
};

}  // namespace sosia
