// SPDX-License-Identifier: Apache-2.0
#include "generate/fit_mixture.h"

#include <gtest/gtest.h>

#include <cmath>

#include "generate/mixture_test_support.h"

namespace sosia {
namespace {

/// Two fields that mostly agree, and one apart from them.
const std::vector<double> kPlanted = {0.30, 0.02, 0.01, 0.03, 0.25, 0.02, 0.00, 0.03, 0.34};
constexpr double kRows = 10000.0;

Measurements planted(double sigma, std::uint64_t seed = 1) {
  Measurements measured;
  measured.views = {View::finest(0, 3), View::finest(1, 3), View::finest(2, 2)};
  measured.fields = 3;
  measured.spread = {{1.0F, 1.0F, 1.0F}, {1.0F, 1.0F, 1.0F}, {1.0F, 1.0F}};
  measured.rows = kRows;
  PublicRng rng(seed);
  std::vector<double> rows(3), columns(3);
  for (std::size_t i = 0; i < 9; ++i) {
    rows[i / 3] += kPlanted[i];
    columns[i % 3] += kPlanted[i];
  }
  measured.list = {{{0}, rows, sigma}, {{1}, columns, sigma}, {{2}, {0.2, 0.8}, sigma}, {{0, 1}, kPlanted, sigma}};
  for (Measurement& known : measured.list) {
    for (double& count : known.counts) count = count * kRows + sigma * rng.normal();
  }
  return measured;
}

constexpr MixtureOptions kOptions{.components = 50, .steps = 400, .rate = 0.1, .stop = 1.0, .seed = 1};

bool go_on(int /*step*/, double /*residual*/) { return true; }

void expect_distributions(const ProductMixture& mixture) {
  const std::vector<std::size_t> widths = {3, 3, 2};
  std::size_t i = 0;
  for (std::size_t c = 0; c < mixture.components(); ++c) {
    for (const std::size_t width : widths) {
      double total = 0.0;
      for (std::size_t s = 0; s < width; ++s, ++i) {
        EXPECT_GE(mixture.probabilities()[i], 0.0F);
        total += static_cast<double>(mixture.probabilities()[i]);
      }
      EXPECT_NEAR(total, 1.0, 1e-5);
    }
  }
}

TEST(FitMixture, RecoversAPlantedPair) {
  ThreadPool threads(1);
  MixtureOptions options = kOptions;
  options.steps = 2000;  // a share of 0 is only come near to
  const ProductMixture mixture = fit_mixture(planted(0.0), options, threads, go_on);
  expect_distributions(mixture);
  EXPECT_EQ(mixture.kept(), (std::vector<ViewSet>{{0, 1}}));
  const std::vector<double> pair = mixture.marginal({0, 1});
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(pair[i], kPlanted[i], 1e-3) << i;
  EXPECT_NEAR(mixture.marginal({2})[1], 0.8, 1e-3);
}

/// With the noise known, fitting ends as soon as no more than noise is left, and not before.
TEST(FitMixture, StopsAtTheNoiseFloor) {
  ThreadPool threads(1);
  std::vector<double> residuals;
  const auto watch = [&](int step, double residual) {
    residuals.push_back(residual);
    EXPECT_EQ(step, static_cast<int>(residuals.size()));
    return true;
  };
  const ProductMixture mixture = fit_mixture(planted(100.0), kOptions, threads, watch);
  ASSERT_LT(residuals.size(), static_cast<std::size_t>(kOptions.steps));
  EXPECT_GT(residuals.front(), 10.0);
  EXPECT_LE(residuals.back(), 1.0);
  for (std::size_t i = 10; i + 1 < residuals.size(); ++i) EXPECT_GT(residuals[i], 1.0);
  // Three standard deviations of the noise of a share, and what a stop at the floor leaves.
  const std::vector<double> pair = mixture.marginal({0, 1});
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(pair[i], kPlanted[i], 0.04) << i;

  const std::size_t stopped = residuals.size();
  residuals.clear();
  MixtureOptions on = kOptions;
  on.stop = 0.0;
  fit_mixture(planted(100.0), on, threads, watch);
  EXPECT_GT(residuals.size(), stopped);
}

TEST(FitMixture, TakesNoMoreStepsThanItMay) {
  ThreadPool threads(1);
  MixtureOptions options = kOptions;
  options.steps = 7;
  options.stop = 0.0;
  int steps = 0;
  expect_distributions(fit_mixture(planted(0.0), options, threads, [&](int step, double) {
    steps = step;
    return true;
  }));
  EXPECT_EQ(steps, 7);
}

TEST(FitMixture, SameBitsForAnyNumberOfThreads) {
  MixtureOptions options = kOptions;
  options.steps = 40;
  const auto fitted = [&](int threads) {
    ThreadPool pool(threads);
    return fit_mixture(planted(20.0), options, pool, go_on).probabilities();
  };
  const std::vector<float> one = fitted(1);
  EXPECT_EQ(fitted(2), one);
  EXPECT_EQ(fitted(5), one);
  options.seed = 2;
  EXPECT_NE(fitted(1), one);
}

TEST(FitMixture, EndsWhenItIsTold) {
  ThreadPool threads(1);
  for (const int last : {1, 3}) {
    int steps = 0;
    const ProductMixture mixture =
        fit_mixture(planted(0.0), kOptions, threads, [&](int step, double) { return (steps = step) < last; });
    EXPECT_EQ(steps, last);
    expect_distributions(mixture);
    std::vector<float> rows(300, -1.0F);
    mixture.sample(1, 0, {}, {rows.data(), 100, 3});
    for (const float state : rows) EXPECT_TRUE(state >= 0.0F && state < 3.0F);
  }
}

TEST(FitMixture, NothingMeasuredGivesEvenShares) {
  ThreadPool threads(1);
  Measurements measured = planted(0.0);
  measured.list.clear();
  const ProductMixture mixture = fit_mixture(measured, kOptions, threads, go_on);
  expect_distributions(mixture);
  // 50 components whose logits are spread by 0.4 around the same value.
  EXPECT_NEAR(mixture.marginal({2})[0], 0.5, 0.15);
}

TEST(SingleShares, OfMeasuredFieldsOnly) {
  Measurements measured = planted(0.0);
  measured.views.push_back({0, 2, {0, 0, 1}});
  measured.list = {{{0}, {-5.0, 30.0, 10.0}, 1.0}, {{1}, {-1.0, -2.0, 0.0}, 1.0}, {{3}, {7.0, 1.0}, 1.0}};
  const auto shares = single_shares(measured);
  EXPECT_EQ(shares[0], (std::vector<double>{0.0, 0.75, 0.25}));
  for (const double share : shares[1]) EXPECT_DOUBLE_EQ(share, 1.0 / 3.0);  // nothing above 0: nothing is known
  EXPECT_EQ(shares[2], (std::vector<double>{0.5, 0.5}));
}

}  // namespace
}  // namespace sosia
