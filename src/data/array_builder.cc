// SPDX-License-Identifier: Apache-2.0
#include "data/array_builder.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"
#include "data/array_reader.h"
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

template <class Make>
std::shared_ptr<arrow::Array> build_text(arrow::Type::type id, std::span<const unsigned char> present,
                                         const Make& make) {
  if (id == arrow::Type::LARGE_STRING) return build(arrow::LargeStringBuilder(), present, make);
  if (id == arrow::Type::STRING_VIEW) return build(arrow::StringViewBuilder(), present, make);
  return build(arrow::StringBuilder(), present, make);
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

std::shared_ptr<arrow::Array> build_decimal(std::span<const double> values, std::span<const unsigned char> present,
                                            const std::shared_ptr<arrow::DataType>& type) {
  const auto& decimal = static_cast<const arrow::Decimal128Type&>(*type);
  arrow::Decimal128Builder builder(type);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto number = arrow::Decimal128::FromReal(values[i], decimal.precision(), decimal.scale());
    check(present[i] != 0 && number.ok() ? builder.Append(*number) : builder.AppendNull());
  }
  return finish(builder);
}

std::shared_ptr<arrow::Array> build_times(std::span<const double> values, std::span<const unsigned char> present,
                                          const Column& column, const std::shared_ptr<arrow::DataType>& type) {
  // A date column holds days; every other one that is stored as a time holds seconds.
  const double seconds = column.type == ColumnType::date ? 86400 : 1;
  if (type->id() == arrow::Type::DATE32) {
    return build(arrow::Date32Builder(), present,
                 [&](std::size_t i) { return whole<std::int32_t>(std::floor(values[i] * seconds / 86400)); });
  }
  if (type->id() == arrow::Type::DATE64) {
    return build(arrow::Date64Builder(), present, [&](std::size_t i) {
      return whole<std::int64_t>(std::floor(values[i] * seconds / 86400)) * 86'400'000;
    });
  }
  std::int64_t ticks = 1;
  switch (static_cast<const arrow::TimestampType&>(*type).unit()) {
    case arrow::TimeUnit::SECOND:
      break;
    case arrow::TimeUnit::MILLI:
      ticks = 1'000;
      break;
    case arrow::TimeUnit::MICRO:
      ticks = 1'000'000;
      break;
    case arrow::TimeUnit::NANO:
      ticks = 1'000'000'000;
      break;
  }
  const std::int64_t most = std::numeric_limits<std::int64_t>::max() / ticks;  // nanoseconds end in the year 2262
  return build(arrow::TimestampBuilder(type, arrow::default_memory_pool()), present, [&](std::size_t i) {
    return std::clamp(whole<std::int64_t>(values[i] * seconds), -most, most) * ticks;
  });
}

template <class Builder>
std::shared_ptr<arrow::Array> build_whole(std::span<const double> values, std::span<const unsigned char> present) {
  return build(Builder(), present, [&](std::size_t i) { return whole<typename Builder::value_type>(values[i]); });
}

/// Labels as numbers, days or seconds, by the type that has to say them; false where it cannot.
bool label_value(const std::string& label, std::size_t code, const Column& column, const arrow::DataType& type,
                 double& value) {
  switch (type.id()) {
    case arrow::Type::BOOL: {
      bool truth = code == 1;
      if (column.type != ColumnType::boolean && !parse_boolean(label, truth)) return false;
      value = truth ? 1 : 0;
      return column.type != ColumnType::boolean || code < 2;
    }
    case arrow::Type::DATE32:
    case arrow::Type::DATE64:
    case arrow::Type::TIMESTAMP:
      return parse_datetime(label, {}, value) || parse_datetime(label + "T00:00", {}, value);
    default:
      break;
  }
  if (parse_number(label, value)) return true;
  value = static_cast<double>(code);  // a boolean column stored as 0 and 1
  return column.type == ColumnType::boolean && code < 2;
}

/// The arguments of a type's name: "timestamp[us, tz=UTC]" has "us" and "tz=UTC".
std::vector<std::string> arguments(std::string_view name) {
  const auto open = name.find_first_of("[(<");
  std::vector<std::string> list;
  if (open == std::string_view::npos) return list;
  name = name.substr(open + 1, name.size() - open - 2);
  while (!name.empty()) {
    const auto comma = name.find(',');
    list.emplace_back(name.substr(0, comma));
    name = comma == std::string_view::npos ? "" : name.substr(std::min(comma + 2, name.size()));
  }
  return list;
}

std::shared_ptr<arrow::DataType> timestamp_type(const std::vector<std::string>& parts) {
  const std::string unit = parts.empty() ? "us" : parts[0];
  auto known = arrow::TimeUnit::MICRO;
  if (unit == "s") known = arrow::TimeUnit::SECOND;
  if (unit == "ms") known = arrow::TimeUnit::MILLI;
  if (unit == "ns") known = arrow::TimeUnit::NANO;
  return arrow::timestamp(known, parts.size() > 1 && parts[1].starts_with("tz=") ? parts[1].substr(3) : "");
}

std::shared_ptr<arrow::DataType> decimal_type(const std::vector<std::string>& parts) {
  int precision = 0, scale = 0;
  if (parts.size() == 2) {
    std::from_chars(parts[0].data(), parts[0].data() + parts[0].size(), precision);
    std::from_chars(parts[1].data(), parts[1].data() + parts[1].size(), scale);
  }
  const auto type = arrow::Decimal128Type::Make(precision, scale);
  return type.ok() ? *type : arrow::utf8();
}

}  // namespace

