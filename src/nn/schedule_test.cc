// SPDX-License-Identifier: Apache-2.0
#include "nn/schedule.h"

#include <gtest/gtest.h>

#include <sosia/error.h>

namespace sosia::nn {
namespace {

TEST(Schedule, ConstantStays) {
  EXPECT_EQ(rate_at({.rate = 0.3}, 0), 0.3);
  EXPECT_EQ(rate_at({.rate = 0.3}, 1'000'000), 0.3);
}

TEST(Schedule, CosineGoesDownToZero) {
  const Schedule schedule{.kind = ScheduleKind::cosine, .rate = 2.0, .steps = 100};
  EXPECT_EQ(rate_at(schedule, 0), 2.0);
  EXPECT_NEAR(rate_at(schedule, 25), 2.0 * 0.8535533905932737, 1e-12);  // (1 + cos(pi/4)) / 2
  EXPECT_NEAR(rate_at(schedule, 50), 1.0, 1e-12);
  EXPECT_NEAR(rate_at(schedule, 100), 0.0, 1e-12);
  EXPECT_NEAR(rate_at(schedule, 1000), 0.0, 1e-12);
}

TEST(Schedule, StepFallsByItsFactor) {
  const Schedule schedule{.kind = ScheduleKind::step, .rate = 1.0, .every = 10, .factor = 0.5};
  EXPECT_EQ(rate_at(schedule, 9), 1.0);
  EXPECT_EQ(rate_at(schedule, 10), 0.5);
  EXPECT_EQ(rate_at(schedule, 35), 0.125);
}

TEST(Schedule, WarmUpRisesToTheRate) {
  const Schedule schedule{.kind = ScheduleKind::cosine, .rate = 1.0, .steps = 103, .warm_up = 3};
  EXPECT_EQ(rate_at(schedule, 0), 0.25);
  EXPECT_EQ(rate_at(schedule, 2), 0.75);
  EXPECT_EQ(rate_at(schedule, 3), 1.0);
  EXPECT_NEAR(rate_at(schedule, 53), 0.5, 1e-12);
}

TEST(Schedule, RefusesWhatIsOutOfRange) {
  EXPECT_THROW(rate_at({}, -1), Error);
  EXPECT_THROW(rate_at({.kind = ScheduleKind::step, .every = 0}, 1), Error);
}

}  // namespace
}  // namespace sosia::nn
