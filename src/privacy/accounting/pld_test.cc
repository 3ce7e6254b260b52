// SPDX-License-Identifier: Apache-2.0
#include "privacy/accounting/pld.h"

#include <gtest/gtest.h>

#include <cmath>

#include "privacy/accounting/gaussian.h"
#include "privacy/accounting/loss_grid.h"

namespace sosia::accounting {
namespace {

double pld(const Mechanism& mechanism, std::int64_t count, double delta, PldOptions options = {}) {
  return pld_epsilon(compose_models({Neighbors::add_remove, {{mechanism, count, ""}}}), delta, options).epsilon;
}

void expect_just_above(double result, double exact, double tolerance) {
  EXPECT_GE(result, exact * (1.0 - 1e-13));
  EXPECT_LE(result, exact * (1.0 + tolerance));
}

/// Runs of randomised response by their binomial distribution, from its mode outwards.
double binomial_delta(double loss, std::int64_t runs, double epsilon) {
  const auto n = static_cast<double>(runs);
  const double odds = std::exp(loss), mode = std::floor(n / (1.0 + 1.0 / odds));
  double all = 0.0, delta = 0.0;
  const auto add = [&](double k, double mass) {
    const double total = loss * (2.0 * k - n);
    all += mass;
    if (total > epsilon) delta -= mass * std::expm1(epsilon - total);
  };
  double mass = 1.0;
  for (double k = mode; k <= n && mass > 1e-40; ++k) {
    add(k, mass);
    mass *= (n - k) / (k + 1.0) * odds;
  }
  mass = 1.0;
  for (double k = mode; k >= 1.0 && mass > 1e-40;) {
    mass *= k / (n - k + 1.0) / odds;
    add(--k, mass);
  }
  return delta / all;
}

PldResult response(double loss, std::int64_t runs, double delta, const PldOptions& options = {}) {
  return pld_epsilon(compose_models({Neighbors::add_remove, {{NoisyMax{loss}, runs, ""}}}), delta, options);
}

TEST(ConnectTheDots, DominatesAndMeetsTheCurveAtGridPoints) {
  for (const Mechanism& mechanism : {Mechanism(Gaussian{0.7}), Mechanism(SampledGaussian{0.05, 1.0}),
                                     Mechanism(Laplace{1.3}), Mechanism(DiscreteGaussian{1.5, 2})}) {
    const auto model = make_loss_model(mechanism, Neighbors::add_remove);
    for (const Direction direction : {Direction::remove, Direction::add}) {
      const LossGrid grid = connect_the_dots(*model, direction, 0.05, -200, 200);
      double sum = grid.infinity;
      for (const double mass : grid.mass) {
        EXPECT_GE(mass, 0.0);
        sum += mass;
      }
      EXPECT_NEAR(sum, 1.0, 1e-12);
      for (int i = -190; i < 190; i += 7) {
        const double at = 0.05 * i, between = at + 0.02;
        EXPECT_NEAR(grid.delta(at), model->delta(at, direction), 1e-12);
        EXPECT_GE(grid.delta(between), model->delta(between, direction) - 1e-12);
      }
    }
  }
}

TEST(ConnectTheDots, AllMassAtInfinityWhereDeltaIsNotANumber) {
  struct Broken final : LossModel {
    double delta(double, Direction) const override { return std::nan(""); }
    std::complex<double> log_moment(std::complex<double>, Direction) const override { return 0.0; }
    Range range(double, Direction) const override { return {-1.0, 1.0}; }
  };
  EXPECT_EQ(connect_the_dots(Broken(), Direction::remove, 0.1, -10, 10).infinity, 1.0);
}

TEST(ConnectTheDots, AllMassAtInfinityWhereDeltaIsNotConvex) {
  struct Wavy final : LossModel {
    double delta(double epsilon, Direction) const override {
      return 0.5 * std::exp(-std::abs(epsilon)) + 1e-3 * std::cos(40.0 * epsilon) + std::max(0.0, -std::expm1(epsilon));
    }
    std::complex<double> log_moment(std::complex<double>, Direction) const override { return 0.0; }
    Range range(double, Direction) const override { return {-1.0, 1.0}; }
  };
  EXPECT_EQ(connect_the_dots(Wavy(), Direction::remove, 0.1, -10, 10).infinity, 1.0);
}

TEST(Pld, AgreesWithTheGaussianAtEveryDelta) {
  for (const double mu : {0.001, 0.2, 1.0, 30.0}) {
    for (const double delta : {0.3, 1e-2, 1e-5, 1e-12, 1e-60, 1e-200}) {
      const double exact = gaussian_epsilon(mu, delta);
      if (exact == 0.0) continue;
      SCOPED_TRACE(testing::Message() << mu << ' ' << delta);
      expect_just_above(pld(Gaussian{1.0 / mu}, 1, delta), exact, 1e-5);
    }
  }
}

TEST(Pld, IsExactForLatticeLosses) {
  // Four runs of randomised response: the largest two losses are 4 and 2, delta near the top is p^4 (1 - e^(eps - 4)).
  const double p = 1.0 / (1.0 + std::exp(-1.0)), delta = 1e-5;
  expect_just_above(pld(NoisyMax{1.0}, 4, delta), 4.0 + std::log1p(-delta / std::pow(p, 4.0)), 1e-12);
  expect_just_above(pld(NoisyMax{1.0}, 4, 1e-50), 4.0, 1e-12);
}

TEST(Pld, IsSoundHoweverCoarse) {
  const double exact = 1.8282366665165803;  // rate 0.01, noise 1, 1000 steps, delta 1e-5: contour integral
  for (const double tolerance : {1e-2, 1e-4, 1e-6}) {
    const double result = pld(SampledGaussian{0.01, 1.0}, 1000, 1e-5, {.tolerance = tolerance, .most_points = 1 << 21});
    expect_just_above(result, exact, 3.0 * tolerance);
  }
  expect_just_above(pld(SampledGaussian{0.01, 1.0}, 1000, 1e-5, {.tolerance = 1e-9, .most_points = 1 << 12}), exact,
                    1.0);
}

// The losses lie on the grid, so that nothing but the errors at stake parts the result from the exact delta.
TEST(Pld, KeepsBackWhatItCutsOff) {
  for (const double delta : {1e-6, 1e-12}) {
    const PldResult result = response(0.1, 1000, delta, {.lost = 0.3});
    EXPECT_GT(result.truncation, 0.02 * delta) << "it is to dominate";
    const double exact = binomial_delta(0.1, 1000, result.epsilon);
    EXPECT_LE(exact, delta);  // without the mass above the window: 0.1 or 0.2 % more than delta
    EXPECT_GT(exact, 0.9 * delta);
    EXPECT_NEAR(binomial_delta(0.1, 1000, response(0.1, 1000, delta).epsilon), delta, 2e-9 * delta);
  }
}

// A billion runs: the powers of the Fourier coefficients may be off by as much as what decides delta.
TEST(Pld, KeepsBackWhatRoundingMayDo) {
  constexpr std::int64_t kRuns = 1'000'000'000;
  const PldResult result = response(2e-5, kRuns, 1e-6);
  EXPECT_GT(result.roundoff, 1e-6) << "it is to dominate";
  EXPECT_LT(binomial_delta(2e-5, kRuns, result.epsilon), 0.5e-6);
  EXPECT_TRUE(std::isfinite(result.epsilon));
  EXPECT_GT(response(2e-5, kRuns, 1e-2).epsilon, 0.0);
}

// Adding a row shows at most that nobody was sampled, whatever a grid holds: what counts is the other direction. Its
// exact value for three runs, 0.425993, is by composite Gauss-Legendre quadrature over the outcomes of two of them, the
// third in closed form.
TEST(Pld, FewRunsAtSmallRates) {
  const double three = pld(SampledGaussian{1e-5, 0.3}, 3, 1e-6);
  EXPECT_GT(three, 0.42599);
  EXPECT_LT(three, 0.42605);
  for (const double noise : {0.1, 0.3, 1.0}) {
    for (const double rate : {1e-7, 1e-3, 0.3, 0.99}) {
      for (const std::int64_t runs : {2, 20}) {
        const double few = pld(SampledGaussian{rate, noise}, runs, 1e-12);
        EXPECT_TRUE(std::isfinite(few)) << rate << ' ' << noise << ' ' << runs;
        EXPECT_GE(few, pld(SampledGaussian{rate, noise}, 1, 1e-12) * (1.0 - 1e-9));
      }
    }
  }
}

TEST(Pld, SaysNothingWhereDeltaIsSpent) {
  EXPECT_TRUE(std::isinf(pld(PartitionSelection{1.0, 1e-5}, 1, 1e-5)));
  EXPECT_EQ(pld(PartitionSelection{0.0, 1e-6}, 1, 1e-5), 0.0);
  EXPECT_NEAR(pld(PartitionSelection{1.0, 1e-6}, 1, 1e-4), 1.0, 1e-3);
}

TEST(Pld, ReportsWhatItSpends) {
  const auto plan = Plan{Neighbors::add_remove, {{SampledGaussian{0.01, 1.0}, 1000, ""}}};
  const PldResult result = pld_epsilon(compose_models(plan), 1e-5);
  EXPECT_GT(result.step, 0.0);
  EXPECT_GT(result.grid, 0u);
  EXPECT_GE(result.truncation, 0.0);
  EXPECT_LT(result.truncation, 1e-12);
  EXPECT_GT(result.roundoff, 0.0);
  EXPECT_LT(result.roundoff, 1e-11);
}

}  // namespace
}  // namespace sosia::accounting
