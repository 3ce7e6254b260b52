// SPDX-License-Identifier: Apache-2.0
#include "discovery/number_scale.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>

namespace sosia {

namespace {

constexpr int kBits = 52;  // of the largest number: doubles hold its neighbours exactly

NumberScale octaves(double times) {
  NumberScale cells{{}, std::int64_t{1} << kBits, times};
  for (int k = kBits; k >= 1; --k) cells.starts.push_back(1 - (std::int64_t{1} << k));
  cells.starts.front() = -(std::int64_t{1} << kBits);
  for (std::int64_t start = 0; start < cells.high; start = std::max<std::int64_t>(1, 2 * start)) {
    cells.starts.push_back(start);
  }
  return cells;
}

NumberScale years(std::int64_t units_in_a_day, double times) {
  using namespace std::chrono;
  const auto first_day = [&](int y) {
    return sys_days(year(y) / January / 1).time_since_epoch().count() * units_in_a_day;
  };
  NumberScale cells{{}, first_day(10000) - 1, times};
  for (int y = 1; y <= 9999; ++y) cells.starts.push_back(first_day(y));
  return cells;
}

/// Numbers in a unit of the value: days, seconds (minutes or hours where the format says no more) or decimals, as many
/// as doubles can hold between the bounds; where these are not known, kSearchDecimals at most.
double times_of(const Column& column) {
  if (column.type == ColumnType::datetime && !column.format.empty()) {
    constexpr double kMinute = 60.0, kHour = 3600.0;
    if (column.format.find("%M") == std::string::npos) return 1.0 / kHour;
    if (column.format.find("%S") == std::string::npos) return 1.0 / kMinute;
  }
  if (column.type != ColumnType::real) return 1.0;
  if (!column.min || !column.max) return std::pow(10.0, std::min(column.decimals, kSearchDecimals));
  const double largest = std::max(std::abs(*column.min), std::abs(*column.max));
  int decimals = column.decimals;
  while (decimals > 0 && largest * std::pow(10.0, decimals) > std::ldexp(1.0, kBits)) --decimals;
  return std::pow(10.0, decimals);
}

double to_log(std::int64_t number) {
  const auto x = static_cast<double>(number);
  return std::copysign(std::log1p(std::abs(x)), x);
}
std::int64_t from_log(double y) { return std::llround(std::copysign(std::expm1(std::abs(y)), y)); }

NumberScale split(std::int64_t low, std::int64_t high, double times, bool by_logarithm) {
  NumberScale cells{{}, high, times};
  const auto size = static_cast<std::uint64_t>(high - low) + 1;
  const auto leaves = static_cast<std::size_t>(std::min<std::uint64_t>(size, kMostLeaves));
  for (std::size_t i = 0; i < leaves; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(leaves);
    std::int64_t start = low + static_cast<std::int64_t>(std::ceil(static_cast<double>(size) * share));
    if (by_logarithm && size > kMostLeaves) start = from_log(to_log(low) + share * (to_log(high) - to_log(low)));
    start = std::clamp(start, low, high);
    if (cells.starts.empty() || start > cells.starts.back()) cells.starts.push_back(start);
  }
  cells.starts.front() = low;
  return cells;
}

bool is_date(const Column& column) { return column.type == ColumnType::date || column.type == ColumnType::datetime; }

}  // namespace

Column NumberScale::cut(Column column) const {
  column.min = value(low());
  column.max = value(high);
  column.edges.clear();
  for (std::size_t i = 1; i < size(); ++i) column.edges.push_back(value(starts[i]));
  return column;
}

NumberScale widest_cells(const Column& column) {
  constexpr double kSecondsInADay = 86400.0;
  const double times = times_of(column);
  if (column.type == ColumnType::date) return years(1, 1.0);
  if (column.type == ColumnType::datetime) return years(std::llround(kSecondsInADay * times), times);
  return octaves(times);
}

NumberScale fine_cells(const Column& column, const NumberScale& widest, std::pair<std::size_t, std::size_t> between) {
  return split(widest.starts[between.first], widest.end_of(between.second), widest.times,
               !is_date(column) && between.second - between.first > kOctaves);
}

NumberScale fine_cells(const Column& column) {
  const double times = times_of(column);
  return split(std::llround(std::ceil(*column.min * times - 0.5)), std::llround(std::floor(*column.max * times + 0.5)),
               times, false);
}

std::pair<std::size_t, std::size_t> outermost(std::span<const double> counts, double threshold) {
  const auto is_seen = [threshold](double count) { return count > threshold; };
  const auto first = std::find_if(counts.begin(), counts.end(), is_seen);
  if (first == counts.end()) return {1, 0};
  const auto last = std::find_if(counts.rbegin(), counts.rend(), is_seen);
  return {static_cast<std::size_t>(first - counts.begin()), static_cast<std::size_t>(counts.rend() - last) - 1};
}

}  // namespace sosia
