// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include <sosia/accounting.h>
#include <sosia/error.h>

#include "privacy/accounting/composition.h"
#include "privacy/accounting/gaussian.h"
#include "privacy/accounting/rdp.h"

namespace sosia {
namespace {

const Bound& bound(const Account& account, const std::string& name) {
  const auto found =
      std::find_if(account.bounds.begin(), account.bounds.end(), [&](const Bound& b) { return b.accountant == name; });
  if (found == account.bounds.end()) throw std::runtime_error("no bound by " + name);
  return *found;
}

/// Plans of every kind of mechanism, some of them many times.
class RandomPlans {
 public:
  Plan next() {
    Plan plan{static_cast<Neighbors>(pick(3)), {}};
    const int events = 1 + pick(3);
    for (int i = 0; i < events; ++i) plan.events.push_back({mechanism(), count(), ""});
    return plan;
  }

 private:
  int pick(int choices) { return static_cast<int>(rng_() % static_cast<unsigned>(choices)); }
  double between(double low, double high) {
    return low * std::pow(high / low, std::uniform_real_distribution<double>(0.0, 1.0)(rng_));
  }
  std::int64_t count() { return std::int64_t{1} << pick(7); }
  Mechanism mechanism() {
    switch (pick(9)) {
      case 0:
        return SampledGaussian{between(0.005, 0.5), between(0.8, 5.0)};
      case 1:
        return Laplace{between(0.01, 0.5)};
      case 2:
        return Geometric{between(0.01, 0.5), 1 + pick(3)};
      case 3:
        return DiscreteGaussian{between(2.0, 20.0), 1 + pick(2)};
      case 4:
        return Exponential{between(0.01, 0.3)};
      case 5:
        return NoisyMax{between(0.01, 0.3)};
      case 6:
        return PartitionSelection{between(0.01, 0.3), 1e-10};
      case 7:
        return GroupedGaussian{between(0.005, 0.5), between(0.8, 5.0)};
      default:
        return Gaussian{between(1.0, 30.0)};
    }
  }
  std::mt19937_64 rng_{20240607};
};

TEST(Accountant, GroupsArePricedAsReplacedUnitsUnderEveryRelation) {
  for (const double rate : {0.01, 1.0}) {
    const double replaced = account({Neighbors::replace, {{SampledGaussian{rate, 2.0}, 50}}}, 1e-6).epsilon;
    for (const Neighbors relation : {Neighbors::add_remove, Neighbors::zero_out, Neighbors::replace}) {
      EXPECT_EQ(account({relation, {{GroupedGaussian{rate, 2.0}, 50}}}, 1e-6).epsilon, replaced);
    }
    EXPECT_LT(account({Neighbors::add_remove, {{SampledGaussian{rate, 2.0}, 50}}}, 1e-6).epsilon, 0.6 * replaced);
  }
}

TEST(Accountant, PropertiesHoldOnRandomPlans) {
  RandomPlans plans;
  for (int i = 0; i < 40; ++i) {
    const Plan plan = plans.next();
    SCOPED_TRACE(testing::Message() << "plan " << i);
    const Account at = account(plan, 1e-6);  // throws if a proved bound lies below the exact value
    EXPECT_EQ(at.epsilon, at.bounds.front().epsilon);
    EXPECT_TRUE(std::is_sorted(at.bounds.begin(), at.bounds.end(),
                               [](const Bound& a, const Bound& b) { return a.epsilon < b.epsilon; }));
    if (at.exact) {
      EXPECT_GE(bound(at, "pld").epsilon, *at.exact * (1.0 - 1e-9));
      EXPECT_LE(bound(at, "pld").epsilon, *at.exact * (1.0 + 1e-4) + 1e-12);
      EXPECT_LE(bound(at, "pld").epsilon, bound(at, "rdp").epsilon * (1.0 + 1e-4));
    }
    EXPECT_LE(bound(at, "rdp").epsilon, bound_by(plan, 1e-6, "rdp-mironov").epsilon);
    EXPECT_LE(account(plan, 1e-4).epsilon, at.epsilon);
  }
}

TEST(Accountant, CompositionIsMonotoneAndOrderIndependent) {
  RandomPlans plans;
  for (int i = 0; i < 12; ++i) {
    const Plan plan = plans.next();
    SCOPED_TRACE(testing::Message() << "plan " << i);
    const double whole = account(plan, 1e-6).epsilon;
    Plan reversed = plan;
    std::reverse(reversed.events.begin(), reversed.events.end());
    EXPECT_NEAR(account(reversed, 1e-6).epsilon, whole, 1e-9 * (1.0 + whole));
    Plan part = plan;
    part.events.pop_back();
    EXPECT_LE(account(part, 1e-6).epsilon, whole * (1.0 + 1e-5));
  }
}

TEST(Accountant, TwoHalvesAreTheWhole) {
  RandomPlans plans;
  for (int i = 0; i < 12; ++i) {
    Plan plan = plans.next(), half = plan;
    for (Event& event : half.events) event.count *= 3;
    for (Event& event : plan.events) event.count *= 6;
    const double whole = account(plan, 1e-6).epsilon;
    EXPECT_NEAR(account(compose(half, half), 1e-6).epsilon, whole, 1e-9 * (1.0 + whole)) << "plan " << i;
  }
}

TEST(Accountant, GaussiansAreExact) {
  const Plan plan{Neighbors::add_remove, {{Gaussian{5.0}, 3, ""}, {Gaussian{2.0}, 1, ""}}};
  for (const double delta : {1e-2, 1e-6, 1e-30}) {
    const Account at = account(plan, delta);
    EXPECT_EQ(at.proved_by, "gdp");
    EXPECT_EQ(at.epsilon, accounting::gaussian_epsilon(std::sqrt(3.0 / 25.0 + 0.25), delta));
    EXPECT_NEAR(bound(at, "pld").epsilon, at.epsilon, 1e-5 * at.epsilon);
    EXPECT_GE(bound(at, "zcdp").epsilon, bound(at, "rdp").epsilon * (1.0 - 1e-9));
  }
}

TEST(Accountant, SelectionIsCheaperThanItsPurePair) {
  const Account at = account({Neighbors::add_remove, {{Exponential{0.1}, 100, ""}}}, 1e-6);
  EXPECT_FALSE(at.exact.has_value());
  EXPECT_EQ(at.proved_by, "rdp");
  EXPECT_LT(at.epsilon, bound(at, "pld").epsilon);
}

TEST(Accountant, PublishedEpsilonsOfDpAutoGan) {
  // Tantipongpipat et al. 2021, their accounting, and what exact accounting makes of the same noise.
  struct Case {
    double n, encoder_batch, encoder_steps, encoder_noise, pair_steps, pair_noise, published, exact;
  };
  for (const Case& c : {Case{32561, 64, 10000, 1.5, 15000, 3.5, 1.0062, 0.7443},
                        Case{32561, 64, 10000, 2.5, 15000, 7.5, 0.5084, 0.3579},
                        Case{32561, 64, 10000, 5.0, 15000, 8.0, 0.3503, 0.2397},
                        Case{27912, 100, 15000, 3.5, 6000, 3.5, 0.8076, 0.5889},
                        Case{27912, 100, 15000, 2.3, 7000, 2.3, 1.3216, 0.9972},
                        Case{27912, 100, 15000, 1.3, 7000, 1.3, 2.6976, 2.1285}}) {
    const SampledGaussian encoder{c.encoder_batch / c.n, c.encoder_noise}, pair{128.0 / c.n, c.pair_noise};
    const Plan plan{Neighbors::add_remove,
                    {{encoder, static_cast<std::int64_t>(c.encoder_steps), "encoder"},
                     {pair, static_cast<std::int64_t>(c.pair_steps), "generator and discriminator"}}};
    EXPECT_NEAR(bound_by(plan, 1e-5, "rdp-mironov").epsilon, c.published, 5e-5);
    EXPECT_NEAR(bound_by(plan, 1e-5, "pld").epsilon, c.exact, 1e-4);
  }
}

TEST(Accountant, CurveFollowsTheDeltas) {
  const Plan plan{Neighbors::add_remove, {{SampledGaussian{0.01, 1.0}, 100, ""}, {Gaussian{4.0}, 1, ""}}};
  const auto points = curve(plan, {1e-3, 1e-9, 1e-6});
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[1].first, 1e-9);
  EXPECT_LT(points[0].second, points[2].second);
  EXPECT_LT(points[2].second, points[1].second);
}

TEST(Accountant, EdgeCases) {
  EXPECT_EQ(account({}, 1e-5).epsilon, 0.0);
  EXPECT_EQ(bound_by({}, 1e-5, "pld").epsilon, 0.0);
  const Plan spent{Neighbors::add_remove, {{PartitionSelection{0.1, 1e-4}, 1, ""}}};
  EXPECT_TRUE(std::isinf(account(spent, 1e-5).epsilon));
  const Plan loud{Neighbors::add_remove, {{Gaussian{1e-6}, 1'000'000'000'000, ""}}};
  EXPECT_GT(account(loud, 1e-5).epsilon, 1e23);
  const Plan faint{Neighbors::add_remove, {{Gaussian{1e9}, 1, ""}}};
  EXPECT_EQ(account(faint, 1e-5).epsilon, 0.0);
}

// Runs of a tiny pure mechanism are all but one Gaussian of mu = epsilon sqrt(count): a check that shares no code with
// them.
TEST(Accountant, TinyEventsAreNotFree) {
  const auto gaussian = [](double mu) { return account({.events = {{Gaussian{1.0 / mu}}}}, 1e-6).epsilon; };
  for (const Mechanism& mechanism : {Mechanism{NoisyMax{1e-6}}, Mechanism{Geometric{1e-6}}, Mechanism{Laplace{1e-6}}}) {
    for (const std::int64_t count : {100'000'000LL, 1'000'000'000'000LL}) {
      const double priced = account({.events = {{mechanism, count}}}, 1e-6).epsilon;
      const double limit = gaussian(1e-6 * std::sqrt(static_cast<double>(count)));
      EXPECT_GT(priced, 0.999 * limit) << name_of(mechanism) << " x " << count;
      EXPECT_LT(priced, 1.25 * limit) << name_of(mechanism) << " x " << count;
    }
  }
  EXPECT_GT(account({.events = {{NoisyMax{1.5e-6}, 3}}}, 1e-8).epsilon, 0.0);
  EXPECT_GT(account({.events = {{SampledGaussian{1e-9, 1.0}, 1'000'000'000'000}}}, 1e-6).epsilon, 0.003);
  EXPECT_GT(account({.events = {{DiscreteGaussian{0.01}}}}, 1e-6).epsilon, 4900.0);
}

// Randomised response k times, by its exact binomial sum.
TEST(Accountant, PureEventsAreNeverBelowTheBinomialSum) {
  for (const double epsilon : {0.0356, 0.2, 1.0}) {
    for (const int count : {1, 3, 10, 40}) {
      for (const double delta : {1e-11, 1e-6, 0.01}) {
        const double priced = account({.events = {{NoisyMax{epsilon}, count}}}, delta).epsilon;
        const double high = 1.0 / (1.0 + std::exp(-epsilon));
        double sum = 0.0;
        for (int k = 0; k <= count; ++k) {
          const double loss = epsilon * (count - 2 * k);
          if (loss <= priced) break;
          const double log_choose = std::lgamma(count + 1.0) - std::lgamma(k + 1.0) - std::lgamma(count - k + 1.0);
          sum -=
              std::exp(log_choose + (count - k) * std::log(high) + k * std::log1p(-high)) * std::expm1(priced - loss);
        }
        EXPECT_LE(sum, delta * (1.0 + 1e-9)) << epsilon << " x " << count << " at " << delta;
      }
    }
  }
}

TEST(Accountant, RefusesWhatMakesNoSense) {
  const Plan plan{Neighbors::add_remove, {{SampledGaussian{0.1, 1.0}, 10, ""}}};
  for (const double delta : {0.0, 1.0, -1e-5, std::nan("")}) EXPECT_THROW(account(plan, delta), Error);
  EXPECT_THROW(account({Neighbors::add_remove, {{Gaussian{0.0}, 1, ""}}}, 1e-5), Error);
  EXPECT_THROW(bound_by(plan, 1e-5, "gdp"), Error);
  EXPECT_THROW(bound_by(plan, 1e-5, "zcdp"), Error);
  try {
    bound_by(plan, 1e-5, "moments");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(error.fix().find("rdp-mironov"), std::string::npos);
  }
}

}  // namespace
}  // namespace sosia
