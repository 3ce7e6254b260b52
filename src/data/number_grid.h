// SPDX-License-Identifier: Apache-2.0
// The values that a numeric column can say, numbered by integers: what a bin holds and what is drawn from it is then
// exact.
#pragma once

#include <cstdint>
#include <vector>

#include <sosia/schema.h>

#include "data/array_reader.h"

namespace sosia {

/// A cell: an ordinary value (its number), an atom (its number and which) or missing (the number of the middle).
struct GridCell {
  static constexpr std::int32_t kValue = -1, kMissing = -2;
  std::int64_t number = 0;
  std::int32_t state = kValue;  ///< or the index of an atom
};

/// Value = number * over / times, where times = 10^decimals for reals, and over = 60 for datetimes that are written
/// without seconds. Where doubles cannot hold the bounds to that many decimals, fewer are kept.
class NumberGrid {
 public:
  /// A bound that is not declared lets everything through. A schema error if the bounds are not finite, out of order,
  /// or if no value lies between them.
  explicit NumberGrid(const Column& column);

  std::int64_t low() const { return low_; }  ///< of the bounds; atoms may lie outside
  std::int64_t high() const { return high_; }
  std::uint64_t size() const { return static_cast<std::uint64_t>(high_ - low_) + 1; }
  const std::vector<std::int64_t>& atoms() const { return atoms_; }  ///< rising
  bool missing() const { return missing_; }

  /// What a cell means, for all who ask. Values outside the bounds go to the nearest one; a value that is missing and
  /// may not be, or is unreadable and may not be missing, to the middle, which is public. All are counted.
  GridCell cell(double value, CellState state, CellCounts& counts) const;
  double value(std::int64_t number) const { return static_cast<double>(number) * over_ / times_; }
  /// The first number of the grid that is not below the value, between low() and high() + 1.
  std::int64_t first_from(double value) const;

 private:
  std::int64_t nearest(double value) const;
  GridCell placed(std::int64_t number) const;  ///< an atom if it is one

  double min_, max_;  ///< infinite where not declared
  double times_ = 1, over_ = 1;
  std::int64_t low_, high_;
  std::vector<std::int64_t> atoms_ = {};
  bool missing_, whole_, down_;
  GridCell middle_ = {};
};

/// The cells of the column that the grid was made for.
std::vector<GridCell> read_cells(const arrow::Array& cells, const Column& column, const NumberGrid& grid,
                                 const MissingWords& missing, CellCounts& counts);

}  // namespace sosia
