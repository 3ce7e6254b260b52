// SPDX-License-Identifier: Apache-2.0
#include "privacy/accounting/partition_selection.h"

#include <gtest/gtest.h>

#include <cmath>

#include "privacy/accounting/normal.h"

namespace sosia::accounting {
namespace {

TEST(KeepProbability, IsPrivateAtEveryStepAndStartsAtDelta) {
  const double epsilon = 0.4, delta = 1e-3, ratio = std::exp(epsilon);
  EXPECT_EQ(keep_probability(epsilon, delta, 0), 0.0);
  EXPECT_EQ(keep_probability(epsilon, delta, 1), delta);
  for (int n = 0; n < 60; ++n) {
    const double less = keep_probability(epsilon, delta, n), more = keep_probability(epsilon, delta, n + 1);
    EXPECT_GE(more, less);
    EXPECT_LE(more, ratio * less + delta + 1e-15);
    EXPECT_LE(1 - less, ratio * (1 - more) + delta + 1e-15);
  }
  EXPECT_EQ(keep_probability(epsilon, delta, 60), 1.0);
}

TEST(GaussianThreshold, ALoneKeyPassesWithProbabilityDelta) {
  const double sigma = 3.0, delta = 1e-6;
  for (int keys : {1, 4, 100}) {
    const double threshold = gaussian_threshold(sigma, keys, 2.0, delta);
    const double each = normal_cdf((2.0 - threshold) / sigma);
    EXPECT_NEAR(-std::expm1(keys * std::log1p(-each)) / delta, 1.0, 1e-9);
  }
}

}  // namespace
}  // namespace sosia::accounting
