// SPDX-License-Identifier: Apache-2.0
// Random columns, and cells for them, for property tests.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "data/cell.h"
#include "data/codec.h"

namespace sosia::testing {

/// Columns and cells that try everything.
class Maker {
 public:
  explicit Maker(unsigned seed) : random_(seed) {}

  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  bool coin() { return below(2) == 0; }
  double between(double low, double high) { return low + (high - low) * static_cast<double>(random_()) / 4294967295.0; }
  template <class T>
  T one_of(std::initializer_list<T> choices) {
    return *(choices.begin() + below(static_cast<int>(choices.size())));
  }
  std::mt19937& random() { return random_; }

  Column column(const std::string& name) {
    Column column{.name = name, .type = static_cast<ColumnType>(below(7)), .missing = coin()};
    if (column.type <= ColumnType::ordinal) {
      column.outside = Outside::other;
      column.values = std::vector<std::string>{"0", "1"};
      const int count = column.type == ColumnType::boolean ? 2 : 1 + below(40);
      for (int i = 2; i < count; ++i) column.values->push_back(std::to_string(i * 7));
      if (count == 1) column.values->pop_back();
      return column;
    }
    bounds(column);
    const int decimals = column.type == ColumnType::real ? column.decimals : 0;
    for (int i = column.type <= ColumnType::real ? below(4) : 0; i > 0; --i) {
      const double atom = round_decimals(between(*column.min, *column.max), decimals);
      if (atom >= *column.min && atom <= *column.max) column.atoms.push_back(atom);
    }
    std::sort(column.atoms.begin(), column.atoms.end());
    column.atoms.erase(std::unique(column.atoms.begin(), column.atoms.end()), column.atoms.end());
    if (below(4) == 0 && *column.min < *column.max) add_edges(column);
    return column;
  }

  void add_edges(Column& column) {
    for (int i = 0; i < 12; ++i) {
      const double edge = between(*column.min, *column.max);
      if (edge > *column.min && edge <= *column.max) column.edges.push_back(edge);
    }
    std::sort(column.edges.begin(), column.edges.end());
    column.edges.erase(std::unique(column.edges.begin(), column.edges.end()), column.edges.end());
  }

  CodecOptions options() {
    return CodecOptions{.bins = 1 + below(70), .log_bins = coin(), .levels = 1 + below(2), .calendar = coin()};
  }

  std::string stored(ColumnType type) {
    switch (type) {
      case ColumnType::boolean:
        return one_of<const char*>({"string", "bool", "int8", "double"});
      case ColumnType::integer:
        return one_of<const char*>({"string", "int64", "double", "large_string", "string_view"});
      case ColumnType::real:
        return one_of<const char*>({"string", "double", "float", "decimal128(30, 3)"});
      case ColumnType::date:
        return one_of<const char*>({"string", "date32[day]", "date64[ms]", "timestamp[ms]"});
      case ColumnType::datetime:
        return one_of<const char*>({"string", "timestamp[s]", "timestamp[us, tz=UTC]", "date32[day]"});
      default:
        return one_of<const char*>({"string", "dictionary", "large_string"});
    }
  }

  /// The text of a cell: mostly good, at times missing, outside or nonsense.
  std::optional<std::string> cell(const Column& column) {
    switch (below(12)) {
      case 0:
        return std::nullopt;
      case 1:
        return "NA";
      case 2:
        return one_of<const char*>(
            {"", "-1e300", "1e300", "nan", "inf", "2024-13-01", "x,\"y\"", "0x10", "9999-12-31"});
      default:
        break;
    }
    if (column.values)
      return column.values->at(static_cast<std::size_t>(below(static_cast<int>(column.values->size()))));
    const bool atom = !column.atoms.empty() && below(3) == 0;
    const double value = atom ? column.atoms.front() : between(*column.min, *column.max);
    if (column.type == ColumnType::date)
      return format_date(static_cast<std::int64_t>(std::floor(value)), column.format);
    if (column.type == ColumnType::datetime) return format_datetime(std::floor(value), column.format);
    return format_number(value, column.type == ColumnType::real ? column.decimals : 0);
  }

  /// As above, but mostly what is hard to judge: on the edge of the bounds, fractions, other spellings.
  std::optional<std::string> hard_cell(const Column& column) {
    if (coin()) return cell(column);
    if (column.values || below(4) == 0) {
      return one_of<const char*>(
          {"?", "NA", "other", "TRUE", "f", "1.0", "0", " 1", "on", "7", "Other", "NaN", "maybe"});
    }
    const double value = hard_number(column);
    if (column.type == ColumnType::date) return format_date(static_cast<std::int64_t>(value), column.format);
    if (column.type == ColumnType::datetime) return format_datetime(value, column.format);
    return format_number(value, 15);
  }

  /// On a bound, or a little or a step or far off it.
  double hard_number(const Column& column) {
    const double bound = coin() ? *column.min : *column.max;
    const double off = one_of<double>({0, 1e-9, -1e-9, 0.3, -0.3, 0.5, -0.5, 1, -1, 59, -59, 1e6});
    return bound + off * (coin() ? 1 : std::pow(10.0, -column.decimals));
  }

 private:
  void bounds(Column& column) {
    if (column.type == ColumnType::integer) {
      column.min = std::floor(between(-1000, 1000));
      column.max = *column.min + one_of<double>({0, 1, 5, 40, 1e4, 1e9});
    } else if (column.type == ColumnType::real) {
      column.decimals = below(7);
      column.min = round_decimals(between(-50, 50), column.decimals);
      column.max = round_decimals(*column.min + one_of<double>({1, 3.7, 100, 1e5}), column.decimals);
    } else if (column.type == ColumnType::date) {
      column.format = one_of<const char*>({"", "%d/%m/%Y", "%b %d, %Y"});
      column.min = std::floor(between(-30000, 10000));
      column.max = *column.min + one_of<double>({0, 6, 365, 40000});
    } else {
      column.format = one_of<const char*>({"", "%Y-%m-%d %H:%M:%S", "%d.%m.%Y %H:%M"});
      column.min = std::floor(between(-2e9, 1e9));
      column.max = *column.min + one_of<double>({86400 * 3, 3e7, 3e9});
    }
  }

  std::mt19937 random_;
};

}  // namespace sosia::testing
