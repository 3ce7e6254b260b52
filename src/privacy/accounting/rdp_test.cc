// SPDX-License-Identifier: Apache-2.0
#include "privacy/accounting/rdp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sosia::accounting {
namespace {

Composition of(const Mechanism& mechanism, std::int64_t count = 1) {
  return compose_models({Neighbors::add_remove, {{mechanism, count, ""}}});
}

TEST(Rdp, ConversionsAreOrdered) {
  for (const double order : {1.1, 1.5, 2.0, 8.0, 64.0, 1000.0}) {
    for (const double divergence : {1e-6, 0.01, 0.5, 10.0}) {
      for (const double delta : {1e-12, 1e-5, 0.1}) {
        const double mironov = rdp_to_epsilon(order, divergence, delta, Conversion::mironov);
        const double tight = rdp_to_epsilon(order, divergence, delta, Conversion::tight);
        const double optimal = rdp_to_epsilon_optimal(order, divergence, delta);
        EXPECT_LE(tight, mironov);
        EXPECT_LE(optimal, tight);
        EXPECT_GE(optimal, 0.0);
      }
    }
  }
}

// Canonne, Kamath and Steinke 2020: divergence + log(1 - 1/order) - (log delta + log order) / (order - 1).
TEST(Rdp, TightConversionKnownValue) {
  EXPECT_NEAR(rdp_to_epsilon(2.0, 0.1, 1e-5, Conversion::tight), 0.1 + 5.0 * std::log(10.0) - 2.0 * std::log(2.0),
              1e-13);
}

TEST(Rdp, OptimalConversionKnownValue) {
  // Asoodeh et al. 2021, inverted with 50 digits.
  EXPECT_NEAR(rdp_to_epsilon_optimal(2.0, 0.1, 1e-5), 7.8748428999737838, 1e-8);
  EXPECT_NEAR(rdp_to_epsilon_optimal(1.5, 0.5, 1e-3), 9.4043808445563458, 1e-8);
}

TEST(Rdp, NumericalFailureIsNeverPrivacy) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const Conversion conversion : {Conversion::mironov, Conversion::tight}) {
    EXPECT_TRUE(std::isinf(rdp_to_epsilon(2.0, kNan, 1e-5, conversion)));
    EXPECT_TRUE(std::isinf(rdp_to_epsilon(2.0, -1e-9, 1e-5, conversion)));
    EXPECT_TRUE(std::isinf(rdp_to_epsilon(2.0, INFINITY, 1e-5, conversion)));
    EXPECT_TRUE(std::isinf(rdp_to_epsilon(1.0, 0.1, 1e-5, conversion)));
    EXPECT_TRUE(std::isinf(rdp_to_epsilon(2.0, 0.1, 0.0, conversion)));
  }
  EXPECT_TRUE(std::isinf(rdp_to_epsilon_optimal(2.0, kNan, 1e-5)));
}

TEST(Rdp, LargeDeltaNeedsNoEpsilon) {
  EXPECT_EQ(rdp_to_epsilon(2.0, 1e-6, 1e-2, Conversion::tight), 0.0);
  EXPECT_GT(rdp_to_epsilon(2.0, 1e-3, 1e-2, Conversion::tight), 0.0);
}

TEST(Rdp, OrdersReachAsFarAsNeeded) {
  // Small mu: the best order is sqrt(2 log(1/delta)) / mu, thousands; large mu: barely above 1.
  EXPECT_GT(rdp_epsilon(of(Gaussian{1e4}), 1e-5).order, 2000.0);
  EXPECT_LT(rdp_epsilon(of(Gaussian{1e-3}), 1e-5).order, 1.01);
  for (const double noise : {1e4, 1.0, 1e-3}) {
    const double wide = rdp_epsilon(of(Gaussian{noise}), 1e-5).epsilon;
    EXPECT_LE(wide, rdp_epsilon(of(Gaussian{noise}), 1e-5, common_orders(), Conversion::tight).epsilon);
  }
}

TEST(Rdp, InfinityMassComesOffDelta) {
  const Plan plan{Neighbors::add_remove, {{Gaussian{2.0}, 1, ""}, {PartitionSelection{0.0, 5e-6}, 1, ""}}};
  const double with = rdp_epsilon(compose_models(plan), 1e-5).epsilon;
  EXPECT_NEAR(with, rdp_epsilon(of(Gaussian{2.0}), 5e-6).epsilon, 1e-8);
  EXPECT_TRUE(std::isinf(rdp_epsilon(compose_models(plan), 4e-6).epsilon));
}

}  // namespace
}  // namespace sosia::accounting
