// SPDX-License-Identifier: Apache-2.0
// Each bound against the real thing, drawn with fixed seeds. A mean that lies below its bound is found above it by 5.6
// standard errors, or a share of failures above its bound by as many, with a probability of about 1e-8 (the normal
// tail; the means are of thousands of draws that have short tails). There are fewer than twenty such checks: 1e-6 in
// all.
#include "generate/error_bounds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "random/public_rng.h"

namespace sosia {
namespace {

constexpr int kDraws = 8000;
constexpr double kFailure = 0.05;

/// Noise of two blocks around a difference of embeddings that lies in both.
struct Setting {
  std::vector<NoiseBlock> blocks = {{40, 0.02}, {10, 0.06}};
  std::vector<double> a;
  NoiseCovariance noise = NoiseCovariance::of(blocks);
  double along = 0.0;

  explicit Setting(double size) : a(50, 0.0) {
    a[3] = a[45] = size / std::numbers::sqrt2;
    along = std::hypot(0.02 * a[3], 0.06 * a[45]);
  }
  std::vector<double> draw(PublicRng& rng) const {
    std::vector<double> n;
    for (const NoiseBlock& block : blocks) {
      for (std::size_t i = 0; i < block.entries; ++i) n.push_back(block.sigma * rng.normal());
    }
    return n;
  }
};

double square(const std::vector<double>& x) {
  double sum = 0.0;
  for (const double number : x) sum += number * number;
  return sum;
}

/// |a + n|^2 - |a|^2
double change(const std::vector<double>& a, const std::vector<double>& n) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += n[i] * n[i] + 2.0 * n[i] * a[i];
  return sum;
}

void expect_mean_below(const std::vector<double>& draws, double bound, double at_least) {
  double mean = 0.0, squares = 0.0;
  for (const double draw : draws) mean += draw / static_cast<double>(draws.size());
  for (const double draw : draws) squares += (draw - mean) * (draw - mean);
  const double error = std::sqrt(squares) / static_cast<double>(draws.size());
  EXPECT_LE(mean - 5.6 * error, bound);
  EXPECT_GE(mean + 5.6 * error, at_least * bound) << "the bound says little";
}

/// Draws exceed the bound no more often than said, and are not all far below.
void expect_rarely_above(const std::vector<double>& draws, double bound, double at_least) {
  double above = 0.0, largest = 0.0;
  for (const double draw : draws) above += draw > bound ? 1.0 : 0.0, largest = std::max(largest, draw);
  EXPECT_LE(above / kDraws, kFailure + 5.6 * std::sqrt(kFailure * (1.0 - kFailure) / kDraws));
  EXPECT_GE(largest, at_least * bound) << "the bound says little";
}

TEST(ErrorBounds, NormsOfTheCovariance) {
  const NoiseCovariance noise = Setting(1.0).noise;
  EXPECT_NEAR(noise.trace, 40 * 0.0004 + 10 * 0.0036, 1e-15);
  EXPECT_NEAR(noise.frobenius, std::sqrt(40 * 0.0004 * 0.0004 + 10 * 0.0036 * 0.0036), 1e-15);
  EXPECT_EQ(noise.largest, 0.06 * 0.06);
}

TEST(ErrorBounds, ExpectedNormIsExact) {
  EXPECT_NEAR(expected_noise_norm({1, 2.0}), 2.0 * std::sqrt(2.0 / std::numbers::pi), 1e-14);
  EXPECT_NEAR(expected_noise_norm({2, 1.0}), std::sqrt(std::numbers::pi / 2.0), 1e-14);
  EXPECT_NEAR(expected_noise_norm({20'000'000, 1.0}), std::sqrt(20'000'000.0 - 0.5), 1e-6);
  EXPECT_NEAR(expected_noise_norm({9'999'999, 1.0}), std::sqrt(9'999'999.0 - 0.5), 1e-4);
  PublicRng rng(1);
  const Setting setting(0.0);
  std::vector<double> norms, below;
  for (int i = 0; i < kDraws; ++i) {
    norms.push_back(std::sqrt(square(setting.draw(rng))));
    double of_ten = 0.0;
    for (int j = 0; j < 10; ++j) of_ten += std::pow(rng.normal(), 2);
    below.push_back(std::sqrt(of_ten));
  }
  expect_mean_below(below, expected_noise_norm({10, 1.0}), 1.0);
  expect_rarely_above(norms, noise_norm(setting.noise, kFailure), 1.0);
}

TEST(ErrorBounds, LossErrorsHold) {
  for (const double size : {0.0, 0.1, 1.5}) {
    const Setting setting(size);
    PublicRng rng(2);
    std::vector<double> errors;
    for (int i = 0; i < kDraws; ++i) errors.push_back(std::abs(change(setting.a, setting.draw(rng))));
    expect_mean_below(errors, expected_loss_error(setting.noise, setting.along), 0.6);
    expect_rarely_above(errors, loss_error(setting.noise, setting.along, kFailure), 0.8);
    EXPECT_LE(loss_error(setting.noise, setting.along, kFailure), uniform_loss_error(setting.noise, 1.0, kFailure));
  }
}

// The worst a of norm 2 points along the noise.
TEST(ErrorBounds, UniformErrorHolds) {
  const Setting setting(0.0);
  PublicRng rng(3);
  std::vector<double> errors;
  for (int i = 0; i < kDraws; ++i) {
    const double norm = std::sqrt(square(setting.draw(rng)));
    errors.push_back(norm * norm + 4.0 * norm);
  }
  expect_rarely_above(errors, uniform_loss_error(setting.noise, 1.0, kFailure), 1.0);
}

/// By how much the loss of the candidate that looks best under noise exceeds the least.
double excess(const std::vector<std::vector<double>>& candidates, const std::vector<double>& n) {
  double least = 1e300, least_noisy = 1e300, chosen = 0.0;
  for (const std::vector<double>& a : candidates) {
    const double loss = square(a), noisy = loss + change(a, n);
    least = std::min(least, loss);
    if (noisy < least_noisy) least_noisy = noisy, chosen = loss;
  }
  return chosen - least;
}

// A generator that can be as good as `least`, or else, and no better, the mirror image of that about minus the noise, a
// hair nearer: the noisy loss takes it for the better one, and no choice is worse.
TEST(ErrorBounds, ExcessHolds) {
  for (const double least : {0.0, 0.05, 0.5}) {
    const Setting setting(least);
    PublicRng rng(4);
    std::vector<double> found;
    for (int i = 0; i < kDraws; ++i) {
      const std::vector<double> n = setting.draw(rng);
      std::vector<double> mirrored;
      for (std::size_t k = 0; k < n.size(); ++k) mirrored.push_back(-n[k] - 0.999 * (setting.a[k] + n[k]));
      found.push_back(excess({setting.a, mirrored}, n));
      EXPECT_LE(found.back(), excess_loss(setting.noise, 1.0, 1e-9));
    }
    expect_rarely_above(found, optimistic_excess_loss(setting.noise, least, kFailure), least == 0.0 ? 1.0 : 0.3);
    expect_rarely_above(found, excess_loss(setting.noise, 1.0, kFailure), 0.1);
  }
}

/// The squared MMD of two samples of the plane: of the Gaussian kernel, or of random features of it.
double squared_mmd(const std::vector<double>& x, const std::vector<double>& y) {
  const auto mean_kernel = [](const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); i += 2) {
      for (std::size_t j = 0; j < b.size(); j += 2) {
        sum += std::exp(-0.5 * (std::pow(a[i] - b[j], 2) + std::pow(a[i + 1] - b[j + 1], 2)));
      }
    }
    return sum * 4.0 / static_cast<double>(a.size() * b.size());
  };
  return mean_kernel(x, x) + mean_kernel(y, y) - 2.0 * mean_kernel(x, y);
}

