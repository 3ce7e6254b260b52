// SPDX-License-Identifier: Apache-2.0
#include "privacy/accounting/contour.h"

#include <gtest/gtest.h>

#include "privacy/accounting/gaussian.h"

namespace sosia::accounting {
namespace {

TEST(Contour, GivesTheClosedFormOfTheGaussian) {
  for (double mu : {0.05, 0.5, 2.0, 8.0}) {
    const Composition one = compose_models({.events = {{Gaussian{1.0 / mu}}}});
    for (double delta : {1e-50, 1e-12, 1e-5, 1e-2}) {
      const double exact = gaussian_epsilon(mu, delta);
      ASSERT_TRUE(contour_epsilon(one, delta));
      EXPECT_NEAR(*contour_epsilon(one, delta), exact, 1e-11 * (1 + exact)) << mu << " " << delta;
    }
    EXPECT_NEAR(*contour_delta(one, 1.0, Direction::add), gaussian_delta(mu, 1.0), 1e-12);
  }
}

TEST(Contour, ManyGaussianStepsAreOne) {
  // A sampled Gaussian of rate nearly 1 is nearly the plain one, step by step.
  const Composition steps = compose_models({.events = {{SampledGaussian{1.0 - 1e-12, 30.0}, 100}}});
  EXPECT_NEAR(*contour_epsilon(steps, 1e-6), gaussian_epsilon(10.0 / 30.0, 1e-6), 1e-8);
}

TEST(Contour, TakesTheInfinityMassIntoAccount) {
  const Plan plan{.events = {{Gaussian{2.0}}, {PartitionSelection{0.0, 4e-6}}}};
  EXPECT_NEAR(*contour_epsilon(compose_models(plan), 1e-5), gaussian_epsilon(0.5, 6e-6 / (1 - 4e-6)), 1e-9);
  EXPECT_FALSE(contour_epsilon(compose_models(plan), 3e-6));
}

TEST(Contour, SaysWhenItCannotTell) {
  EXPECT_FALSE(contour_epsilon(compose_models({.events = {{Laplace{0.1}, 10}}}), 1e-5));
  EXPECT_FALSE(contour_epsilon(compose_models({.events = {{SampledGaussian{0.01, 1.0}}}}), 1e-5));
}

}  // namespace
}  // namespace sosia::accounting
