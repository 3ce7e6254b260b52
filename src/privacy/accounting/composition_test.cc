// SPDX-License-Identifier: Apache-2.0
#include "privacy/accounting/composition.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sosia::accounting {
namespace {

TEST(Composition, GaussiansBecomeOne) {
  const auto whole = compose_models({Neighbors::add_remove, {{Gaussian{2.0}, 4, "a"}, {Gaussian{1.0}, 3, "b"}}});
  EXPECT_TRUE(whole.all_gaussian());
  EXPECT_DOUBLE_EQ(whole.total_mu(), 2.0);
  EXPECT_EQ(whole.parts().size(), 1u);
}

TEST(Composition, SamplingEveryoneIsNoSampling) {
  const SampledGaussian all{1.0, 4.0};
  EXPECT_DOUBLE_EQ(compose_models({Neighbors::add_remove, {{all, 1, ""}}}).total_mu(), 0.25);
  EXPECT_DOUBLE_EQ(compose_models({Neighbors::zero_out, {{all, 1, ""}}}).total_mu(), 0.25);
  EXPECT_DOUBLE_EQ(compose_models({Neighbors::replace, {{all, 1, ""}}}).total_mu(), 0.5);
}

TEST(Composition, EqualMechanismsAreOnePart) {
  const Plan plan{Neighbors::add_remove,
                  {{Laplace{0.1}, 2, ""}, {Gaussian{3.0}, 1, ""}, {Laplace{0.1}, 5, ""}, {Laplace{0.2}, 1, ""}}};
  const auto whole = compose_models(plan);
  ASSERT_EQ(whole.parts().size(), 3u);
  EXPECT_FALSE(whole.all_gaussian());
  EXPECT_EQ(whole.parts()[1].count, 7);
  EXPECT_EQ(whole.steps(), 9.0);
}

TEST(Composition, InfinityMassesMultiplyUp) {
  const auto whole = compose_models({Neighbors::add_remove, {{PartitionSelection{0.0, 1e-3}, 2, ""}}});
  EXPECT_NEAR(whole.infinity_mass(), 1.0 - 0.999 * 0.999, 1e-15);
  EXPECT_GE(whole.infinity_mass(), 2e-3 - 1e-6);
}

TEST(Composition, EmptyPlanIsEmpty) {
  const auto whole = compose_models({});
  EXPECT_TRUE(whole.empty());
  EXPECT_FALSE(whole.all_gaussian());
  EXPECT_EQ(whole.total_mu(), 0.0);
}

}  // namespace
}  // namespace sosia::accounting