/// The difference of the mean embeddings.
std::vector<double> random_features(const std::vector<double>& x, const std::vector<double>& y, std::size_t features,
                                    PublicRng& rng) {
  std::vector<double> a;
  for (std::size_t f = 0; f < features / 2; ++f) {
    const double u = rng.normal(), v = rng.normal();
    double cosines = 0.0, sines = 0.0;
    for (const auto* sample : {&x, &y}) {
      for (std::size_t i = 0; i < sample->size(); i += 2) {
        const double angle = u * (*sample)[i] + v * (*sample)[i + 1];
        const double share = (sample == &x ? 2.0 : -2.0) / static_cast<double>(sample->size());
        cosines += share * std::cos(angle), sines += share * std::sin(angle);
      }
    }
    for (const double sum : {cosines, sines}) a.push_back(std::sqrt(2.0 / static_cast<double>(features)) * sum);
  }
  return a;
}

TEST(ErrorBounds, RandomFeatureErrorsHold) {
  constexpr std::size_t kFeatures = 100;
  constexpr double kSigma = 0.01;
  for (const double shift : {0.2, 4.0}) {
    PublicRng rng(5);
    std::vector<double> x(40), y(60);
    for (double& number : x) number = 0.3 * rng.normal();
    for (double& number : y) number = shift + 0.3 * rng.normal();
    const double truth = squared_mmd(x, y);
    std::vector<double> feature_errors, all_errors;
    for (int i = 0; i < 1500; ++i) {
      const std::vector<double> a = random_features(x, y, kFeatures, rng);
      std::vector<double> n(kFeatures);
      for (double& number : n) number = kSigma * rng.normal();
      feature_errors.push_back(std::abs(square(a) - truth));
      all_errors.push_back(std::abs(square(a) + change(a, n) - truth));
    }
    expect_mean_below(feature_errors, expected_feature_error(kFeatures, truth), 0.05);
    expect_mean_below(all_errors, expected_random_feature_loss_error(kFeatures, kSigma), shift > 1.0 ? 0.05 : 0.0);
  }
}

