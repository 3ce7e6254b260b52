// SPDX-License-Identifier: Apache-2.0
#include "data/array_reader.h"

#include <arrow/array.h>
#include <arrow/type.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <type_traits>
#include <utility>

#include <sosia/error.h>

#include "base/check.h"
#include "base/json_reader.h"
#include "data/array_types.h"
#include "data/cell.h"

namespace sosia {

namespace {

bool is_date_column(ColumnType type) { return type == ColumnType::date || type == ColumnType::datetime; }

bool is_date_type(const arrow::DataType& type) {
  return type.id() == arrow::Type::DATE32 || type.id() == arrow::Type::DATE64 || type.id() == arrow::Type::TIMESTAMP;
}

/// The nearest double, as of a text with the same digits. Arrow's own conversion errs by the places of the type, which
/// writers take from the longest of all cells.
template <class Array>
double decimal_value(const Array& cells, std::int64_t i) {
  double value = 0.0;
  SOSIA_CHECK(parse_number(cells.FormatValue(i), value), "a decimal's text is no number");
  return value;
}

template <class... How>
std::string chars_of(How... how) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), how...).ptr;
  return {buffer.data(), end};
}

/// Whole numbers as an integer column has them.
template <class Number>
std::string number_text(Number number) {
  constexpr double kBeyondIntegers = 18446744073709551616.0;  // 2^64
  const auto value = static_cast<double>(number);
  if constexpr (std::is_floating_point_v<Number>) {
    const bool whole = value == std::floor(value) && std::abs(value) < kBeyondIntegers;
    return whole ? chars_of(value + 0.0, std::chars_format::fixed) : chars_of(number);  // never "-0"
  } else {
    return std::abs(value) < kMaxWhole ? chars_of(number) : number_text(value);
  }
}

/// What the shortest text of a float says: a writer who stores 0.1 in single precision means 0.1, and may choose it
/// because of some other cell.
double float_value(float number) {
  double value = number;
  const bool is_small_and_whole = value == std::floor(value) && std::abs(value) < kMaxWhole;
  if (is_small_and_whole || !std::isfinite(value)) return value;
  SOSIA_CHECK(parse_number(number_text(number), value), "a float's text is no number");
  return value;
}

/// One cell of a present value, by the class of its array.
class NumberReader {
 public:
  NumberReader(const arrow::Array& cells, ColumnType type, std::string_view format, const MissingWords& missing)
      : type_(type), format_(format), missing_(missing), mixed_(is_date_column(type) != is_date_type(*cells.type())) {
    if (cells.type_id() == arrow::Type::TIMESTAMP || cells.type_id() == arrow::Type::DATE64) {
      per_second_ = ticks_per_second(*cells.type());
    }
  }

  CellState text(std::string_view text, double& value) const {
    if (missing_.holds(text)) return CellState::missing;
    bool good = false;
    if (type_ == ColumnType::date) {
      std::int64_t days = 0;
      good = parse_date(text, format_, days);
      value = static_cast<double>(days);
    } else if (type_ == ColumnType::datetime) {
      good = parse_datetime(text, format_, value);
      value = std::floor(value);
    } else {
      good = parse_number(text, value);
    }
    return good ? CellState::present : CellState::unreadable;
  }

  CellState number(double number, double& value) const {
    if (mixed_) return CellState::unreadable;
    value = number;
    return std::isnan(number) ? CellState::missing : CellState::present;
  }

  CellState days(std::int64_t days, double& value) const {
    if (mixed_) return CellState::unreadable;
    value = static_cast<double>(days) * (type_ == ColumnType::date ? 1.0 : static_cast<double>(kDaySeconds));
    return CellState::present;
  }

  CellState ticks(std::int64_t ticks, double& value) const {
    if (mixed_) return CellState::unreadable;
    const std::int64_t seconds = floor_div(ticks, per_second_);
    value = static_cast<double>(type_ == ColumnType::date ? floor_div(seconds, kDaySeconds) : seconds);
    return CellState::present;
  }

  template <class Array>
  CellState read(const Array& cells, std::int64_t i, double& value) const {
    if constexpr (kIsText<Array>) {
      return text(cells.GetView(i), value);
    } else if constexpr (std::is_same_v<Array, arrow::Date32Array>) {
      return days(cells.Value(i), value);
    } else if constexpr (std::is_same_v<Array, arrow::Date64Array> || std::is_same_v<Array, arrow::TimestampArray>) {
      return ticks(cells.Value(i), value);
    } else if constexpr (kIsDecimal<Array>) {
      return number(decimal_value(cells, i), value);
    } else if constexpr (std::is_same_v<Array, arrow::FloatArray>) {
      return number(float_value(cells.Value(i)), value);
    } else {
      return number(static_cast<double>(cells.Value(i)), value);
    }
  }

 private:
  ColumnType type_;
  std::string_view format_;
  const MissingWords& missing_;
  bool mixed_;  ///< numbers in a date column or dates in a numeric one
  std::int64_t per_second_ = 1;
};

