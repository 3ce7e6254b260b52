// SPDX-License-Identifier: Apache-2.0
#include "audit_bounds.h"

#include <gtest/gtest.h>

#include <cmath>

#include <sosia/error.h>

namespace sosia::accounting {
namespace {

TEST(ClopperPearson, EdgesAreClosedForms) {
  EXPECT_EQ(clopper_pearson_lower(0, 100, 0.05), 0.0);
  EXPECT_EQ(clopper_pearson_upper(100, 100, 0.05), 1.0);
  EXPECT_NEAR(clopper_pearson_upper(0, 100, 0.05), 1.0 - std::pow(0.05, 0.01), 1e-14);
  EXPECT_NEAR(clopper_pearson_lower(100, 100, 0.05), std::pow(0.05, 0.01), 1e-14);
}

TEST(ClopperPearson, BracketsTheRateAndMirrors) {
  for (const std::int64_t hits : {1, 17, 50, 99}) {
    EXPECT_LT(clopper_pearson_lower(hits, 100, 0.01), static_cast<double>(hits) / 100);
    EXPECT_GT(clopper_pearson_upper(hits, 100, 0.01), static_cast<double>(hits) / 100);
    EXPECT_NEAR(clopper_pearson_lower(hits, 100, 0.01), 1.0 - clopper_pearson_upper(100 - hits, 100, 0.01), 1e-12);
  }
}

TEST(ClopperPearson, RefusesNonsense) {
  EXPECT_THROW(clopper_pearson_lower(5, 4, 0.05), Error);
  EXPECT_THROW(clopper_pearson_upper(-1, 4, 0.05), Error);
  EXPECT_THROW(clopper_pearson_upper(1, 0, 0.05), Error);
  EXPECT_THROW(clopper_pearson_upper(1, 4, 0.0), Error);
}

TEST(AuditEpsilon, ShowsWhatAnAttackProves) {
  // A scalar auto-encoder whose encoder has no noise, 2000 runs a side.
  EXPECT_NEAR(audit_epsilon({1434, 2000, 0, 2000}, 1e-5, 0.01), 5.56, 0.01);
  EXPECT_EQ(audit_epsilon({50, 100, 50, 100}, 1e-5, 0.05), 0.0);
  EXPECT_EQ(audit_epsilon({0, 100, 0, 100}, 1e-5, 0.05), 0.0);
  // Mirrored scores prove the same.
  EXPECT_NEAR(audit_epsilon({1434, 2000, 0, 2000}, 0.0, 0.01), audit_epsilon({2000, 2000, 566, 2000}, 0.0, 0.01), 1e-9);
}

TEST(BestAttack, GrowsWithMu) {
  EXPECT_NEAR(best_attack_rate(0.0, 0.01), 0.01, 1e-15);
  EXPECT_GT(best_attack_rate(1.0, 0.01), best_attack_rate(0.5, 0.01));
  EXPECT_EQ(best_attack_rate(1.0, 0.0), 0.0);
  EXPECT_EQ(best_attack_rate(1.0, 1.0), 1.0);
  EXPECT_NEAR(best_attack_area(0.0), 0.5, 1e-15);
}

}  // namespace
}  // namespace sosia::accounting
