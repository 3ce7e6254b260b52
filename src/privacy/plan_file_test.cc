// SPDX-License-Identifier: Apache-2.0
#include <sosia/plan_file.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sosia/error.h>

namespace sosia {
namespace {

using testing::HasSubstr;

std::string plan_of(const std::string& events) { return R"({"relation":"add-remove","events":[)" + events + "]}"; }

/// The message of the schema error for this text, or "accepted".
std::string refusal(const std::string& text, bool open = false) {
  try {
    open ? (void)parse_open_plan(text, "plan.json") : (void)parse_plan(text, "plan.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::schema) << error.what();
    return error.what();
  }
  return "accepted";
}

std::string event_refusal(const std::string& event, bool open = false) { return refusal(plan_of(event), open); }

TEST(PlanFile, ReadsEveryMechanism) {
  const Plan plan = parse_plan(R"({"relation":"replace","events":[
      {"mechanism":"gaussian","noise":4.0,"count":1,"label":"embedding"},
      {"mechanism":"sampled-gaussian","rate":"64/32561","noise":2.5,"count":1e4},
      {"mechanism":"laplace","epsilon":0.1},
      {"mechanism":"geometric","epsilon":1,"sensitivity":3},
      {"mechanism":"discrete-gaussian","sigma":7.5},
      {"mechanism":"exponential","epsilon":0.2},
      {"mechanism":"noisy-max","epsilon":0.3},
      {"mechanism":"partition-selection","epsilon":0,"delta":1e-8},
      {"mechanism":"grouped-gaussian","rate":0.25,"noise":3}],"account":{"any":["thing"]}})",
                               "plan.json");
  EXPECT_EQ(plan.relation, Neighbors::replace);
  ASSERT_EQ(plan.events.size(), 9U);
  EXPECT_EQ(std::get<Gaussian>(plan.events[0].mechanism).noise, 4.0);
  EXPECT_EQ(plan.events[0].label, "embedding");
  EXPECT_EQ(std::get<SampledGaussian>(plan.events[1].mechanism).rate, 64.0 / 32561.0);
  EXPECT_EQ(plan.events[1].count, 10000);
  EXPECT_EQ(std::get<Laplace>(plan.events[2].mechanism).epsilon, 0.1);
  EXPECT_EQ(plan.events[2].count, 1);
  EXPECT_EQ(std::get<Geometric>(plan.events[3].mechanism).sensitivity, 3);
  EXPECT_EQ(std::get<DiscreteGaussian>(plan.events[4].mechanism).sigma, 7.5);
  EXPECT_EQ(std::get<DiscreteGaussian>(plan.events[4].mechanism).sensitivity, 1);
  EXPECT_EQ(std::get<Exponential>(plan.events[5].mechanism).epsilon, 0.2);
  EXPECT_EQ(std::get<NoisyMax>(plan.events[6].mechanism).epsilon, 0.3);
  EXPECT_EQ(std::get<PartitionSelection>(plan.events[7].mechanism).delta, 1e-8);
  EXPECT_EQ(std::get<GroupedGaussian>(plan.events[8].mechanism), (GroupedGaussian{0.25, 3.0}));
  EXPECT_EQ(to_json(parse_plan(to_json(plan), "again")), to_json(plan));
  EXPECT_TRUE(parse_plan(plan_of(""), "empty").events.empty());
}

TEST(PlanFile, NumbersComeBackToTheLastBit) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-5.9, 11.9), unit(0.0, 0.999);
  Plan plan;
  for (int i = 0; i < 2000; ++i) {
    plan.events.push_back({Gaussian{std::pow(10.0, exponent(random))},
                           1 + static_cast<std::int64_t>(random() % 1'000'000'000'000 >> (i % 40)), ""});
    plan.events.push_back({SampledGaussian{1.0 - unit(random), 1.0}, 1, "step"});
  }
  for (const double edge : {1e-6, 1e12, 0.1}) {
    plan.events.push_back({Gaussian{edge}, 1'000'000'000'000, "età \"x\" \\"});
  }
  const Plan back = parse_plan(to_json(plan), "back");
  ASSERT_EQ(back.events.size(), plan.events.size());
  for (std::size_t i = 0; i < plan.events.size(); ++i) {
    ASSERT_EQ(back.events[i].count, plan.events[i].count);
    ASSERT_EQ(back.events[i].label, plan.events[i].label);
    ASSERT_EQ(back.events[i].mechanism.index(), plan.events[i].mechanism.index());
    if (const auto* gaussian = std::get_if<Gaussian>(&plan.events[i].mechanism)) {
      ASSERT_EQ(std::get<Gaussian>(back.events[i].mechanism).noise, gaussian->noise);
    } else {
      ASSERT_EQ(std::get<SampledGaussian>(back.events[i].mechanism).rate,
                std::get<SampledGaussian>(plan.events[i].mechanism).rate);
    }
  }
}

