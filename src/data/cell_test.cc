// SPDX-License-Identifier: Apache-2.0
#include "data/cell.h"

#include <bit>
#include <cmath>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace sosia {
namespace {

TEST(Cell, ReadsNumbersAndNothingElse) {
  double value = 7.0;
  for (const auto& [text, number] : {std::pair<const char*, double>{"12", 12.0},
                                     {"-0.5", -0.5},
                                     {"+3", 3.0},
                                     {" 1e5 ", 1e5},
                                     {".25", 0.25},
                                     {"5.", 5.0}}) {
    ASSERT_TRUE(parse_number(text, value)) << text;
    EXPECT_EQ(value, number) << text;
  }
  for (const char* text : {"", " ", "-", "+-1", "++1", "1,000", "0x10", "nan", "inf", "12a", "1e999", "1 2", "+"}) {
    EXPECT_FALSE(parse_number(text, value)) << text;
  }
}

TEST(Cell, ReadsBooleans) {
  bool value = false;
  for (const char* text : {"true", "T", "Yes", "y", "ON", "1"}) EXPECT_TRUE(parse_boolean(text, value) && value);
  for (const char* text : {"FALSE", "f", "no", "N", "off", "0"}) EXPECT_TRUE(parse_boolean(text, value) && !value);
  for (const char* text : {"", "2", "yess", "tr", "01"}) EXPECT_FALSE(parse_boolean(text, value)) << text;
}

TEST(Cell, ReadsDates) {
  std::int64_t days = 0;
  ASSERT_TRUE(parse_date("1970-01-01", "", days));
  EXPECT_EQ(days, 0);
  ASSERT_TRUE(parse_date("2000-02-29", "", days));
  EXPECT_EQ(days, 11016);
  ASSERT_TRUE(parse_date("5.3.2001", "%d.%m.%Y", days));
  EXPECT_EQ(format_date(days), "2001-03-05");
  ASSERT_TRUE(parse_date("05-mar-01", "%d-%b-%y", days));
  EXPECT_EQ(format_date(days, "%d-%b-%y"), "05-Mar-01");
  for (const char* text :
       {"", "2001-02-29", "2001-13-01", "2001-00-10", "0000-01-01", "01-01-01", "2001-1-1x", "2001"}) {
    EXPECT_FALSE(parse_date(text, "", days)) << text;
  }
  ASSERT_TRUE(parse_date("0001-01-01", "", days));
  EXPECT_EQ(days, kFirstDay);
  ASSERT_TRUE(parse_date("9999-12-31", "", days));
  EXPECT_EQ(days, kLastDay);
}

TEST(Cell, ReadsMoments) {
  double seconds = 0.0;
  const auto read = [&](const char* text) { return parse_datetime(text, "", seconds); };
  ASSERT_TRUE(read("1970-01-01T00:00:01"));
  EXPECT_EQ(seconds, 1.0);
  ASSERT_TRUE(read("1970-01-02 00:00"));
  EXPECT_EQ(seconds, 86400.0);
  ASSERT_TRUE(read("1970-01-01T00:00:00.25Z"));
  EXPECT_EQ(seconds, 0.25);
  ASSERT_TRUE(read("1970-01-01T02:30:00+02:00"));
  EXPECT_EQ(seconds, 1800.0);
  ASSERT_TRUE(read("1969-12-31T23:59:59.5-0000"));
  EXPECT_EQ(seconds, -0.5);
  EXPECT_EQ(format_datetime(seconds), "1969-12-31T23:59:59");
  for (const char* text : {"1970-01-01", "1970-01-01T24:00:00", "1970-01-01T00:60:00", "1970-01-01T00:00:60",
                           "1970-01-01T00:00:00X", "1970-01-01T00:00:00+2"}) {
    EXPECT_FALSE(read(text)) << text;
  }
  EXPECT_TRUE(parse_datetime("31/12/1999 23:59", "%d/%m/%Y %H:%M", seconds));
  EXPECT_EQ(format_datetime(seconds, "%d/%m/%Y %H:%M"), "31/12/1999 23:59");
}

TEST(Cell, EveryDayComesBack) {
  for (const char* format : {"", "%d/%m/%Y", "%b %d, %Y", "100%% %Y%m%d"}) {
    for (std::int64_t day = kFirstDay; day <= kLastDay; day += 97) {
      std::int64_t back = 0;
      ASSERT_TRUE(parse_date(format_date(day, format), format, back)) << format << " " << day;
      ASSERT_EQ(back, day);
    }
  }
}

TEST(Cell, EverySecondComesBack) {
  std::mt19937_64 random(1);
  std::uniform_int_distribution<std::int64_t> any(kFirstSecond, kLastSecond);
  for (int i = 0; i < 20000; ++i) {
    const auto second = static_cast<double>(any(random));
    for (const char* format : {"", "%Y-%m-%d %H:%M:%SZ"}) {
      double back = 0.0;
      ASSERT_TRUE(parse_datetime(format_datetime(second, format), format, back));
      ASSERT_EQ(back, second);
    }
  }
}

TEST(Cell, NumbersComeBackToTheirDecimals) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> any(-1e6, 1e6);
  for (int i = 0; i < 20000; ++i) {
    const double value = any(random);
    for (int decimals = 0; decimals <= 6; ++decimals) {
      const double rounded = round_decimals(value, decimals);
      ASSERT_LE(std::abs(rounded - value), 0.5 * std::pow(10.0, -decimals) + 1e-9);
      ASSERT_EQ(round_decimals(rounded, decimals), rounded);
      double back = 0.0;
      ASSERT_TRUE(parse_number(format_number(rounded, decimals), back));
      ASSERT_EQ(back, rounded);
    }
  }
  EXPECT_EQ(format_number(-0.001, 2), "0");
  EXPECT_EQ(format_number(120.50, 2), "120.5");
  EXPECT_EQ(format_number(1200.0, 0), "1200");
}

TEST(Cell, KnowsItsFormats) {
  EXPECT_TRUE(is_known_format("%Y-%m-%d", false));
  EXPECT_TRUE(is_known_format("%d %b %y", false));
  EXPECT_TRUE(is_known_format("%d/%m/%Y %H:%M", true));
  for (const char* format : {"", "%", "%Y", "%Y-%m-%d%", "%Y-%m-%d %q", "%Y-%m-%d %m", "%Y-%m-%d %H"}) {
    EXPECT_FALSE(is_known_format(format, false)) << format;
  }
  EXPECT_FALSE(is_known_format("%Y-%m-%d", true));
}

TEST(Cell, NumbersAreSpelledAsTheSlowWayDoes) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 200'000; ++i) {
    const auto bits = random();
    const int decimals = static_cast<int>(random() % 16);
    const double power = std::pow(10.0, static_cast<double>(random() % 16));
    double value = std::bit_cast<double>(bits);                                 // any double at all
    if (i % 4 == 1) value = static_cast<double>(bits >> 24) / power;            // decimal fractions
    if (i % 4 == 2) value = (static_cast<double>(bits >> 44) + 0.5) / power;    // ties, or nearly so
    if (i % 4 == 3) value = -static_cast<double>(bits >> 44) / 1024.0 / power;  // exact ties, negative
    if (!std::isfinite(value)) continue;
    std::string slow = fmt::format("{:.{}f}", value, decimals);
    if (decimals > 0) slow.erase(slow.find_last_not_of('0') + 1);
    if (slow.back() == '.') slow.pop_back();
    ASSERT_EQ(format_number(value, decimals), slow == "-0" ? "0" : slow) << i;
  }
}

}  // namespace
}  // namespace sosia
