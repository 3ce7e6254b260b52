// SPDX-License-Identifier: Apache-2.0
#include "data/codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <sosia/error.h>

#include "data/codec_test_support.h"

namespace sosia::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// The first field of each cell of a one-column table of text.
std::vector<float> codes(const Codec& codec, const Texts& cells, CellCounts* counts = nullptr) {
  const Rows rows = encoded(codec, *batch_of({{"x", text_array(cells)}}));
  std::vector<float> first;
  for (std::size_t i = 0; i < rows.count; ++i) first.push_back(rows.row(i)[0]);
  if (counts != nullptr) *counts = rows.trouble.columns[0];
  return first;
}

Texts back(const Codec& codec, const Texts& cells) {
  std::mt19937 random(1);
  const Rows rows = encoded(codec, *batch_of({{"x", text_array(cells)}}));
  return texts_of(*decoded(codec, rows, random)->column(0));
}

Schema one(const Column& column) { return {.columns = {column}}; }

TEST(Codec, StatesOfACategory) {
  const Column column{.name = "x",
                      .type = ColumnType::categorical,
                      .values = {{"red", "blue"}},
                      .missing = true,
                      .outside = Outside::other};
  const Codec codec(one(column));
  EXPECT_EQ(codec.fields()[0].width, 4);
  CellCounts counts;
  EXPECT_THAT(codes(codec, {"blue", "red", "green", "NA", std::nullopt, "Red"}, &counts),
              ElementsAre(1, 0, 2, 3, 3, 2));
  EXPECT_EQ(counts.missing, 2);
  EXPECT_EQ(counts.outside, 2);
  EXPECT_THAT(back(codec, {"blue", "green", "?"}), ElementsAre("blue", "other", std::nullopt));
}

TEST(Codec, MissingWhereNothingMayBeMissingIsOutside) {
  const Column column{.name = "x", .type = ColumnType::categorical, .values = {{"a", "b"}}, .outside = Outside::other};
  CellCounts counts;
  EXPECT_THAT(codes(Codec(one(column)), {"a", std::nullopt, "NA"}, &counts), ElementsAre(0, 2, 2));
  EXPECT_EQ(counts.outside, 0);
  EXPECT_EQ(counts.missing, 2);
}

TEST(Codec, ADeclaredValueIsNoMissingWord) {
  const Column column{.name = "x", .type = ColumnType::categorical, .values = {{"?", "a"}}, .missing = true};
  EXPECT_THAT(codes(Codec(one(column)), {"?", "a", "NA"}), ElementsAre(0, 1, 3));
}

TEST(Codec, Booleans) {
  const Codec codec(
      one({.name = "x", .type = ColumnType::boolean, .values = {{"no", "yes"}}, .outside = Outside::refuse}));
  EXPECT_EQ(codec.fields()[0].width, 2);
  EXPECT_THAT(codes(codec, {"yes", "no", "TRUE"}), ElementsAre(1, 0, 1));
  EXPECT_THAT(back(codec, {"yes", "no"}), ElementsAre("yes", "no"));
}

TEST(Codec, FewIntegersGetABinEach) {
  const Codec codec(one({.name = "x", .type = ColumnType::integer, .min = 3, .max = 6, .missing = true}));
  EXPECT_EQ(codec.fields()[0].width, 5);
  CellCounts counts;
  EXPECT_THAT(codes(codec, {"3", "6", "7", "-100", "", "4.0", "4.5"}, &counts), ElementsAre(0, 3, 3, 0, 4, 1, 4));
  EXPECT_EQ(counts.outside, 2);
  EXPECT_EQ(counts.unreadable, 1);
  EXPECT_THAT(back(codec, {"3", "4", "5", "6", "NA"}), ElementsAre("3", "4", "5", "6", std::nullopt));
}

TEST(Codec, AtomsAreExactAndInNoBin) {
  const Codec codec(one({.name = "x", .type = ColumnType::real, .min = 0, .max = 100, .atoms = {0, 50}, .decimals = 2}),
                    {.bins = 4});
  EXPECT_EQ(codec.fields()[0].width, 6);
  EXPECT_THAT(codes(codec, {"0", "50", "0.01", "49.99", "100", "25"}), ElementsAre(4, 5, 0, 1, 3, 1));
  EXPECT_THAT(back(codec, {"0", "50"}), ElementsAre("0", "50"));
}

