// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments.h"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sosia/error.h>

namespace sosia::cli {
namespace {

using testing::HasSubstr;

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "accepted";
}

TEST(Arguments, NumbersAreStrict) {
  EXPECT_EQ(positive("--epsilon", "1e-3"), 1e-3);
  EXPECT_EQ(delta_value("--delta", "1e-5"), 1e-5);
  EXPECT_EQ(rate_value("--rate", "1"), 1.0);
  EXPECT_EQ(rate_value("--rate", "64/32561"), 64.0 / 32561.0);
  EXPECT_EQ(count_value("--steps", "1e5"), 100000);
  for (const char* bad : {"", "0", "-1", "nan", "inf", "1x", " 1", "1e999", "0x1p3"}) {
    EXPECT_THAT(refusal([&] { positive("--epsilon", bad); }), HasSubstr("for example --epsilon 1.5")) << bad;
  }
  for (const char* bad : {"0", "1", "-1e-5", "nan", "1e-5x"}) {
    EXPECT_THAT(refusal([&] { delta_value("--delta", bad); }), HasSubstr("for example --delta 1e-6")) << bad;
  }
  for (const char* bad : {"0", "1.1", "3/2", "0/5", "1/0", "nan", ""}) {
    EXPECT_THAT(refusal([&] { rate_value("--rate", bad); }), HasSubstr("option --rate")) << bad;
  }
  for (const char* bad : {"0", "-5", "1.5", "ten", "1e30", "9223372036854775808"}) {
    EXPECT_THAT(refusal([&] { count_value("--steps", bad); }), HasSubstr("option --steps")) << bad;
  }
}

TEST(Arguments, ListsOfDeltas) {
  EXPECT_THAT(delta_values("--curve", "1e-5,1e-6"), testing::ElementsAre(1e-5, 1e-6));
  EXPECT_THAT(delta_values("--curve", "0.5"), testing::ElementsAre(0.5));
  for (const char* bad : {"", ",", "1e-5,", "1e-5,,1e-6", "1e-5;1e-6", "1e-5,2"}) {
    EXPECT_NE(refusal([&] { delta_values("--curve", bad); }), "accepted") << bad;
  }
}

TEST(Arguments, NamesAndValues) {
  const AssignmentWords words{"setting", "a name and a number", "steps=9"};
  const std::vector<std::pair<std::string, std::string>> pairs = {{"a", "1"}, {"b", "x=y"}, {"c", ""}};
  EXPECT_EQ(assignments("--set", {"a=1", "b=x=y", "c="}, words), pairs);
  EXPECT_TRUE(assignments("--set", {}, words).empty());
  for (const char* bad : {"", "=", "=1", "steps"}) {
    EXPECT_THAT(refusal([&] { assignments("--set", {"a=1", bad}, words); }), HasSubstr("for example --set steps=9"));
  }
}

TEST(Arguments, KindsOfFacts) {
  EXPECT_THAT(facts_from("type,bounds"), testing::ElementsAre(Fact::type, Fact::bounds));
  for (const char* bad : {"", "type,", "colour"}) EXPECT_NE(refusal([&] { facts_from(bad); }), "accepted") << bad;
}

TEST(Arguments, SuggestsTheNearestName) {
  const std::vector<std::string> names = {"--epsilon", "--events", "--delta", "--rate"};
  EXPECT_EQ(nearest("--epsilom", names), "--epsilon");
  EXPECT_EQ(nearest("--event", names), "--events");
  EXPECT_EQ(nearest("--colour-scheme", names), std::nullopt);
  EXPECT_EQ(nearest("x", {}), std::nullopt);
}

TEST(Arguments, MissingOptionsShowAnExample) {
  EXPECT_EQ(required("--delta", Argument("1"), "1e-6"), "1");
  EXPECT_THAT(refusal([] { required("--delta", std::nullopt, "1e-6"); }), HasSubstr("for example --delta 1e-6"));
}

}  // namespace
}  // namespace sosia::cli
