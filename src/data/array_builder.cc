// SPDX-License-Identifier: Apache-2.0
#include "data/array_builder.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/type.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"
#include "data/cell.h"

namespace sosia {

namespace {

void check(const arrow::Status& status) { SOSIA_CHECK(status.ok(), "an Arrow array could not be built"); }

template <class Builder>
std::shared_ptr<arrow::Array> finish(Builder& builder) {
  std::shared_ptr<arrow::Array> array;
  check(builder.Finish(&array));
  return array;
}

/// One array by a builder of its own class; `make(i)` is what to append.
template <class Builder, class Make>
std::shared_ptr<arrow::Array> build(Builder builder, std::span<const unsigned char> present, const Make& make) {
  check(builder.Reserve(static_cast<std::int64_t>(present.size())));
  for (std::size_t i = 0; i < present.size(); ++i) {
    check(present[i] != 0 ? builder.Append(make(i)) : builder.AppendNull());
  }
  return finish(builder);
}

template <class Integer>
Integer whole(double value) {
  constexpr auto kLow = static_cast<double>(std::numeric_limits<Integer>::min());
  constexpr auto kHigh = static_cast<double>(std::numeric_limits<Integer>::max());
  const double rounded = std::round(value);
  if (rounded <= kLow) return std::numeric_limits<Integer>::min();
  if (rounded >= kHigh) return std::numeric_limits<Integer>::max();
  return static_cast<Integer>(rounded);
}

std::string spelled(double value, const Column& column) {
  switch (column.type) {
    case ColumnType::date:
      return format_date(static_cast<std::int64_t>(value), column.format);
    case ColumnType::datetime:
      return format_datetime(value, column.format);
    case ColumnType::real:
      return format_number(value, column.decimals);
    default:
      return std::to_string(static_cast<std::int64_t>(value));
  }
}

/// A label as a truth value or a number; false where the type cannot say it.
bool label_value(const std::string& label, std::size_t code, const Column& column, const arrow::DataType& type,
                 double& value) {
  const bool is_boolean = column.type == ColumnType::boolean;
  if (type.id() == arrow::Type::BOOL) {
    bool truth = code == 1;
    if (!is_boolean && !parse_boolean(label, truth)) return false;
    value = truth ? 1 : 0;
    return !is_boolean || code < 2;
  }
  if (parse_number(label, value)) return true;
  value = static_cast<double>(code);  // a boolean column stored as 0 and 1
  return is_boolean && code < 2;
}

}  // namespace

std::shared_ptr<arrow::DataType> output_type(const Column& column, bool typed) {
  if (!typed) return arrow::utf8();
  switch (column.type) {
    case ColumnType::integer:
      return arrow::int64();
    case ColumnType::real:
      return arrow::float64();
    case ColumnType::date:
      return arrow::date32();
    case ColumnType::datetime:
      return arrow::timestamp(arrow::TimeUnit::MICRO);
    default:
      break;
  }
  if (column.stored == Stored::boolean) return arrow::boolean();
  return column.stored == Stored::integer ? arrow::int64() : arrow::utf8();
}

std::shared_ptr<arrow::Array> build_numbers(std::span<const double> values, std::span<const unsigned char> present,
                                            const Column& column, const std::shared_ptr<arrow::DataType>& type) {
  constexpr double kMicro = 1e6;
  switch (type->id()) {
    case arrow::Type::BOOL:
      return build(arrow::BooleanBuilder(), present, [&](std::size_t i) { return values[i] != 0; });
    case arrow::Type::INT64:
      return build(arrow::Int64Builder(), present, [&](std::size_t i) { return whole<std::int64_t>(values[i]); });
    case arrow::Type::DOUBLE:
      return build(arrow::DoubleBuilder(), present, [&](std::size_t i) { return values[i]; });
    case arrow::Type::DATE32:
      return build(arrow::Date32Builder(), present, [&](std::size_t i) { return whole<std::int32_t>(values[i]); });
    case arrow::Type::TIMESTAMP:
      return build(arrow::TimestampBuilder(type, arrow::default_memory_pool()), present,
                   [&](std::size_t i) { return whole<std::int64_t>(values[i] * kMicro); });
    default:
      return build(arrow::StringBuilder(), present, [&](std::size_t i) { return spelled(values[i], column); });
  }
}

std::shared_ptr<arrow::Array> build_labels(std::span<const int> codes, const std::vector<std::string>& labels,
                                           const Column& column, const std::shared_ptr<arrow::DataType>& type) {
  std::vector<unsigned char> present(codes.size());
  std::transform(codes.begin(), codes.end(), present.begin(), [](int code) { return code >= 0 ? 1 : 0; });
  const auto at = [&](std::size_t i) { return static_cast<std::size_t>(codes[i]); };
  if (type->id() == arrow::Type::STRING) {
    return build(arrow::StringBuilder(), present, [&](std::size_t i) -> const std::string& { return labels[at(i)]; });
  }
  std::vector<double> label_values(labels.size()), values(codes.size());
  std::vector<bool> sayable(labels.size());
  for (std::size_t c = 0; c < labels.size(); ++c)
    sayable[c] = label_value(labels[c], c, column, *type, label_values[c]);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    if (present[i] != 0 && !sayable[at(i)]) present[i] = 0;
    if (present[i] != 0) values[i] = label_values[at(i)];
  }
  return build_numbers(values, present, column, type);
}

}  // namespace sosia
