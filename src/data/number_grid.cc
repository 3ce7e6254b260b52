// SPDX-License-Identifier: Apache-2.0
#include "data/number_grid.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <sosia/error.h>

#include "data/cell.h"

namespace sosia {

namespace {

constexpr double kLargestWhole = 9007199254740992.0;  // 2^53: doubles hold every whole number up to it
constexpr double kMostSteps = 4503599627370496.0;     // 2^52: half of a step is then still more than a rounding
constexpr std::int64_t kFar = std::int64_t{1} << 61;  // beyond every number of a grid, and yet twice it is no overflow
constexpr double kInfinity = std::numeric_limits<double>::infinity();

[[noreturn]] void refuse(const Column& column, const std::string& what, const std::string& fix) {
  throw Error(ErrorKind::schema, "column \"" + column.name + "\" " + what, "schema", fix);
}

double largest(const Column& column) {
  double most = std::max(std::abs(column.min.value_or(0)), std::abs(column.max.value_or(0)));
  for (const double atom : column.atoms) most = std::max(most, std::abs(atom));
  return most;
}

void check_bounds(const Column& column) {
  if (!std::isfinite(largest(column)) || column.min.value_or(-kInfinity) > column.max.value_or(kInfinity)) {
    refuse(column, "has bounds or atoms that are not finite or not in order", "declare finite numbers, min <= max");
  }
  if (column.type != ColumnType::real && largest(column) > kLargestWhole) {
    refuse(column, "has bounds beyond 2^53", "declare it as real, or as an identifier");
  }
}

/// A datetime written without seconds or minutes is known to the minute or the hour.
double seconds_known(const Column& column) {
  if (column.format.empty() || column.format.find("%S") != std::string::npos) return 1;
  return column.format.find("%M") != std::string::npos ? 60 : 3600;
}

}  // namespace

NumberGrid::NumberGrid(const Column& column)
    : min_(column.min.value_or(-kInfinity)),
      max_(column.max.value_or(kInfinity)),
      low_(-kFar),
      high_(kFar),
      missing_(column.missing),
      whole_(column.type == ColumnType::integer),
      down_(column.type == ColumnType::datetime || column.type == ColumnType::date) {
  check_bounds(column);
  if (column.type == ColumnType::datetime) over_ = seconds_known(column);
  if (column.type == ColumnType::real) {
    const double most = largest(column);
    int decimals = std::clamp(column.decimals, 0, 15);
    while (decimals > 0 && most * std::pow(10.0, decimals) > kMostSteps) --decimals;
    times_ = std::pow(10.0, decimals);
    while (most / over_ > kMostSteps) over_ *= 10;
  }
  if (column.min) low_ = nearest(min_);
  if (column.min && value(low_) < min_) ++low_;
  if (column.max) high_ = nearest(max_);
  if (column.max && value(high_) > max_) --high_;
  if (low_ > high_) {
    refuse(column, "has no value of its precision between its bounds", "widen the bounds or raise \"decimals\"");
  }
  for (const double atom : column.atoms) {
    if (column.type == ColumnType::real && round_decimals(atom, column.decimals) != atom) {
      refuse(column, "has an atom of more digits than its values", "raise \"decimals\" or round the atom");
    }
    atoms_.push_back(nearest(atom));
  }
  std::sort(atoms_.begin(), atoms_.end());
  atoms_.erase(std::unique(atoms_.begin(), atoms_.end()), atoms_.end());
  middle_ = placed(low_ + (high_ - low_) / 2);
}

std::int64_t NumberGrid::nearest(double value) const {
  const double number = std::clamp(value * times_ / over_, -static_cast<double>(kFar), static_cast<double>(kFar));
  if (whole_ || down_) return static_cast<std::int64_t>(std::floor(number));
  return static_cast<std::int64_t>(number < 0 ? number - 0.5 : number + 0.5);
}

GridCell NumberGrid::placed(std::int64_t number) const {
  if (!atoms_.empty()) {
    const auto atom = std::lower_bound(atoms_.begin(), atoms_.end(), number);
    if (atom != atoms_.end() && *atom == number) return {number, static_cast<std::int32_t>(atom - atoms_.begin())};
  }
  return {number, GridCell::kValue};
}

GridCell NumberGrid::cell(double value, CellState state, CellCounts& counts) const {
  const bool readable = state == CellState::present && !(whole_ && std::isfinite(value) && std::floor(value) != value);
  if (!readable) {
    ++(state == CellState::missing ? counts.missing : counts.unreadable);
    return missing_ ? GridCell{middle_.number, GridCell::kMissing} : middle_;
  }
  if (value >= min_ && value <= max_) return placed(std::clamp(nearest(value), low_, high_));
  if (std::abs(value * times_ / over_) < kLargestWhole) {
    // 0.1 + 0.2 lies above a bound of 0.3: what rounds to a value inside is inside.
    const GridCell cell = placed(nearest(value));
    if (cell.state >= 0 || (cell.number >= low_ && cell.number <= high_)) return cell;
  }
  ++counts.outside;
  return placed(value < min_ ? low_ : high_);
}

std::int64_t NumberGrid::first_from(double value) const {
  if (!(value > min_)) return low_;
  if (value > max_) return high_ + 1;
  std::int64_t number = nearest(value);
  if (this->value(number) < value) ++number;
  return std::clamp(number, low_, high_ + 1);
}

std::vector<GridCell> read_cells(const arrow::Array& cells, const Column& column, const NumberGrid& grid,
                                 const MissingWords& missing, CellCounts& counts) {
  const NumberCells numbers = read_numbers(cells, column.type, column.format, missing);
  std::vector<GridCell> placed(numbers.values.size());
  for (std::size_t i = 0; i < placed.size(); ++i) placed[i] = grid.cell(numbers.values[i], numbers.states[i], counts);
  return placed;
}

}  // namespace sosia
