// SPDX-License-Identifier: Apache-2.0
// The same column, whatever its file stores it as.
#include "data/array_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/codec_test_support.h"
#include "data/typed_array_test_support.h"

namespace sosia::testing {
namespace {

using ::testing::ElementsAre;

/// Codes of values 0, 1, 5 and a missing one, stored in the given type.
std::vector<float> codes_of(const Column& column, const std::string& type, std::vector<double> values) {
  const std::vector<unsigned char> present = {1, 1, 1, 0};
  values.push_back(0);
  const auto array = typed_numbers(values, present, column, type);
  EXPECT_EQ(array->type()->ToString(), type);
  const Codec codec({.columns = {column}}, {.bins = 100});
  const Rows rows = encoded(codec, *batch_of({{column.name, array}}));
  EXPECT_EQ(rows.trouble.columns[0].outside + rows.trouble.columns[0].unreadable, 0) << type;
  return rows.values;
}

TEST(ArrayReader, NumbersOfEveryType) {
  for (const char* type : {"string", "large_string", "string_view", "int8", "int16", "int32", "int64", "uint8",
                           "uint16", "uint32", "uint64", "float", "double", "decimal128(12, 2)"}) {
    SCOPED_TRACE(type);
    const Column number{.name = "x", .type = ColumnType::integer, .min = 0, .max = 9, .missing = true};
    EXPECT_THAT(codes_of(number, type, {0, 1, 5}), ElementsAre(0, 1, 5, 10));
    const Column level{.name = "x",
                       .type = ColumnType::ordinal,
                       .values = {{"0", "1", "5"}},
                       .missing = true,
                       .outside = Outside::refuse};
    EXPECT_THAT(codes_of(level, type, {0, 1, 5}), ElementsAre(0, 1, 2, 3));
  }
}

TEST(ArrayReader, DatesOfEveryType) {
  const Column date{.name = "x", .type = ColumnType::date, .min = -5, .max = 9, .missing = true};
  for (const char* type : {"string", "date32[day]", "date64[ms]", "timestamp[s]", "timestamp[ms]", "timestamp[us]",
                           "timestamp[ns]", "timestamp[us, tz=UTC]"}) {
    SCOPED_TRACE(type);
    EXPECT_THAT(codes_of(date, type, {-1, 1, 5}), ElementsAre(4, 6, 10, 15));
  }
  const Column time{.name = "x", .type = ColumnType::datetime, .min = -50, .max = 9, .missing = true};
  for (const char* type : {"string", "timestamp[s]", "timestamp[ms]", "timestamp[us]", "timestamp[ns]"}) {
    SCOPED_TRACE(type);
    EXPECT_THAT(codes_of(time, type, {-1, 1, 5}), ElementsAre(49, 51, 55, 60));
  }
}

TEST(ArrayReader, TruthStoredAsTruthNumberOrDictionary) {
  const Column truth{
      .name = "x", .type = ColumnType::boolean, .values = {{"no", "yes"}}, .missing = true, .outside = Outside::refuse};
  for (const char* type : {"bool", "int8", "double"}) {
    EXPECT_THAT(codes_of(truth, type, {0, 1, 1}), ElementsAre(0, 1, 1, 2)) << type;
  }
  const std::vector<int> codes = {0, 1, 1, -1};
  const auto words = typed_labels(codes, {"no", "yes"}, truth, "dictionary");
  const Rows rows = encoded(Codec({.columns = {truth}}), *batch_of({{"x", words}}));
  EXPECT_THAT(rows.values, ElementsAre(0, 1, 1, 2));
}

TEST(ArrayReader, NullsAndStrangers) {
  const Column number{.name = "x", .type = ColumnType::integer, .min = 0, .max = 9, .missing = true};
  const Codec codec({.columns = {number}});
  const auto nulls = std::make_shared<arrow::NullArray>(2);
  EXPECT_EQ(encoded(codec, *batch_of({{"x", nulls}})).trouble.columns[0].missing, 2);
  arrow::Date32Builder builder;
  ASSERT_TRUE(builder.AppendValues({1, 2, 3}).ok());
  std::shared_ptr<arrow::Array> days;
  ASSERT_TRUE(builder.Finish(&days).ok());
  EXPECT_EQ(encoded(codec, *batch_of({{"x", days}})).trouble.columns[0].unreadable, 3);
}

TEST(ArrayReader, MissingWords) {
  const MissingWords words({"", "NA", std::string(100, 'x')});
  EXPECT_TRUE(words.holds("") && words.holds("NA"));
  EXPECT_FALSE(words.holds("na") || words.holds("N") || words.holds("NAN"));
}

}  // namespace
}  // namespace sosia::testing
