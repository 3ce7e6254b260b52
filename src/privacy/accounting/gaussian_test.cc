// SPDX-License-Identifier: Apache-2.0
#include "privacy/accounting/gaussian.h"

#include <gtest/gtest.h>

#include <cmath>

#include "privacy/accounting/normal.h"

namespace sosia::accounting {
namespace {

TEST(Normal, QuantileInvertsTheDistributionInBothTails) {
  for (double x : {-30.0, -8.0, -1.0, 0.0, 0.5, 3.0, 5.0}) {
    EXPECT_NEAR(normal_quantile(normal_cdf(x)), x, 1e-9 * (1 + std::abs(x) * std::abs(x)));
    EXPECT_NEAR(normal_upper_quantile(normal_cdf(x)), -x, 1e-9 * (1 + x * x));
  }
}

TEST(Normal, MillsRatioIsSmoothWhereItsTwoFormsMeet) {
  const double x = 25.0 * std::sqrt(2.0);
  EXPECT_NEAR(mills_ratio(std::nextafter(x, 0.0)) / mills_ratio(std::nextafter(x, 100.0)), 1.0, 1e-13);
  EXPECT_NEAR(mills_ratio(0.0), std::sqrt(std::acos(-1.0) / 2.0), 1e-15);
  EXPECT_NEAR(log_normal_cdf(-40.0), -804.60844201, 1e-7);  // mpmath
}

TEST(GaussianDp, EpsilonAndMuInvertDeltaOnTheSafeSide) {
  for (double mu : {1e-6, 0.01, 0.3, 1.0, 5.0, 40.0}) {
    for (double delta : {1e-300, 1e-30, 1e-9, 1e-5, 0.1}) {
      const double epsilon = gaussian_epsilon(mu, delta);
      EXPECT_LE(gaussian_delta(mu, epsilon), delta) << mu << " " << delta;
      if (epsilon == 0.0) continue;
      EXPECT_GT(gaussian_delta(mu, epsilon * (1 - 1e-9)), delta) << mu << " " << delta;
      const double back = gaussian_mu(epsilon, delta);
      EXPECT_LE(gaussian_delta(back, epsilon), delta);
      EXPECT_NEAR(back / mu, 1.0, 1e-9);
    }
  }
}

TEST(GaussianDp, DeltaHasItsLimits) {
  EXPECT_EQ(gaussian_delta(0.0, 0.0), 0.0);
  EXPECT_NEAR(gaussian_delta(0.0, -1.0), 1 - std::exp(-1.0), 1e-15);
  EXPECT_NEAR(gaussian_delta(1.0, -50.0), 1.0, 1e-15);
  EXPECT_EQ(gaussian_epsilon(0.0, 1e-5), 0.0);
  // Continuous across the switch to the series at small mu.
  EXPECT_NEAR(gaussian_delta(0.99999e-4, 1e-5) / gaussian_delta(1.00001e-4, 1e-5), 1.0, 1e-4);
}

TEST(GaussianDp, APureMechanismIsDominatedAndTheBoundIsTight) {
  for (double epsilon : {0.01, 0.1, 1.0, 5.0}) {
    const double mu = gaussian_mu_of_pure(epsilon);
    const double low = 1.0 / (1.0 + std::exp(epsilon));
    const auto pure_delta = [&](double e) {  // randomised response
      return std::max(0.0, (1 - low) * -std::expm1(e - epsilon)) + std::max(0.0, low * -std::expm1(e + epsilon));
    };
    double least = 1.0;
    for (double e = -2 * epsilon; e <= 2 * epsilon; e += epsilon / 50) {
      EXPECT_GE(gaussian_delta(mu, e), pure_delta(e) - 1e-15) << epsilon << " " << e;
      least = std::min(least, gaussian_delta(mu * 0.999, e) - pure_delta(e));
    }
    EXPECT_LT(least, 0.0) << "a smaller mu would do";
  }
}

// A loss within a range r is dominated, for some t, by one of two values t and t - r.
TEST(GaussianDp, AMechanismOfBoundedRangeIsDominatedAndTheBoundIsTight) {
  for (double range : {0.01, 0.1, 1.0, 6.0}) {
    const double mu = gaussian_mu_of_range(range);
    EXPECT_LT(mu, 0.65 * range);
    double least = 1.0;
    for (double t = 0.0; t <= range * 1.001; t += range / 40) {
      const double high = std::expm1(std::min(t, range) - range) / std::expm1(-range);  // P(loss = t)
      for (double e = -range; e <= range; e += range / 100) {
        const double delta =
            high * std::max(0.0, -std::expm1(e - t)) + (1 - high) * std::max(0.0, -std::expm1(e - t + range));
        EXPECT_GE(gaussian_delta(mu, e), delta - 1e-15) << range << " " << t << " " << e;
        least = std::min(least, gaussian_delta(mu * 0.999, e) - delta);
      }
    }
    EXPECT_LT(least, 0.0) << "a smaller mu would do";
    EXPECT_NEAR(range_of_gaussian(mu), range, 1e-10 * range);
    EXPECT_LE(gaussian_mu_of_range(range_of_gaussian(mu)), mu);
  }
}

}  // namespace
}  // namespace sosia::accounting