/// One text for one number, for what stores it as floating point, or as decimals of so many places, does so because of
/// some other cell. So integers that floating point cannot hold have the text of the nearest one that it can.
template <class Array>
std::string made_text(const Array& cells, std::int64_t i) {
  if constexpr (std::is_same_v<Array, arrow::BooleanArray>) {
    return cells.Value(i) ? "true" : "false";
  } else if constexpr (std::is_same_v<Array, arrow::Date32Array>) {
    return format_date(cells.Value(i));
  } else if constexpr (std::is_same_v<Array, arrow::Date64Array>) {
    return format_date(floor_div(cells.Value(i), 1'000 * kDaySeconds));
  } else if constexpr (std::is_same_v<Array, arrow::TimestampArray>) {
    return format_datetime(static_cast<double>(floor_div(cells.Value(i), ticks_per_second(*cells.type()))));
  } else if constexpr (kIsDecimal<Array>) {
    const std::string text = cells.FormatValue(i);
    return text.find('E') == std::string::npos ? std::string(without_zeros(text))
                                               : number_text(decimal_value(cells, i));
  } else {
    return number_text(cells.Value(i));
  }
}

template <class Array>
bool is_nan(const Array& cells, std::int64_t i) {
  if constexpr (std::is_same_v<Array, arrow::FloatArray> || std::is_same_v<Array, arrow::DoubleArray>) {
    return std::isnan(cells.Value(i));
  }
  return false;
}

template <class Cells>
Cells gather(const SharedCells& shared, const Cells& values) {
  Cells cells;
  const std::size_t count = shared.entries.size();
  cells.states.assign(count, CellState::missing);
  if constexpr (requires { cells.values; })
    cells.values.assign(count, 0.0);
  else
    cells.texts.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (shared.entries[i] == SharedCells::kNoEntry) continue;
    const auto entry = static_cast<std::size_t>(shared.entries[i]);
    cells.states[i] = values.states[entry];
    if constexpr (requires { cells.values; })
      cells.values[i] = values.values[entry];
    else
      cells.texts[i] = values.texts[entry];
  }
  return cells;
}

}  // namespace

MissingWords::MissingWords(std::vector<std::string> words) : words_(std::move(words)) {
  for (const std::string& word : words_) {
    if (word.size() < 64) lengths_ |= std::uint64_t{1} << word.size();
  }
}

bool MissingWords::search(std::string_view text) const {
  return std::any_of(words_.begin(), words_.end(), [text](const std::string& word) { return word == text; });
}

NumberCells read_numbers(const arrow::Array& cells, ColumnType type, std::string_view format,
                         const MissingWords& missing) {
  if (const auto shared = shared_cells(cells)) {
    return gather(*shared, read_numbers(*shared->values, type, format, missing));
  }
  const auto count = static_cast<std::size_t>(cells.length());
  NumberCells out{std::vector<double>(count), std::vector<CellState>(count, CellState::missing)};
  const NumberReader reader(cells, type, format, missing);
  const bool known = with_array(cells, [&](const auto& array) {
    const bool nulls = array.null_count() > 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto at = static_cast<std::int64_t>(i);
      if (!nulls || !array.IsNull(at)) out.states[i] = reader.read(array, at, out.values[i]);
    }
  });
  if (!known && cells.type_id() != arrow::Type::NA) {
    std::fill(out.states.begin(), out.states.end(), CellState::unreadable);
  }
  return out;
}

TextCells read_texts(const arrow::Array& cells) {
  if (const auto shared = shared_cells(cells)) {
    TextCells values = read_texts(*shared->values);
    TextCells out = gather(*shared, values);
    out.made = std::move(values.made);  // a deque's elements stay where they are
    return out;
  }
  const auto count = static_cast<std::size_t>(cells.length());
  TextCells out{std::vector<std::string_view>(count), std::vector<CellState>(count, CellState::missing), {}};
  const bool known = with_array(cells, [&]<class Array>(const Array& array) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto at = static_cast<std::int64_t>(i);
      if (array.IsNull(at) || is_nan(array, at)) continue;
      out.states[i] = CellState::present;
      if constexpr (kIsText<Array>) {
        out.texts[i] = array.GetView(at);
      } else {
        out.texts[i] = out.made.emplace_back(made_text(array, at));
      }
    }
  });
  if (!known && cells.type_id() != arrow::Type::NA) {
    std::fill(out.states.begin(), out.states.end(), CellState::unreadable);
  }
  return out;
}

bool holds_numbers(const arrow::Array& cells) {
  const auto id = cells.type_id();
  return arrow::is_integer(id) || id == arrow::Type::FLOAT || id == arrow::Type::DOUBLE ||
         id == arrow::Type::DECIMAL128 || id == arrow::Type::DECIMAL256;
}

bool holds_booleans(const arrow::Array& cells) { return cells.type_id() == arrow::Type::BOOL; }

void require_readable(const arrow::Array& cells, const std::string& column, const std::string& where) {
  if (cells.type_id() == arrow::Type::NA || with_array(cells, [](const auto&) {})) return;
  if (const auto shared = shared_cells(cells)) return require_readable(*shared->values, column, where);
  throw Error(ErrorKind::data, "column " + shown(column) + " is stored as a type that is not read", where,
              "store it as text, numbers, truth values or dates");
}

}  // namespace sosia
