// SPDX-License-Identifier: Apache-2.0
// Where the numbers of a column may lie before anything is known of them, and how to look for them.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <sosia/schema.h>

namespace sosia {

/// Numbers of a column's grid from `starts[i]` up to the next start, the last one up to `high`. Values are number /
/// times.
struct NumberScale {
  std::vector<std::int64_t> starts;
  std::int64_t high = 0;
  double times = 1.0;

  std::size_t size() const { return starts.size(); }
  std::int64_t low() const { return starts.front(); }
  std::int64_t end_of(std::size_t cell) const { return cell + 1 < starts.size() ? starts[cell + 1] - 1 : high; }
  double value(std::int64_t number) const { return static_cast<double>(number) / times; }
  /// The column with these cells as its bounds and bins.
  Column cut(Column column) const;
};

/// The whole range of a type, roughly: powers of two of the precision in both directions, 0 by itself, or years.
/// Whole numbers and reals reach to 2^52 units of precision: what is beyond counts as the outermost. Of reals no more
/// than kSearchDecimals decimals are looked at, so that the search reaches to 450 million whatever the precision.
inline constexpr int kSearchDecimals = 7;
NumberScale widest_cells(const Column& column);

/// Between two cells of `widest`: up to kMostLeaves cells, one for each number where they are so few, even in the
/// logarithm where the numbers span more than kOctaves octaves, else even.
NumberScale fine_cells(const Column& column, const NumberScale& widest, std::pair<std::size_t, std::size_t> between);
/// Between the column's bounds.
NumberScale fine_cells(const Column& column);
inline constexpr std::size_t kMostLeaves = 4096;
inline constexpr std::size_t kOctaves = 8;

/// The first and the last cell whose noisy count is above the threshold; (1, 0) if there is none.
std::pair<std::size_t, std::size_t> outermost(std::span<const double> counts, double threshold);

}  // namespace sosia
