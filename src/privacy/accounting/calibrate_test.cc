// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include <sosia/accounting.h>
#include <sosia/error.h>

#include "privacy/accounting/gaussian.h"

namespace sosia {
namespace {

double noise_of(const Event& event) { return std::get<Gaussian>(event.mechanism).noise; }

/// Within the target, and not needlessly far below it.
void expect_meets(const Plan& plan, double epsilon, double delta, double tolerance = 5e-6) {
  const double priced = account(plan, delta).epsilon;
  EXPECT_LE(priced, epsilon);
  EXPECT_GE(priced, epsilon * (1.0 - tolerance));
}

TEST(GaussianNoise, IsEnoughAndNotMore) {
  for (const double epsilon : {0.0, 0.01, 1.0, 20.0}) {
    for (const double delta : {1e-2, 1e-6, 1e-40}) {
      const double noise = gaussian_noise(epsilon, delta);
      EXPECT_LE(accounting::gaussian_delta(1.0 / noise, epsilon), delta);
      EXPECT_GT(accounting::gaussian_delta((1.0 + 1e-9) / noise, epsilon), delta);
    }
  }
  EXPECT_NEAR(gaussian_noise(1.0, 1e-5), 3.7306316348159418, 1e-9);  // Balle and Wang 2018
}

TEST(Calibrate, GaussianSharesAreOfMuSquared) {
  const OpenPlan open{{Neighbors::add_remove, {{Gaussian{1.0}, 1, "a"}, {Gaussian{1.0}, 4, "b"}}}, {3.0, 1.0}};
  const Plan plan = calibrate(open, 1.0, 1e-6);
  expect_meets(plan, 1.0, 1e-6, 1e-9);
  const double a = noise_of(plan.events[0]), b = noise_of(plan.events[1]);
  EXPECT_NEAR((1.0 / (a * a)) / (4.0 / (b * b)), 3.0, 1e-9);
  EXPECT_EQ(plan.events[1].label, "b");
}

TEST(Calibrate, FixedEventsStay) {
  const OpenPlan open{{Neighbors::add_remove, {{Gaussian{5.0}, 1, "fixed"}, {Gaussian{1.0}, 1, "open"}}}, {0.0, 1.0}};
  const Plan plan = calibrate(open, 2.0, 1e-6);
  EXPECT_EQ(noise_of(plan.events[0]), 5.0);
  expect_meets(plan, 2.0, 1e-6, 1e-9);
}

TEST(Calibrate, FixedEventsMayBeTooMuch) {
  const OpenPlan open{{Neighbors::add_remove, {{Gaussian{1.0}, 1, "fixed"}, {Gaussian{1.0}, 1, "open"}}}, {0.0, 1.0}};
  try {
    calibrate(open, 1.0, 1e-6);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::budget);
  }
}

TEST(Calibrate, MixedPlansUnderEveryRelation) {
  for (const Neighbors relation : {Neighbors::add_remove, Neighbors::zero_out, Neighbors::replace}) {
    const OpenPlan open{{relation,
                         {{Gaussian{1.0}, 1, ""},
                          {SampledGaussian{0.01, 1.0}, 1000, ""},
                          {Laplace{1.0}, 3, ""},
                          {DiscreteGaussian{1.0, 2}, 2, ""},
                          {PartitionSelection{0.0, 1e-8}, 1, ""}}},
                        {1.0, 2.0, 0.5, 0.5, 0.0}};
    expect_meets(calibrate(open, 1.0, 1e-6), 1.0, 1e-6);
  }
}

TEST(Calibrate, PureMechanismsAlone) {
  expect_meets(calibrate({{Neighbors::add_remove, {{Laplace{1.0}, 10, ""}}}, {1.0}}, 0.5, 1e-6), 0.5, 1e-6);
  expect_meets(calibrate({{Neighbors::add_remove, {{Geometric{1.0, 2}, 7, ""}}}, {1.0}}, 0.5, 1e-6), 0.5, 1e-6);
  expect_meets(
      calibrate({{Neighbors::add_remove, {{Exponential{1.0}, 50, ""}, {Gaussian{1.0}, 1, ""}}}, {1.0, 4.0}}, 1.0, 1e-6),
      1.0, 1e-6);
}

TEST(Calibrate, IsIndifferentToThePlaceholder) {
  const auto noise = [](double placeholder) {
    const OpenPlan open{{Neighbors::add_remove, {{SampledGaussian{0.02, placeholder}, 200, ""}}}, {1.0}};
    return std::get<SampledGaussian>(calibrate(open, 1.0, 1e-5).events[0].mechanism).noise;
  };
  EXPECT_DOUBLE_EQ(noise(1.0), noise(17.0));
}

TEST(Calibrate, RefusesNonsense) {
  const Plan plan{Neighbors::add_remove, {{Gaussian{1.0}, 1, ""}}};
  const OpenPlan good{plan, {1.0}};
  for (const double epsilon : {0.0, -1.0, std::nan(""), static_cast<double>(INFINITY)}) {
    EXPECT_THROW(calibrate(good, epsilon, 1e-6), Error);
  }
  for (const double delta : {0.0, 1.0, std::nan("")}) EXPECT_THROW(calibrate(good, 1.0, delta), Error);
  EXPECT_THROW(calibrate({plan, {}}, 1.0, 1e-6), Error);
  EXPECT_THROW(calibrate({plan, {0.0}}, 1.0, 1e-6), Error);
  EXPECT_THROW(calibrate({plan, {-1.0}}, 1.0, 1e-6), Error);
  EXPECT_THROW(gaussian_noise(-1.0, 1e-6), Error);
  EXPECT_THROW(gaussian_noise(1.0, 0.0), Error);
}

}  // namespace
}  // namespace sosia
