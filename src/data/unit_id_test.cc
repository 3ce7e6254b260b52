// SPDX-License-Identifier: Apache-2.0
#include "data/unit_id.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sosia/error.h>

#include "data/array_reader.h"
#include "data/hostile_cells_test_support.h"
#include "data/unit_hash.h"

namespace sosia::testing {
namespace {

using arrow::TimeUnit;
using ::testing::ElementsAre;

const MissingWords kWords({"", "NA", "?", "gone"});

/// The forms of an array's cells; empty: no id.
std::vector<std::string> forms_of(const ArrowType& type, const Cells& cells) {
  std::vector<std::string> forms(cells.size());
  for_each_id(*array_of_cells(type, cells, Form::plain), kWords,
              [&](std::size_t row, std::string_view form) { forms[row] = form; });
  return forms;
}

template <class Value>
std::string form_of(const ArrowType& type, Value value) {
  return forms_of(type, {cell(type, value)})[0];
}

TEST(UnitId, ANumberHasOneFormInEveryType) {
  for (const ArrowType& type :
       {arrow::int8(), arrow::int16(), arrow::int32(), arrow::int64(), arrow::uint8(), arrow::uint16(), arrow::uint32(),
        arrow::uint64(), arrow::float32(), arrow::float64()}) {
    EXPECT_THAT(forms_of(type, {cell(type, 0), cell(type, 1), cell(type, 100)}), ElementsAre("n0", "n+1e0", "n+1e2"))
        << type->ToString();
  }
  const auto decimal = arrow::decimal128(12, 2), wide = arrow::decimal256(60, -2);
  EXPECT_THAT(forms_of(decimal, {decimal_cell(decimal, "0"), decimal_cell(decimal, "100"),
                                 decimal_cell(decimal, "-150"), decimal_cell(decimal, "10000")}),
              ElementsAre("n0", "n+1e0", "n-15e-1", "n+1e2"));
  EXPECT_THAT(forms_of(wide, {decimal_cell(wide, "1")}), ElementsAre("n+1e2"));
  EXPECT_EQ(form_of(arrow::float64(), -1.5), "n-15e-1");
  EXPECT_EQ(form_of(arrow::float64(), -0.0), "n0");
  EXPECT_EQ(form_of(arrow::float32(), -0.0F), "n0");
}

TEST(UnitId, NumbersThatDifferInTheLastBitDiffer) {
  const double last = 9007199254740991.0;  // 2^53 - 1
  EXPECT_NE(form_of(arrow::float64(), last), form_of(arrow::float64(), last - 1.0));
  EXPECT_EQ(form_of(arrow::int64(), std::int64_t{9007199254740991}), form_of(arrow::float64(), last));
  EXPECT_NE(form_of(arrow::int64(), std::int64_t{9007199254740993}),
            form_of(arrow::int64(), std::int64_t{9007199254740992}));
  for (const double value : {1e300, 1.7976931348623157e308}) {
    EXPECT_NE(number_form(value), number_form(std::nextafter(value, 0.0)));
  }
  for (const double value : {0.1, 5e-324, 2.2250738585072014e-308}) {
    EXPECT_NE(form_of(arrow::float64(), value), form_of(arrow::float64(), std::nextafter(value, 0.0)));
  }
  EXPECT_NE(form_of(arrow::float32(), 0.1F), form_of(arrow::float64(), 0.1));  // they are not the same number
  EXPECT_EQ(form_of(arrow::float32(), 0.1F), form_of(arrow::float64(), static_cast<double>(0.1F)));
  EXPECT_EQ(number_form(5e-324).size(), std::string("+e-1074").size() + 751);  // all digits of the least double
}

// Ids of 2^60 and more, as some sites number their users: one missing cell makes some programs store all as doubles.
TEST(UnitId, FloatingPointThatMayHaveMergedIdsIsRefused) {
  for (const double value : {9007199254740992.0, -9007199254740992.0, 1152921504606846976.0, 1e300}) {
    EXPECT_THROW(form_of(arrow::float64(), value), Error) << value;
  }
  for (const float value : {16777216.0F, -16777216.0F, 1e30F}) EXPECT_THROW(form_of(arrow::float32(), value), Error);
  EXPECT_EQ(form_of(arrow::float32(), 16777215.0F), form_of(arrow::int32(), std::int32_t{16777215}));
}

TEST(UnitId, AMomentHasOneFormInEveryUnit) {
  const auto seconds = form_of(arrow::timestamp(TimeUnit::SECOND), std::int64_t{-86'400});
  EXPECT_EQ(seconds, form_of(arrow::timestamp(TimeUnit::MILLI), std::int64_t{-86'400'000}));
  EXPECT_EQ(seconds, form_of(arrow::timestamp(TimeUnit::MICRO, "Asia/Tokyo"), std::int64_t{-86'400'000'000}));
  EXPECT_EQ(seconds, form_of(arrow::timestamp(TimeUnit::NANO), std::int64_t{-86'400'000'000'000}));
  EXPECT_EQ(seconds, form_of(arrow::date32(), std::int32_t{-1}));
  EXPECT_EQ(seconds, form_of(arrow::date64(), std::int64_t{-86'400'000}));
  for (const ArrowType& type :
       {arrow::timestamp(TimeUnit::NANO), arrow::timestamp(TimeUnit::SECOND), arrow::date64()}) {
    EXPECT_NE(form_of(type, std::int64_t{7}), form_of(type, std::int64_t{8})) << "below a second, and below a day";
    EXPECT_NE(form_of(type, std::int64_t{-1}), form_of(type, std::int64_t{0}));
  }
  const auto last = std::numeric_limits<std::int32_t>::max();  // long after the year 9999
  EXPECT_NE(form_of(arrow::date32(), last), form_of(arrow::date32(), last - 1));
  const auto end = std::numeric_limits<std::int64_t>::max();
  EXPECT_NE(form_of(arrow::timestamp(TimeUnit::SECOND), end), form_of(arrow::timestamp(TimeUnit::SECOND), end - 1));
}

TEST(UnitId, TextIsItsBytes) {
  for (const ArrowType& type : {arrow::utf8(), arrow::large_utf8(), arrow::utf8_view()}) {
    const Cells cells = {text_cell(type, "1"), text_cell(type, "1.0"), text_cell(type, " 1"), text_cell(type, "Ü")};
    EXPECT_THAT(forms_of(type, cells), ElementsAre("t1", "t1.0", "t 1", "tÜ"));
  }
  for (const ArrowType& type : {arrow::binary(), arrow::large_binary(), arrow::binary_view()}) {
    EXPECT_THAT(forms_of(type, {text_cell(type, "1"), text_cell(type, "\xff")}), ElementsAre("b1", "b\xff"));
  }
}

TEST(UnitId, WhatIsNoId) {
  for (const char* text : {"",
                           " ",
                           "\t\r\n",
                           "\xC2\xA0",
                           "\xEF\xBB\xBF ",
                           "nan",
                           "NaN",
                           "-nan",
                           "None",
                           "NULL",
                           "null",
                           "N/A",
                           "NA",
                           "#N/A",
                           "<NA>",
                           "-",
                           "--",
                           ".",
                           "?",
                           "NaT",
                           "\\N",
                           " nan ",
                           "\xC2\xA0"
                           "None\xE2\x80\x8B",
                           "#N/A N/A",
                           "UNDEFINED"}) {
    EXPECT_TRUE(is_no_id(text)) << '"' << text << '"';
    EXPECT_THAT(forms_of(arrow::utf8(), {text_cell(arrow::utf8(), text)}), ElementsAre(""));
  }
  for (const char* text : {"0", "-1", "Nana", "NA1", "n a n", "none of it", "日本", "inf", "No ne"}) {
    EXPECT_FALSE(is_no_id(text)) << text;
  }
  EXPECT_THAT(forms_of(arrow::utf8(), {text_cell(arrow::utf8(), "?"), null_cell(arrow::utf8())}), ElementsAre("", ""));
  EXPECT_FALSE(is_no_id("gone"));  // one of the missing words of this table
  EXPECT_THAT(forms_of(arrow::utf8(), {text_cell(arrow::utf8(), "gone")}), ElementsAre(""));
  for (const double value : {std::nan(""), -std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    EXPECT_EQ(form_of(arrow::float64(), value), "");
  }
  EXPECT_EQ(form_of(arrow::timestamp(TimeUnit::NANO), std::numeric_limits<std::int64_t>::min()), "");
  EXPECT_THAT(forms_of(arrow::null(), {null_cell(arrow::null())}), ElementsAre(""));
}

TEST(UnitId, TypesThatAreNoIdsAreRefusedWhateverTheyHold) {
  for (const ArrowType& type : {arrow::boolean(), arrow::time32(TimeUnit::SECOND), arrow::time64(TimeUnit::NANO),
                                arrow::duration(TimeUnit::NANO), arrow::float16(), arrow::list(arrow::int32()),
                                arrow::struct_({arrow::field("secret", arrow::utf8())})}) {
    SCOPED_TRACE(type->ToString());
    try {
      forms_of(type, {null_cell(type)});
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::data);
      EXPECT_THAT(error.what(), ::testing::Not(::testing::HasSubstr("secret")));
    }
  }
}

TEST(UnitHash, TheSameInEveryForm) {
  const UnitHash hash;
  for (const TypedCells& cells : cells_of_every_type()) {
    SCOPED_TRACE(cells.type->ToString());
    Cells all = cells.usual;
    all.insert(all.end(), cells.odd.begin(), cells.odd.end());
    std::vector<std::uint64_t> plain(all.size()), other(all.size());
    try {
      hash.hash(*array_of_cells(cells.type, all, Form::plain), kWords, plain);
    } catch (const Error&) {
      EXPECT_THROW(hash.hash(*array_of_cells(cells.type, all, Form::dictionary), kWords, other), Error);
      continue;
    }
    if (cells.type->id() == arrow::Type::NA) continue;
    for (const Form form : {Form::dictionary, Form::runs}) {
      const auto array = array_of_cells(cells.type, all, form);
      hash.hash(*array, kWords, other);
      EXPECT_EQ(plain, other);
      std::vector<std::uint64_t> part(all.size() - 1);
      hash.hash(*array->Slice(1), kWords, part);
      EXPECT_EQ(std::vector(plain.begin() + 1, plain.end()), part);
    }
    EXPECT_EQ(plain.back(), kNoUnit);  // null
  }
}

}  // namespace
}  // namespace sosia::testing
