// SPDX-License-Identifier: Apache-2.0
#include "data/array_reader.h"

#include <arrow/array.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <type_traits>
#include <utility>

#include "data/cell.h"

namespace sosia {

namespace {

constexpr std::int64_t kDaySeconds = 86400;

std::int64_t per_second(arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::SECOND:
      return 1;
    case arrow::TimeUnit::MILLI:
      return 1'000;
    case arrow::TimeUnit::MICRO:
      return 1'000'000;
    default:
      return 1'000'000'000;
  }
}

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - static_cast<std::int64_t>(a % b < 0); }

bool is_date_column(ColumnType type) { return type == ColumnType::date || type == ColumnType::datetime; }

bool is_date_type(const arrow::DataType& type) {
  return type.id() == arrow::Type::DATE32 || type.id() == arrow::Type::DATE64 || type.id() == arrow::Type::TIMESTAMP;
}

template <class Array>
constexpr bool kIsText = std::is_same_v<Array, arrow::StringArray> || std::is_same_v<Array, arrow::LargeStringArray> ||
                         std::is_same_v<Array, arrow::StringViewArray>;

template <class Array>
const Array& as(const arrow::Array& cells) {
  return static_cast<const Array&>(cells);
}

/// Calls `see` with the array as its own class; false if the type is none of ours.
template <class See>
bool with_array(const arrow::Array& cells, const See& see) {
  switch (cells.type_id()) {
    case arrow::Type::STRING:
      return see(as<arrow::StringArray>(cells)), true;
    case arrow::Type::LARGE_STRING:
      return see(as<arrow::LargeStringArray>(cells)), true;
    case arrow::Type::STRING_VIEW:
      return see(as<arrow::StringViewArray>(cells)), true;
    case arrow::Type::BOOL:
      return see(as<arrow::BooleanArray>(cells)), true;
    case arrow::Type::INT8:
      return see(as<arrow::Int8Array>(cells)), true;
    case arrow::Type::INT16:
      return see(as<arrow::Int16Array>(cells)), true;
    case arrow::Type::INT32:
      return see(as<arrow::Int32Array>(cells)), true;
    case arrow::Type::INT64:
      return see(as<arrow::Int64Array>(cells)), true;
    case arrow::Type::UINT8:
      return see(as<arrow::UInt8Array>(cells)), true;
    case arrow::Type::UINT16:
      return see(as<arrow::UInt16Array>(cells)), true;
    case arrow::Type::UINT32:
      return see(as<arrow::UInt32Array>(cells)), true;
    case arrow::Type::UINT64:
      return see(as<arrow::UInt64Array>(cells)), true;
    case arrow::Type::FLOAT:
      return see(as<arrow::FloatArray>(cells)), true;
    case arrow::Type::DOUBLE:
      return see(as<arrow::DoubleArray>(cells)), true;
    case arrow::Type::DATE32:
      return see(as<arrow::Date32Array>(cells)), true;
    case arrow::Type::DATE64:
      return see(as<arrow::Date64Array>(cells)), true;
    case arrow::Type::TIMESTAMP:
      return see(as<arrow::TimestampArray>(cells)), true;
    case arrow::Type::DECIMAL128:
      return see(as<arrow::Decimal128Array>(cells)), true;
    case arrow::Type::DECIMAL256:
      return see(as<arrow::Decimal256Array>(cells)), true;
    default:
      return false;
  }
}

