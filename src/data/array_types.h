// SPDX-License-Identifier: Apache-2.0
// Arrow arrays as their own classes, and those that hold each value once.
#pragma once

#include <arrow/array.h>
#include <arrow/type.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

namespace sosia {

template <class Array>
inline constexpr bool kIsText =
    std::is_same_v<Array, arrow::StringArray> || std::is_same_v<Array, arrow::LargeStringArray> ||
    std::is_same_v<Array, arrow::StringViewArray>;

template <class Array>
inline constexpr bool kIsDecimal =
    std::is_same_v<Array, arrow::Decimal128Array> || std::is_same_v<Array, arrow::Decimal256Array>;

/// Calls `see` with the array as its own class; false if its cells are no text, numbers, truth or dates.
template <class See>
bool with_array(const arrow::Array& cells, const See& see) {
  const auto as = [&]<class Array>(std::type_identity<Array>) {
    see(static_cast<const Array&>(cells));
    return true;
  };
  switch (cells.type_id()) {
    case arrow::Type::STRING:
      return as(std::type_identity<arrow::StringArray>());
    case arrow::Type::LARGE_STRING:
      return as(std::type_identity<arrow::LargeStringArray>());
    case arrow::Type::STRING_VIEW:
      return as(std::type_identity<arrow::StringViewArray>());
    case arrow::Type::BOOL:
      return as(std::type_identity<arrow::BooleanArray>());
    case arrow::Type::INT8:
      return as(std::type_identity<arrow::Int8Array>());
    case arrow::Type::INT16:
      return as(std::type_identity<arrow::Int16Array>());
    case arrow::Type::INT32:
      return as(std::type_identity<arrow::Int32Array>());
    case arrow::Type::INT64:
      return as(std::type_identity<arrow::Int64Array>());
    case arrow::Type::UINT8:
      return as(std::type_identity<arrow::UInt8Array>());
    case arrow::Type::UINT16:
      return as(std::type_identity<arrow::UInt16Array>());
    case arrow::Type::UINT32:
      return as(std::type_identity<arrow::UInt32Array>());
    case arrow::Type::UINT64:
      return as(std::type_identity<arrow::UInt64Array>());
    case arrow::Type::FLOAT:
      return as(std::type_identity<arrow::FloatArray>());
    case arrow::Type::DOUBLE:
      return as(std::type_identity<arrow::DoubleArray>());
    case arrow::Type::DATE32:
      return as(std::type_identity<arrow::Date32Array>());
    case arrow::Type::DATE64:
      return as(std::type_identity<arrow::Date64Array>());
    case arrow::Type::TIMESTAMP:
      return as(std::type_identity<arrow::TimestampArray>());
    case arrow::Type::DECIMAL128:
      return as(std::type_identity<arrow::Decimal128Array>());
    case arrow::Type::DECIMAL256:
      return as(std::type_identity<arrow::Decimal256Array>());
    default:
      return false;
  }
}

/// The values of a dictionary or of runs, and which of them each cell has; kNoEntry: the cell is null.
struct SharedCells {
  static constexpr std::int64_t kNoEntry = -1;
  std::shared_ptr<arrow::Array> values;
  std::vector<std::int64_t> entries;
};

/// Nothing where the array holds its cells one by one. Which of the forms a file has may depend on its other rows, so
/// a cell must mean the same in all of them.
std::optional<SharedCells> shared_cells(const arrow::Array& cells);

/// How many ticks of a timestamp or a date64 are a second.
std::int64_t ticks_per_second(const arrow::DataType& type);

inline constexpr std::int64_t kDaySeconds = 86400;
/// Rounded down.
constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - static_cast<std::int64_t>(a % b < 0);
}

}  // namespace sosia
