// SPDX-License-Identifier: Apache-2.0
#include "base/number_text.h"

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace sosia {
namespace {

TEST(NumberText, ReadsNumbersStrictly) {
  EXPECT_EQ(number_from("1.5"), 1.5);
  EXPECT_EQ(number_from("-1e-5"), -1e-5);
  EXPECT_EQ(number_from(".5"), 0.5);
  for (const char* bad : {"", " 1", "1 ", "+1", "1x", "1e", "0x10", "nan", "inf", "-inf", "infinity", "1e999", "--1",
                          "-", "1,5", "1.5.2"}) {
    EXPECT_EQ(number_from(bad), std::nullopt) << bad;
  }
}

TEST(NumberText, ReadsWholeNumbers) {
  EXPECT_EQ(whole_from("10000"), 10000);
  EXPECT_EQ(whole_from("1e4"), 10000);
  EXPECT_EQ(whole_from("-3"), -3);
  EXPECT_EQ(whole_from("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  for (const char* bad : {"", "1.5", "9223372036854775808", "1e300", "ten", "1e-3", "10k"}) {
    EXPECT_EQ(whole_from(bad), std::nullopt) << bad;
  }
}

TEST(NumberText, ReadsFractionsExactly) {
  EXPECT_EQ(fraction_from("64/32561"), 64.0 / 32561.0);
  EXPECT_EQ(fraction_from("0.25"), 0.25);
  for (const char* bad : {"1/0", "/2", "1/", "1/2/3", "-1/2", "1/-2", "1 / 2", "1.5/2", "1/9007199254740993", "a/b"}) {
    EXPECT_EQ(fraction_from(bad), std::nullopt) << bad;
  }
}

TEST(NumberText, RoundsTowardsTheSafeSide) {
  EXPECT_EQ(round_up_text(1.0), "1.000");
  EXPECT_EQ(round_up_text(1.00001), "1.001");
  EXPECT_EQ(round_up_text(std::nextafter(1.0, 2.0)), "1.001");
  EXPECT_EQ(round_down_text(1.0), "1.000");
  EXPECT_EQ(round_down_text(0.99999), "0.9999");
  EXPECT_EQ(round_up_text(9.9991), "10.00");
  EXPECT_EQ(round_down_text(std::nextafter(10.0, 0.0)), "9.999");
  EXPECT_EQ(round_up_text(0.0012341), "0.001235");
  EXPECT_EQ(round_up_text(123456.0), "123500");
  EXPECT_EQ(round_up_text(1234567.0), "1.235e+06");
  EXPECT_EQ(round_up_text(1.2341e-9), "1.235e-09");
  EXPECT_EQ(round_up_text(0.0), "0");
  EXPECT_EQ(round_up_text(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(round_up_text(std::nan("")), "nan");
  EXPECT_EQ(round_down_text(2.0 / 3.0, 2), "0.66");
}

TEST(NumberText, ShowsAShortNumberAsItIsAndALongOneRoundedUp) {
  EXPECT_EQ(exact_or_up_text(1e-6), "1e-06");
  EXPECT_EQ(exact_or_up_text(0.05), "0.05");
  EXPECT_EQ(exact_or_up_text(2.5e-7), "2.5e-07");
  EXPECT_EQ(exact_or_up_text(1.00000001e-6), "1.00001e-06") << "{:g} says 1e-06";
  EXPECT_EQ(exact_or_up_text(0.1 / 32561.0), "3.07116e-06");
  EXPECT_EQ(exact_or_up_text(0.123456789), "0.123457");
}

TEST(NumberText, NeverRoundsTheWrongWayAndNeverFar) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    // Any positive finite double, drawn by its bits.
    const double value = std::bit_cast<double>(random() & 0x7fffffffffffffffULL);
    if (!std::isfinite(value) || value < 1e-300 || value > 1e300) continue;
    const double up = *number_from(round_up_text(value)), down = *number_from(round_down_text(value));
    ASSERT_GE(up, value);
    ASSERT_LE(up, value * 1.001000001);
    ASSERT_LE(down, value);
    ASSERT_GE(down, value * 0.998999999);
  }
  for (const double edge : {std::numeric_limits<double>::max(), std::numeric_limits<double>::denorm_min()}) {
    EXPECT_NE(round_up_text(edge), "0");
    EXPECT_NE(round_down_text(edge), "inf");
  }
}

}  // namespace
}  // namespace sosia