/// One cell of a present value, by the class of its array.
class NumberReader {
 public:
  NumberReader(const arrow::Array& cells, ColumnType type, std::string_view format, const MissingWords& missing)
      : type_(type), format_(format), missing_(missing), mixed_(is_date_column(type) != is_date_type(*cells.type())) {
    if (cells.type_id() == arrow::Type::TIMESTAMP) {
      per_second_ = per_second(static_cast<const arrow::TimestampType&>(*cells.type()).unit());
    } else if (cells.type_id() == arrow::Type::DATE64) {
      per_second_ = 1'000;
    } else if (arrow::is_decimal(cells.type_id())) {
      scale_ = static_cast<const arrow::DecimalType&>(*cells.type()).scale();
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
    } else if constexpr (std::is_same_v<Array, arrow::Decimal128Array>) {
      return number(arrow::Decimal128(cells.GetValue(i)).ToDouble(scale_), value);
    } else if constexpr (std::is_same_v<Array, arrow::Decimal256Array>) {
      return number(arrow::Decimal256(cells.GetValue(i)).ToDouble(scale_), value);
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
  int scale_ = 0;
};

template <class Number>
std::string number_text(Number number) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  return {buffer.data(), end};
}

template <class Array>
std::string made_text(const Array& cells, std::int64_t i) {
  if constexpr (std::is_same_v<Array, arrow::BooleanArray>) {
    return cells.Value(i) ? "true" : "false";
  } else if constexpr (std::is_same_v<Array, arrow::Date32Array>) {
    return format_date(cells.Value(i));
  } else if constexpr (std::is_same_v<Array, arrow::Date64Array>) {
    return format_date(floor_div(cells.Value(i), 1'000 * kDaySeconds));
  } else if constexpr (std::is_same_v<Array, arrow::TimestampArray>) {
    const auto& type = static_cast<const arrow::TimestampType&>(*cells.type());
    return format_datetime(static_cast<double>(floor_div(cells.Value(i), per_second(type.unit()))));
  } else if constexpr (requires { cells.FormatValue(i); }) {
    return cells.FormatValue(i);
  } else {
    return number_text(cells.Value(i));
  }
}

template <class Cells>
Cells gather(const arrow::DictionaryArray& array, const Cells& entries) {
  Cells cells;
  const auto count = static_cast<std::size_t>(array.length());
  cells.states.assign(count, CellState::missing);
  if constexpr (requires { cells.values; })
    cells.values.assign(count, 0.0);
  else
    cells.texts.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (array.IsNull(static_cast<std::int64_t>(i))) continue;
    const auto entry = static_cast<std::size_t>(array.GetValueIndex(static_cast<std::int64_t>(i)));
    cells.states[i] = entries.states[entry];
    if constexpr (requires { cells.values; })
      cells.values[i] = entries.values[entry];
    else
      cells.texts[i] = entries.texts[entry];
  }
  return cells;
}

arrow::Type::type inner_id(const arrow::Array& cells) {
  if (cells.type_id() != arrow::Type::DICTIONARY) return cells.type_id();
  return as<arrow::DictionaryArray>(cells).dictionary()->type_id();
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
  if (cells.type_id() == arrow::Type::DICTIONARY) {
    const auto& array = static_cast<const arrow::DictionaryArray&>(cells);
    return gather(array, read_numbers(*array.dictionary(), type, format, missing));
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
  if (cells.type_id() == arrow::Type::DICTIONARY) {
    const auto& array = static_cast<const arrow::DictionaryArray&>(cells);
    TextCells entries = read_texts(*array.dictionary());
    TextCells out = gather(array, entries);
    out.made = std::move(entries.made);  // a deque's elements stay where they are
    return out;
  }
  const auto count = static_cast<std::size_t>(cells.length());
  TextCells out{std::vector<std::string_view>(count), std::vector<CellState>(count, CellState::missing), {}};
  const bool known = with_array(cells, [&]<class Array>(const Array& array) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto at = static_cast<std::int64_t>(i);
      if (array.IsNull(at)) continue;
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
  const auto id = inner_id(cells);
  return arrow::is_integer(id) || id == arrow::Type::FLOAT || id == arrow::Type::DOUBLE ||
         id == arrow::Type::DECIMAL128 || id == arrow::Type::DECIMAL256;
}

bool holds_booleans(const arrow::Array& cells) { return inner_id(cells) == arrow::Type::BOOL; }

}  // namespace sosia