TEST(Codec, LogAndGivenBins) {
  const Column column{.name = "x", .type = ColumnType::integer, .min = 0, .max = 9999};
  EXPECT_THAT(codes(Codec(one(column), {.bins = 4, .log_bins = true}), {"0", "8", "9", "98", "99", "9999"}),
              ElementsAre(0, 0, 1, 1, 2, 3));
  Column given = column;
  given.edges = {10, 5000.5};
  EXPECT_THAT(codes(Codec(one(given)), {"0", "9", "10", "5000", "5001"}), ElementsAre(0, 0, 1, 1, 2));
}

TEST(Codec, TwoLevels) {
  const Codec codec(one({.name = "x", .type = ColumnType::integer, .min = 0, .max = 9999, .missing = true}),
                    {.bins = 10, .levels = 2});
  ASSERT_EQ(codec.width(), 2);
  EXPECT_EQ(codec.fields()[0].width, 11);
  EXPECT_EQ(codec.fields()[1].width, 10);
  const Rows rows = encoded(codec, *batch_of({{"x", text_array({"0", "1234", "9999", "NA"})}}));
  EXPECT_THAT(rows.values, ElementsAre(0, 0, 1, 2, 9, 9, 10, 0));
}

TEST(Codec, ScaledKeepsSecondsOfACenturyAndIntegersToTheEndOfDoubles) {
  const Codec time(one({.name = "x", .type = ColumnType::datetime, .min = -1577923200.0, .max = 1577836799.0}),
                   {.numbers = NumberCoding::scaled});
  EXPECT_EQ(time.width(), 2);
  const Texts moments = {"1920-01-01T00:00:00", "2019-12-31T23:59:59", "1999-12-31T23:59:58", "1970-01-01T00:00:01"};
  EXPECT_EQ(back(time, moments), moments);
  const double most = std::ldexp(1.0, 53);
  const Codec whole(one({.name = "x", .type = ColumnType::integer, .min = -most, .max = most}),
                    {.numbers = NumberCoding::scaled});
  EXPECT_EQ(whole.width(), 3);
  const Texts numbers = {"9007199254740992", "-9007199254740992", "9007199254740991", "1", "0", "-1234567890123457"};
  EXPECT_EQ(back(whole, numbers), numbers);
}

TEST(Codec, ScaledStates) {
  const Codec codec(
      one({.name = "x", .type = ColumnType::real, .min = -1, .max = 3, .atoms = {0}, .decimals = 2, .missing = true}),
      {.numbers = NumberCoding::scaled});
  const Rows rows = encoded(codec, *batch_of({{"x", text_array({"-1", "3", "1", "0", "NA"})}}));
  EXPECT_THAT(rows.values, ElementsAre(0, 0, 1, 0, 0.5F, 0, 0.25F, 1, 0.5F, 2));
}

TEST(Codec, ScaledByEdges) {
  const Codec codec(
      one({.name = "x", .type = ColumnType::real, .min = 0, .max = 100, .edges = {1, 2, 10}, .decimals = 1}),
      {.numbers = NumberCoding::scaled, .exact = false});
  const Texts texts = {"0.0", "0.5", "1.0", "1.5", "2.0", "6.0", "10.0", "55.0", "100.0"};
  const Rows rows = encoded(codec, *batch_of({{"x", text_array(texts)}}));
  EXPECT_THAT(rows.values, ElementsAre(0, 0.125F, 0.25F, 0.375F, 0.5F, 0.625F, 0.75F, 0.875F, 1));
  EXPECT_EQ(back(codec, {"0", "0.5", "1", "1.7", "2", "6.3", "10", "55.5", "100"}),
            (Texts{"0", "0.5", "1", "1.7", "2", "6.3", "10", "55.5", "100"}));
  // Edges outside or between values that can be said are no stretches.
  const Codec odd(one({.name = "x", .type = ColumnType::integer, .min = 0, .max = 4, .edges = {0.5, 0.7, 2, 4}}),
                  {.numbers = NumberCoding::scaled, .exact = false});
  EXPECT_THAT(encoded(odd, *batch_of({{"x", text_array({"0", "1", "2", "3", "4"})}})).values,
              ElementsAre(0, 1.0F / 3.0F, 2.0F / 3.0F, 5.0F / 6.0F, 1));
}

TEST(Codec, CalendarPartsAreEncodedAndNotRead) {
  const Codec codec(one({.name = "x", .type = ColumnType::datetime, .min = 0, .max = 2e9, .missing = true}),
                    {.bins = 8, .calendar = true});
  ASSERT_EQ(codec.width(), 4);
  Rows rows = encoded(codec, *batch_of({{"x", text_array({"2024-02-29 13:05:00", "NA"})}}));
  EXPECT_THAT(rows.values, ElementsAre(6, 1, 3, 13, 8, 12, 7, 24));
  rows.values[1] = 11;
  std::mt19937 random(3);
  EXPECT_EQ(encoded(codec, *decoded(codec, rows, random)).row(0)[0], 6);
}

