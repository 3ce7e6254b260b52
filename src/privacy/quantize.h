// SPDX-License-Identifier: Apache-2.0
// The inner loops of the door: from real vectors and cells to exact integer sums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/matrix.h"
#include "privacy/count_map.h"
#include "privacy/lattice.h"

namespace sosia {

/// Of mapped vectors or cells, a worker's share of the cache; rows are mapped in stretches of about this size.
inline constexpr std::size_t kStretchBytes = std::size_t{2} << 20;

/// Cuts vectors to a grid and adds them up. What a vector adds is a function of that vector alone, an integer vector
/// whose exact norm is at most lattice.norm, whatever the numbers are:
///  - a vector with an infinite or undefined entry adds nothing;
///  - with `nonnegative`, negative entries become 0;
///  - entries are divided by the step and cut toward zero, which cannot lengthen the vector;
///  - if the exact sum of squares still exceeds norm^2, the vector is shrunk to the bound and cut again.
class Quantizer {
 public:
  Quantizer(const Lattice& lattice, int dim, bool nonnegative);

  /// Adds each row of `vectors` to the sum of its part, and the grid's count to the count of that part, if there is
  /// one. `sums` holds the sum of each part in turn, and then the counts. A row that adds nothing is not counted
  /// either.
  void add(MatrixView<const float> vectors, std::span<const std::uint32_t> parts, std::span<std::int64_t> sums) const;

 private:
  /// Whether there was anything to add.
  bool add_vector(std::span<const float> vector, std::span<std::int64_t> sum) const;
  bool add_shrunk(std::span<const float> vector, double squares, std::span<std::int64_t> sum) const;

  bool nonnegative_;
  std::int64_t norm_, count_;
  double per_step_;      ///< 1 / step
  double margin_;        ///< relative error of a computed sum of dim squares, bounded from above
  double short_enough_;  ///< a vector whose computed sum of squares is at most this is within the bound
};

/// Adds 1 to the cell hit in each slot. `counts` holds the cells of all slots, one slot after the other. A cell outside
/// its slot counts as none, so a row adds at most 1 to one cell of each slot.
void add_counts(MatrixView<const std::uint32_t> cells, std::span<const CountSlot> slots,
                std::span<std::int64_t> counts);

}  // namespace sosia