TEST(PlanFile, NamesFileEventAndKey) {
  const std::string message = event_refusal(R"({"mechanism":"laplace","epsilon":1},{"mechanism":"gaussian","nois":4})");
  EXPECT_THAT(message, HasSubstr("unknown key \"nois\" in a gaussian event"));
  EXPECT_THAT(message, HasSubstr("where: plan.json, event 2"));
  EXPECT_THAT(message, HasSubstr("valid keys: mechanism, noise, count, label"));
  EXPECT_THAT(event_refusal(R"({"mechanism":"gaussian"})"), HasSubstr("key \"noise\" is missing"));
  EXPECT_THAT(
      event_refusal(R"({"mechanism":"gaus","noise":1})"),
      HasSubstr("choose one of: gaussian, sampled-gaussian, grouped-gaussian, laplace, geometric, discrete-gaussian, "
                "exponential, noisy-max, partition-selection"));
  EXPECT_THAT(event_refusal(R"({"noise":1})"), HasSubstr("\"mechanism\""));
  EXPECT_THAT(event_refusal("7"), HasSubstr("event 1"));
  EXPECT_THAT(refusal(R"({"events":[]})"), HasSubstr("key \"relation\" is missing"));
  EXPECT_THAT(refusal(R"({"relation":"swap","events":[]})"), HasSubstr("add-remove, zero-out, replace"));
  EXPECT_THAT(refusal(R"({"relation":"replace","events":[],"extra":1})"), HasSubstr("unknown key \"extra\" in a plan"));
  EXPECT_THAT(refusal(R"({"relation":"replace","events":{}})"), HasSubstr("must be a list, not object"));
  EXPECT_THAT(refusal("[]"), HasSubstr("a plan must be a JSON object, not array"));
}