// What the papers print, corrected, is never less.
TEST(ErrorBounds, AreNoLargerThanThePapers) {
  for (const std::size_t entries : {std::size_t{2}, std::size_t{100}, std::size_t{10'000}}) {
    for (const double sigma : {1e-4, 1e-2, 1.0}) {
      const NoiseBlock block = {entries, sigma};
      const NoiseCovariance noise = NoiseCovariance::of({&block, 1});
      for (const double failure : {0.3, 0.01, 1e-6}) {
        const double log = std::sqrt(std::log(2.0 / failure));
        const double norms = noise.trace + 2.0 * noise.frobenius * log + 2.0 * noise.largest * log * log;
        const double uniform = norms + 4.0 * (std::sqrt(noise.trace) + std::sqrt(2.0 * noise.largest) * log);
        EXPECT_LE(loss_error(noise, sigma, failure),
                  norms + 2.0 * sigma * (std::sqrt(2.0 / std::numbers::pi) + std::numbers::sqrt2 * log));
        EXPECT_LE(uniform_loss_error(noise, 1.0, failure), uniform);
        EXPECT_LE(excess_loss(noise, 1.0, failure), 2.0 * uniform);
        EXPECT_LE(optimistic_excess_loss(noise, 0.3, failure),
                  9.0 * norms + 4.0 * 0.3 * (std::sqrt(noise.trace) + std::sqrt(2.0 * noise.largest) * log));
      }
      const double paper = noise.trace + 4.0 * expected_noise_norm(block) +
                           8.0 * std::sqrt(2.0 * std::numbers::pi / static_cast<double>(entries));
      EXPECT_LE(expected_random_feature_loss_error(entries, sigma), paper);
    }
  }
}

}  // namespace
}  // namespace sosia