TEST(Codec, IdentifiersAreMadeUpAndTextIsLeftOut) {
  Schema schema{.columns = {{.name = "id", .type = ColumnType::identifier, .pattern = "P-##@"},
                            {.name = "name", .type = ColumnType::text},
                            {.name = "key", .type = ColumnType::identifier},
                            {.name = "x", .type = ColumnType::integer, .min = 0, .max = 1}}};
  const Codec codec(schema);
  EXPECT_EQ(codec.width(), 1);
  EXPECT_EQ(codec.draws(), 4);
  std::mt19937 random(5);
  const auto table = decoded(codec, encoded(codec, *batch_of({{"x", text_array({"1"})}})), random);
  EXPECT_EQ(table->schema()->field_names(), (std::vector<std::string>{"id", "x"}));
  EXPECT_THAT(*texts_of(*table->column(0))[0], ::testing::MatchesRegex("P-[0-9][0-9][a-z]"));
}

TEST(Codec, HostileCells) {
  const std::string huge(1 << 20, '9');
  const Texts cells = {"",    "1e400", "-1e308", "nan", "inf", "-", "1;2", "2024-02-30", huge, std::string("1\0", 2),
                       "\xff"};
  for (const ColumnType type : {ColumnType::integer, ColumnType::real, ColumnType::date, ColumnType::datetime}) {
    for (const NumberCoding numbers : {NumberCoding::bins, NumberCoding::scaled}) {
      const Codec codec(one({.name = "x", .type = type, .min = 0, .max = 1000, .missing = true}), {.numbers = numbers});
      CellCounts counts;
      for (const float code : codes(codec, cells, &counts)) EXPECT_TRUE(code >= 0 && code < 100);
      EXPECT_EQ(counts.missing, 1);
      EXPECT_GE(counts.unreadable, 8);
    }
  }
  const Codec category(
      one({.name = "x", .type = ColumnType::categorical, .values = {{"a"}}, .outside = Outside::other}));
  for (const float code : codes(category, cells)) EXPECT_EQ(code, 1);
}

TEST(Codec, AGeneratorsNumbersAreBroughtIntoRange) {
  const Codec codec(one({.name = "x", .type = ColumnType::integer, .min = 1, .max = 4}));
  const std::vector<float> wild = {-5, 99, NAN, 1.4F, INFINITY};
  Rows rows{wild.size(), 1, wild};
  std::mt19937 random(1);
  EXPECT_THAT(texts_of(*decoded(codec, rows, random)->column(0)), ElementsAre("1", "4", "1", "2", "4"));
}

TEST(Codec, OpenFactsAreNamed) {
  const auto message = [](const Column& column) -> std::string {
    try {
      Codec codec(one(column));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::schema);
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(message({.name = "x", .type = ColumnType::integer}), HasSubstr("column \"x\": bounds"));
  EXPECT_THAT(message({.name = "x", .type = ColumnType::categorical}), HasSubstr("column \"x\": values"));
  EXPECT_THAT(message({.name = "x", .type = ColumnType::integer, .min = 0, .max = 9, .missing_is_open = true}),
              HasSubstr("column \"x\""));
}

TEST(Codec, RefusalsGiveCountsAndNoValues) {
  const Codec codec(one({.name = "x", .type = ColumnType::integer, .min = 0, .max = 9, .outside = Outside::refuse}));
  const Rows rows = encoded(codec, *batch_of({{"x", text_array({"5", "4711", "abc"})}}));
  try {
    codec.check(rows.trouble, "people.csv");
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    EXPECT_THAT(error.what(), HasSubstr("people.csv, column \"x\": 1 outside, 1 unreadable"));
    EXPECT_THAT(error.what(), Not(HasSubstr("4711")));
    EXPECT_THAT(error.what(), Not(HasSubstr("abc")));
  }
}

TEST(Codec, AMissingColumnIsNamed) {
  const Codec codec(one({.name = "x", .type = ColumnType::integer, .min = 0, .max = 9}));
  EXPECT_THROW(encoded(codec, *batch_of({{"y", text_array({"5"})}})), Error);
  EXPECT_THROW(encoded(codec, *batch_of({{"x", text_array({"5"})}, {"x", text_array({"5"})}})), Error);
}

}  // namespace
}  // namespace sosia::testing