TEST(PlanFile, RefusesWrongTypesAndRanges) {
  for (const char* bad : {R"("4")", "null", "[]", "true", "{}"}) {
    EXPECT_THAT(event_refusal(std::string(R"({"mechanism":"gaussian","noise":)") + bad + "}"),
                HasSubstr("plan.json, event 1, key \"noise\""));
  }
  for (const char* bad : {"0", "-1", "-0.0"}) {
    EXPECT_THAT(event_refusal(std::string(R"({"mechanism":"gaussian","noise":)") + bad + "}"), HasSubstr("noise is"));
  }
  for (const char* bad : {"0", "1.0000001", R"("3/2")", "-0.5"}) {
    EXPECT_THAT(event_refusal(std::string(R"({"mechanism":"sampled-gaussian","noise":1,"rate":)") + bad + "}"),
                HasSubstr("rate is"));
  }
  for (const char* bad : {R"("1/0")", R"("x")", R"("0.5 ")", "null", R"("1/2/3")"}) {
    EXPECT_THAT(event_refusal(std::string(R"({"mechanism":"sampled-gaussian","noise":1,"rate":)") + bad + "}"),
                HasSubstr("key \"rate\""));
  }
  for (const char* bad : {"1.5", "9223372036854775808", "1e19", R"("1")", "null"}) {
    EXPECT_THAT(event_refusal(std::string(R"({"mechanism":"gaussian","noise":1,"count":)") + bad + "}"),
                HasSubstr("must be a whole number"));
  }
  EXPECT_THAT(event_refusal(R"({"mechanism":"gaussian","noise":1,"count":0})"), HasSubstr("count is 0"));
  EXPECT_THAT(event_refusal(R"({"mechanism":"gaussian","noise":1,"label":7})"), HasSubstr("must be a text"));
  EXPECT_THAT(event_refusal(R"({"mechanism":"gaussian","noise":1,"label":"\u001b[2J"})"), HasSubstr("control"));
  EXPECT_THAT(event_refusal(R"({"mechanism":"gaussian","noise":1,"label":"\u009b2J"})"), HasSubstr("control"));
}

TEST(PlanFile, RefusesWhatIsNotOneStrictJsonText) {
  EXPECT_THAT(refusal(""), HasSubstr("not valid JSON"));
  EXPECT_THAT(refusal(plan_of("") + "x"), HasSubstr("not valid JSON"));
  EXPECT_THAT(refusal(plan_of("") + plan_of("")), HasSubstr("not valid JSON"));
  EXPECT_THAT(refusal("{\n  \"relation\": nope}"), HasSubstr("plan.json, line 2, column 1"));
  EXPECT_THAT(event_refusal(R"({"mechanism":"gaussian","noise":NaN})"), HasSubstr("not valid JSON"));
  EXPECT_THAT(event_refusal(R"({"mechanism":"gaussian","noise":1e999})"), HasSubstr("beyond the range"));
  EXPECT_THAT(event_refusal("{\"mechanism\":\"gaussian\",\"noise\":1,\"label\":\"\xff\"}"), HasSubstr("UTF-8"));
  EXPECT_THAT(event_refusal(R"({"mechanism":"gaussian","noise":1,"noise":9})"),
              HasSubstr("key \"noise\" is given twice"));
  EXPECT_THAT(refusal(std::string(100000, '[')), HasSubstr("levels deep"));
  std::string nested = "1";
  for (int i = 0; i < 1000; ++i) nested = R"({"a":)" + nested + "}";
  EXPECT_THAT(refusal(nested), HasSubstr("levels deep"));
  const std::string whole = plan_of(R"({"mechanism":"gaussian","noise":4.0,"count":2,"label":"a"})");
  for (std::size_t cut = 0; cut < whole.size(); ++cut) EXPECT_NE(refusal(whole.substr(0, cut)), "accepted") << cut;
}

TEST(PlanFile, SharesOnlyInOpenPlans) {
  const std::string open =
      plan_of(R"({"mechanism":"gaussian","share":2,"label":"a"},{"mechanism":"laplace","epsilon":0.1},
      {"mechanism":"sampled-gaussian","rate":0.1,"share":1,"count":10})");
  EXPECT_THAT(refusal(open), HasSubstr("unknown key \"share\""));
  const OpenPlan plan = parse_open_plan(open, "plan.json");
  EXPECT_THAT(plan.shares, testing::ElementsAre(2.0, 0.0, 1.0));
  EXPECT_EQ(plan.plan.events[2].count, 10);
  EXPECT_NO_THROW(validate(plan.plan));
  EXPECT_THAT(event_refusal(R"({"mechanism":"gaussian","share":1,"noise":1})", true), HasSubstr("exclude each other"));
  EXPECT_THAT(event_refusal(R"({"mechanism":"gaussian","share":0})", true), HasSubstr("above 0"));
  EXPECT_THAT(event_refusal(R"({"mechanism":"gaussian"})", true), HasSubstr("\"noise\" is missing"));
  EXPECT_EQ(event_refusal(R"({"mechanism":"partition-selection","share":1,"delta":0})", true), "accepted");
}

TEST(PlanFile, FilesAreReadOrNamed) {
  const std::string path = testing::TempDir() + "sosia_plan_file_test.json";
  std::ofstream(path) << plan_of(R"({"mechanism":"laplace","epsilon":0.5})");
  EXPECT_EQ(read_plan(path).events.size(), 1U);
  EXPECT_EQ(read_open_plan(path).shares.size(), 1U);
  for (const std::string& bad : {std::string("/no/such/file.json"), testing::TempDir()}) {
    try {
      read_plan(bad);
      FAIL() << "accepted " << bad;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::io);
      EXPECT_EQ(error.where(), bad);
    }
  }
}

TEST(PlanFile, RefusesToWriteWhatItCouldNotRead) {
  EXPECT_THROW(to_json({Neighbors::replace, {{Gaussian{std::nan("")}, 1, ""}}}), Error);
  EXPECT_THROW(to_json({Neighbors::replace, {{Gaussian{1.0}, 1, "\xff"}}}), Error);
  EXPECT_THROW(to_json({Neighbors::replace, {{Gaussian{1.0}, 1, "two\nlines"}}}), Error);
}

}  // namespace
}  // namespace sosia
