// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include <sosia/plan.h>

#include "privacy/count_map.h"

namespace sosia {

/// How much the value of a row says about its class, for slots whose cells are the classes times the values, the value
/// running fastest: in slot j with counts c the score is the sum over classes y and values x of
///     | 2^16 c(y, x) - P_y c(x) |,       c(x) = sum over y of c(y, x),
/// with public shares of the classes P_y, whole numbers above 0 that add up to 2^16. It is 0 where each value has the
/// classes in these shares, whatever the values' own shares are: those need not be known.
///
/// Sensitivity. A row of class y adds 2^16 - P_y to one term of its value and at most P_z to those of the other classes
/// z: it moves a score by at most 2 (2^16 - P_y) <= 2 (2^16 - least P). A row that is replaced moves it by at most
/// twice that, and a unit of m rows by m times as much.
class LabelScores {
 public:
  static constexpr int kShareBits = 16;
  /// A number of rows as a score.
  static std::int64_t of_rows(double rows) { return std::llround(std::ldexp(rows, kShareBits)); }
  /// Of shares that are not negative; those that are next to nothing count as one in 2^16.
  explicit LabelScores(std::span<const double> class_shares);

  std::size_t classes() const { return shares_.size(); }
  std::int64_t sensitivity(Neighbors relation, std::int64_t max_rows) const;
  /// `counts`: of all slots, each cell a multiple of its slot's weight on the grid.
  std::vector<std::int64_t> of(std::span<const CountSlot> slots, std::span<const std::int64_t> grid_weights,
                               std::span<const std::int64_t> counts) const;

 private:
  std::vector<std::int64_t> shares_;
};

}  // namespace sosia
