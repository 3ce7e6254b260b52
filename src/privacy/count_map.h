// SPDX-License-Identifier: Apache-2.0
// Sparse contributions: one cell in each of a fixed number of slots.
#pragma once

#include <cstdint>
#include <span>

#include "base/matrix.h"

namespace sosia {

/// A slot is a histogram: `width` cells, to exactly one of which (or to none) a row adds `weight`.
struct CountSlot {
  std::uint32_t width;
  double weight = 1.0;
};

/// Counts: singles and pairs of one-hot blocks, marginals. Slots do not overlap, so the norm of a row's contribution
/// is at most sqrt(sum of weight^2) by construction, and nothing has to be checked but that a cell lies in its slot.
class CountMap {
 public:
  virtual ~CountMap() = default;
  virtual std::span<const CountSlot> slots() const = 0;
  /// Writes, for each row, the cell hit in each slot; `kNoCell` for none. Called from several threads at once. The cell
  /// of a row depends on that row alone. A cell outside its slot counts as none.
  virtual void forward(MatrixView<const float> rows, MatrixView<std::uint32_t> cells) const = 0;

  static constexpr std::uint32_t kNoCell = 0xffffffff;
};

}  // namespace sosia