std::shared_ptr<arrow::DataType> stored_type(std::string_view name) {
  for (const auto& type :
       {arrow::utf8(), arrow::large_utf8(), arrow::utf8_view(), arrow::boolean(), arrow::int8(), arrow::int16(),
        arrow::int32(), arrow::int64(), arrow::uint8(), arrow::uint16(), arrow::uint32(), arrow::uint64(),
        arrow::float32(), arrow::float64(), arrow::date32(), arrow::date64()}) {
    if (type->ToString() == name) return type;
  }
  const std::vector<std::string> parts = arguments(name);
  if (name.starts_with("timestamp[")) return timestamp_type(parts);
  if (name.starts_with("decimal128(")) return decimal_type(parts);
  if (name.starts_with("dictionary<values=")) {
    const std::string_view values = std::string_view(name).substr(18, name.find(", indices=") - 18);
    return arrow::dictionary(arrow::int32(), stored_type(values));
  }
  return arrow::utf8();
}

std::shared_ptr<arrow::DataType> number_type(const std::shared_ptr<arrow::DataType>& stored) {
  if (stored->id() != arrow::Type::DICTIONARY) return stored;
  return static_cast<const arrow::DictionaryType&>(*stored).value_type();
}

Precision precision_of(const arrow::DataType& type) {
  constexpr double kFloatSteps = 4194304;  // 2^22: half of a step is then still more than a float's rounding
  if (type.id() == arrow::Type::FLOAT) return {.largest = kFloatSteps};
  if (type.id() == arrow::Type::DATE32 || type.id() == arrow::Type::DATE64) return {.seconds = 86400};
  if (type.id() == arrow::Type::DECIMAL128) {
    return {.decimals = std::max(0, static_cast<const arrow::Decimal128Type&>(type).scale())};
  }
  return {.decimals = arrow::is_integer(type.id()) ? 0 : Precision{}.decimals};
}

std::shared_ptr<arrow::Array> build_numbers(std::span<const double> values, std::span<const unsigned char> present,
                                            const Column& column, const std::shared_ptr<arrow::DataType>& type) {
  switch (type->id()) {
    case arrow::Type::BOOL:
      return build(arrow::BooleanBuilder(), present, [&](std::size_t i) { return values[i] != 0; });
    case arrow::Type::INT8:
      return build_whole<arrow::Int8Builder>(values, present);
    case arrow::Type::INT16:
      return build_whole<arrow::Int16Builder>(values, present);
    case arrow::Type::INT32:
      return build_whole<arrow::Int32Builder>(values, present);
    case arrow::Type::INT64:
      return build_whole<arrow::Int64Builder>(values, present);
    case arrow::Type::UINT8:
      return build_whole<arrow::UInt8Builder>(values, present);
    case arrow::Type::UINT16:
      return build_whole<arrow::UInt16Builder>(values, present);
    case arrow::Type::UINT32:
      return build_whole<arrow::UInt32Builder>(values, present);
    case arrow::Type::UINT64:
      return build_whole<arrow::UInt64Builder>(values, present);
    case arrow::Type::FLOAT:
      return build(arrow::FloatBuilder(), present, [&](std::size_t i) { return static_cast<float>(values[i]); });
    case arrow::Type::DOUBLE:
      return build(arrow::DoubleBuilder(), present, [&](std::size_t i) { return values[i]; });
    case arrow::Type::DATE32:
    case arrow::Type::DATE64:
    case arrow::Type::TIMESTAMP:
      return build_times(values, present, column, type);
    case arrow::Type::DECIMAL128:
      return build_decimal(values, present, type);
    default:
      return build_text(type->id(), present, [&](std::size_t i) { return spelled(values[i], column); });
  }
}

std::shared_ptr<arrow::Array> build_labels(std::span<const int> codes, const std::vector<std::string>& labels,
                                           const Column& column, const std::shared_ptr<arrow::DataType>& type) {
  std::vector<unsigned char> present(codes.size());
  std::transform(codes.begin(), codes.end(), present.begin(), [](int code) { return code >= 0 ? 1 : 0; });
  const auto at = [&](std::size_t i) { return static_cast<std::size_t>(codes[i]); };
  if (type->id() == arrow::Type::DICTIONARY) {
    std::vector<int> all(labels.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
    const auto entries = build_labels(all, labels, column, number_type(type));
    const auto indices = build(arrow::Int32Builder(), present, [&](std::size_t i) { return codes[i]; });
    return std::make_shared<arrow::DictionaryArray>(type, indices, entries);
  }
  if (arrow::is_binary_like(type->id()) || arrow::is_large_binary_like(type->id()) ||
      type->id() == arrow::Type::STRING_VIEW) {
    return build_text(type->id(), present, [&](std::size_t i) -> const std::string& { return labels[at(i)]; });
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

std::shared_ptr<arrow::Array> build_texts(const std::vector<std::string>& texts,
                                          const std::shared_ptr<arrow::DataType>& type) {
  const std::vector<unsigned char> present(texts.size(), 1);
  return build_text(type->id(), present, [&](std::size_t i) -> const std::string& { return texts[i]; });
}

}  // namespace sosia
