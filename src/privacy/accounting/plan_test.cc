// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sosia/error.h>
#include <sosia/plan.h>

namespace sosia {
namespace {

using testing::HasSubstr;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// The message of the usage error that validation throws, or "" if the event is accepted.
std::string refusal(const Mechanism& mechanism, std::int64_t count = 1, const std::string& label = "step") {
  try {
    validate(Event{mechanism, count, label});
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "";
}

TEST(Plan, RelationNamesGoThereAndBack) {
  for (const Neighbors relation : {Neighbors::add_remove, Neighbors::zero_out, Neighbors::replace}) {
    EXPECT_EQ(neighbors_from(name_of(relation)), relation);
  }
}

TEST(Plan, UnknownRelationListsTheValidOnes) {
  try {
    neighbors_from("swap");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.problem(), HasSubstr("\"swap\""));
    EXPECT_THAT(error.fix(), HasSubstr("add-remove, zero-out, replace"));
  }
}

TEST(Plan, MechanismNames) {
  EXPECT_STREQ(name_of(Mechanism{Gaussian{1}}), "gaussian");
  EXPECT_STREQ(name_of(Mechanism{SampledGaussian{0.5, 1}}), "sampled-gaussian");
  EXPECT_STREQ(name_of(Mechanism{GroupedGaussian{0.5, 1}}), "grouped-gaussian");
  EXPECT_STREQ(name_of(Mechanism{Laplace{1}}), "laplace");
  EXPECT_STREQ(name_of(Mechanism{Geometric{1}}), "geometric");
  EXPECT_STREQ(name_of(Mechanism{DiscreteGaussian{1}}), "discrete-gaussian");
  EXPECT_STREQ(name_of(Mechanism{Exponential{1}}), "exponential");
  EXPECT_STREQ(name_of(Mechanism{NoisyMax{1}}), "noisy-max");
  EXPECT_STREQ(name_of(Mechanism{PartitionSelection{1, 0}}), "partition-selection");
}

TEST(Plan, AcceptsTheEdgesOfEachRange) {
  for (const Mechanism& mechanism :
       {Mechanism{Gaussian{1e-6}}, Mechanism{Gaussian{1e12}}, Mechanism{SampledGaussian{1.0, 1.0}},
        Mechanism{SampledGaussian{1e-9, 1.0}}, Mechanism{Laplace{1e-9}}, Mechanism{Geometric{1e4, 1}},
        Mechanism{DiscreteGaussian{0.01, 1'000'000'000'000}}, Mechanism{DiscreteGaussian{2e4}},
        Mechanism{NoisyMax{1.0}}, Mechanism{PartitionSelection{0.0, 0.0}},
        Mechanism{PartitionSelection{0.0, std::nextafter(1.0, 0.0)}}}) {
    EXPECT_EQ(refusal(mechanism), "");
  }
}

TEST(Plan, RefusesWhatTheAccountantsAreNotTestedFor) {
  for (const Mechanism& mechanism :
       {Mechanism{Gaussian{1e-7}}, Mechanism{Gaussian{1e13}}, Mechanism{SampledGaussian{1e-10, 1.0}},
        Mechanism{GroupedGaussian{1.1, 1.0}}, Mechanism{GroupedGaussian{0.5, 1e13}}, Mechanism{Laplace{1e-10}},
        Mechanism{Geometric{1e5, 1}}, Mechanism{DiscreteGaussian{0.001}}, Mechanism{DiscreteGaussian{1e9}},
        Mechanism{NoisyMax{1e308}}, Mechanism{PartitionSelection{1e308, 0.0}}}) {
    EXPECT_NE(refusal(mechanism), "");
  }
  EXPECT_THROW(validate(Event{NoisyMax{1.0}, std::numeric_limits<std::int64_t>::max()}), Error);
}

TEST(Plan, RefusesNumbersOutOfRangeByName) {
  for (const double bad : {0.0, -1.0, kInf, -kInf, kNan}) {
    EXPECT_THAT(refusal(Gaussian{bad}), HasSubstr("noise is"));
    EXPECT_THAT(refusal(SampledGaussian{0.5, bad}), HasSubstr("noise is"));
    EXPECT_THAT(refusal(SampledGaussian{bad, 1.0}), HasSubstr("rate is"));
    EXPECT_THAT(refusal(Laplace{bad}), HasSubstr("epsilon is"));
    EXPECT_THAT(refusal(Geometric{bad}), HasSubstr("epsilon is"));
    EXPECT_THAT(refusal(DiscreteGaussian{bad}), HasSubstr("sigma is"));
    EXPECT_THAT(refusal(Exponential{bad}), HasSubstr("epsilon is"));
    EXPECT_THAT(refusal(NoisyMax{bad}), HasSubstr("epsilon is"));
  }
  for (const double bad : {-1e-300, kInf, kNan}) {
    EXPECT_THAT(refusal(PartitionSelection{bad, 0.0}), HasSubstr("epsilon is"));
    EXPECT_THAT(refusal(PartitionSelection{1.0, bad}), HasSubstr("delta is"));
  }
  EXPECT_THAT(refusal(SampledGaussian{std::nextafter(1.0, 2.0), 1.0}), HasSubstr("rate is"));
  EXPECT_THAT(refusal(PartitionSelection{1.0, 1.0}), HasSubstr("delta is"));
  for (const std::int64_t bad : {std::int64_t{0}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::min()}) {
    EXPECT_THAT(refusal(Geometric{1.0, bad}), HasSubstr("sensitivity is"));
    EXPECT_THAT(refusal(DiscreteGaussian{1.0, bad}), HasSubstr("sensitivity is"));
    EXPECT_THAT(refusal(Gaussian{1.0}, bad), HasSubstr("count is"));
  }
}

TEST(Plan, RefusalNamesTheEvent) {
  EXPECT_THAT(refusal(Gaussian{0.0}, 1, "embedding"), HasSubstr("where: gaussian event \"embedding\""));
  EXPECT_THAT(refusal(Laplace{0.0}, 1, ""), HasSubstr("where: laplace event\n"));
}

TEST(Plan, ValidatesEveryEventOfAPlan) {
  Plan plan{Neighbors::add_remove, {{Gaussian{1.0}, 1, "first"}, {Gaussian{1.0}, 1, "second"}}};
  EXPECT_NO_THROW(validate(plan));
  plan.events[1].count = 0;
  EXPECT_THROW(validate(plan), Error);
  EXPECT_NO_THROW(validate(Plan{}));
}

TEST(Plan, ComposesInOrderAndRefusesMixedRelations) {
  const Plan first{Neighbors::replace, {{Gaussian{1.0}, 2, "a"}}};
  const Plan second{Neighbors::replace, {{Laplace{0.5}, 1, "b"}, {Laplace{0.25}, 3, "c"}}};
  const Plan both = compose(first, second);
  EXPECT_EQ(both.relation, Neighbors::replace);
  ASSERT_EQ(both.events.size(), 3U);
  EXPECT_EQ(both.events[0].label, "a");
  EXPECT_EQ(both.events[2].count, 3);
  EXPECT_THROW(compose(first, Plan{Neighbors::add_remove, {}}), Error);
}

}  // namespace
}  // namespace sosia
