// SPDX-License-Identifier: Apache-2.0
#include "privacy/accounting/zcdp.h"

#include <gtest/gtest.h>

#include <cmath>

#include "privacy/accounting/gaussian.h"

namespace sosia::accounting {
namespace {

TEST(Zcdp, ThereAndBack) {
  for (const double rho : {1e-6, 1e-3, 0.1, 5.0, 1e3}) {
    for (const double delta : {1e-12, 1e-5, 1e-2}) {
      const double epsilon = zcdp_epsilon(rho, delta);
      EXPECT_LE(zcdp_delta(rho, epsilon), delta);
      EXPECT_LE(epsilon, zcdp_epsilon_simple(rho, delta));
      EXPECT_GE(epsilon, gaussian_epsilon(std::sqrt(2.0 * rho), delta));
      if (epsilon > 0.0) {
        EXPECT_NEAR(zcdp_rho(epsilon, delta) / rho, 1.0, 1e-8);
      }
      EXPECT_LE(zcdp_epsilon(zcdp_rho(epsilon, delta), delta), epsilon);
    }
  }
}

TEST(Zcdp, Limits) {
  EXPECT_EQ(zcdp_epsilon(0.0, 1e-5), 0.0);
  EXPECT_TRUE(std::isinf(zcdp_epsilon(0.0, 0.0)));
  EXPECT_TRUE(std::isinf(zcdp_epsilon(0.1, -1e-9)));
  EXPECT_TRUE(std::isinf(zcdp_epsilon(INFINITY, 1e-5)));
}

TEST(Zcdp, RhosAddUp) {
  const Plan plan{Neighbors::add_remove, {{Gaussian{2.0}, 1, ""}, {Exponential{0.4}, 10, ""}}};
  EXPECT_NEAR(total_rho(compose_models(plan)).value(), 0.125 + 10 * 0.16 / 8.0, 1e-15);
  const Plan sampled{Neighbors::add_remove, {{SampledGaussian{0.1, 2.0}, 1, ""}}};
  EXPECT_FALSE(total_rho(compose_models(sampled)).has_value());
}

}  // namespace
}  // namespace sosia::accounting
