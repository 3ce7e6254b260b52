// SPDX-License-Identifier: Apache-2.0
#include "data/typed_array_test_support.h"

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/builder.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include <cmath>

#include "base/check.h"
#include "data/array_builder.h"
#include "data/cell.h"

namespace sosia::testing {

namespace {

constexpr double kDay = 86400;

template <class T>
T checked(arrow::Result<T> result) {
  SOSIA_CHECK(result.ok(), "an array for a test could not be built");
  return result.MoveValueUnsafe();
}

std::int64_t ticks_in_a_second(arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::SECOND:
      return 1;
    case arrow::TimeUnit::MILLI:
      return 1'000;
    case arrow::TimeUnit::MICRO:
      return 1'000'000;
    case arrow::TimeUnit::NANO:
      break;
  }
  return 1'000'000'000;
}

std::shared_ptr<arrow::Scalar> scalar_of(double value, const Column& column,
                                         const std::shared_ptr<arrow::DataType>& type) {
  const double seconds = column.type == ColumnType::date ? value * kDay : value;
  const auto days = static_cast<std::int64_t>(std::floor(seconds / kDay));
  switch (type->id()) {
    case arrow::Type::BOOL:
      return arrow::MakeScalar(value != 0);
    case arrow::Type::FLOAT:
    case arrow::Type::DOUBLE:
      return checked(arrow::MakeScalar(type, value));
    case arrow::Type::DATE32:
      return checked(arrow::MakeScalar(type, static_cast<std::int32_t>(days)));
    case arrow::Type::DATE64:
      return checked(arrow::MakeScalar(type, days * 86'400'000));
    case arrow::Type::TIMESTAMP: {
      const std::int64_t ticks = ticks_in_a_second(static_cast<const arrow::TimestampType&>(*type).unit());
      return checked(arrow::MakeScalar(type, std::llround(seconds) * ticks));
    }
    case arrow::Type::DECIMAL128: {
      const auto& decimal = static_cast<const arrow::Decimal128Type&>(*type);
      const auto number = checked(arrow::Decimal128::FromReal(value, decimal.precision(), decimal.scale()));
      return std::make_shared<arrow::Decimal128Scalar>(number, type);
    }
    default:
      return checked(arrow::MakeScalar(type, std::llround(value)));
  }
}

/// Whether the type can say the label, and as which number.
bool number_of(const std::string& label, int code, const Column& column, const arrow::DataType& type, double& value) {
  if (type.id() == arrow::Type::BOOL) {
    bool truth = code == 1;
    if (column.type == ColumnType::boolean ? code > 1 : !parse_boolean(label, truth)) return false;
    value = truth ? 1 : 0;
    return true;
  }
  if (parse_number(label, value)) return true;
  value = code;
  return column.type == ColumnType::boolean && code < 2;
}

}  // namespace

std::shared_ptr<arrow::DataType> arrow_type(std::string_view name) {
  using arrow::TimeUnit;
  const std::shared_ptr<arrow::DataType> types[] = {arrow::utf8(),
                                                    arrow::large_utf8(),
                                                    arrow::utf8_view(),
                                                    arrow::boolean(),
                                                    arrow::int8(),
                                                    arrow::int16(),
                                                    arrow::int32(),
                                                    arrow::int64(),
                                                    arrow::uint8(),
                                                    arrow::uint16(),
                                                    arrow::uint32(),
                                                    arrow::uint64(),
                                                    arrow::float32(),
                                                    arrow::float64(),
                                                    arrow::date32(),
                                                    arrow::date64(),
                                                    arrow::timestamp(TimeUnit::SECOND),
                                                    arrow::timestamp(TimeUnit::MILLI),
                                                    arrow::timestamp(TimeUnit::MICRO),
                                                    arrow::timestamp(TimeUnit::NANO),
                                                    arrow::timestamp(TimeUnit::MICRO, "UTC"),
                                                    arrow::decimal128(12, 2),
                                                    arrow::decimal128(30, 3)};
  for (const auto& type : types) {
    if (type->ToString() == name) return type;
  }
  SOSIA_CHECK(name == "dictionary", "no such type in the tests");
  return arrow::dictionary(arrow::int32(), arrow::utf8());
}

std::shared_ptr<arrow::Array> typed_numbers(std::span<const double> values, std::span<const unsigned char> present,
                                            const Column& column, std::string_view type_name) {
  const auto type = arrow_type(type_name);
  const auto builder = checked(arrow::MakeBuilder(type));
  const auto texts = build_numbers(values, present, column, arrow::utf8());
  const bool is_text = arrow::is_base_binary_like(type->id()) || type->id() == arrow::Type::STRING_VIEW;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::shared_ptr<arrow::Scalar> scalar = arrow::MakeNullScalar(type);
    if (present[i] != 0 && is_text) {
      const auto& text = static_cast<const arrow::StringArray&>(*texts);
      scalar =
          checked(arrow::MakeScalar(type, arrow::Buffer::FromString(text.GetString(static_cast<std::int64_t>(i)))));
    } else if (present[i] != 0) {
      scalar = scalar_of(values[i], column, type);
    }
    SOSIA_CHECK(builder->AppendScalar(*scalar).ok(), "a cell for a test could not be built");
  }
  return checked(builder->Finish());
}

std::shared_ptr<arrow::Array> typed_labels(std::span<const int> codes, const std::vector<std::string>& labels,
                                           const Column& column, std::string_view type_name) {
  const auto type = arrow_type(type_name);
  const auto texts = build_labels(codes, labels, column, arrow::utf8());
  if (type->id() == arrow::Type::STRING) return texts;
  if (type->id() == arrow::Type::DICTIONARY) {
    std::vector<int> all(labels.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
    arrow::Int32Builder indices;
    for (const int code : codes) {
      SOSIA_CHECK((code < 0 ? indices.AppendNull() : indices.Append(code)).ok(), "no index for a test");
    }
    return checked(arrow::DictionaryArray::FromArrays(type, checked(indices.Finish()),
                                                      build_labels(all, labels, column, arrow::utf8())));
  }
  const auto builder = checked(arrow::MakeBuilder(type));
  const bool is_text = arrow::is_base_binary_like(type->id()) || type->id() == arrow::Type::STRING_VIEW;
  for (const int code : codes) {
    std::shared_ptr<arrow::Scalar> scalar = arrow::MakeNullScalar(type);
    double value = 0.0;
    const auto at = static_cast<std::size_t>(code);
    if (code >= 0 && is_text) {
      scalar = checked(arrow::MakeScalar(type, arrow::Buffer::FromString(labels[at])));
    } else if (code >= 0 && number_of(labels[at], code, column, *type, value)) {
      scalar = scalar_of(value, column, type);
    }
    SOSIA_CHECK(builder->AppendScalar(*scalar).ok(), "a cell for a test could not be built");
  }
  return checked(builder->Finish());
}

}  // namespace sosia::testing
