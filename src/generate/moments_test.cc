// SPDX-License-Identifier: Apache-2.0
#include "generate/moments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "generate/mixture_test_support.h"

namespace sosia {
namespace {

/// Singles, pairs and triples, of fine and of coarser views, with one noise for all cells, one by cell, and none.
Measurements measured_at_random() {
  Measurements measured;
  measured.views = test_views();
  measured.fields = kTestFields;
  measured.rows = 500.0;
  PublicRng rng(11);
  const std::vector<ViewSet> sets = {{0}, {4}, {0, 1}, {1, 4}, {2, 3}, {0, 1, 2}, {0, 2, 4}, {0, 1, 2, 3}};
  for (const ViewSet& set : sets) {
    const std::size_t cells = cells_of(set, measured.views);
    Measurement known{set, {}, set.size() == 2 ? 0.0 : 3.0};
    for (std::size_t i = 0; i < cells; ++i) {
      known.counts.push_back(measured.rows / static_cast<double>(cells) * (1.0 + rng.normal()));
      if (set == ViewSet{1, 4} || set == ViewSet{0, 2, 4}) known.cell_sigma.push_back(1.0 + 5.0 * rng.uniform());
    }
    measured.list.push_back(known);
  }
  return measured;
}

/// The loss of one measurement as the header defines it.
double loss_of(const Measurements& measured, const Measurement& known, const std::vector<double>& p) {
  const std::vector<double> shares = marginal_by_definition(measured.views, measured.fields, p, known.views);
  double loss = 0.0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double noise = known.cell_sigma.empty() ? known.sigma : known.cell_sigma[i];
    const double sigma =
        noise > 0.0 ? std::max(noise, kLeastSigma) : kLeastSigma * std::sqrt(std::max(known.counts[i], 1.0));
    const double difference = (shares[i] * measured.rows - known.counts[i]) / sigma;
    loss += difference * difference;
  }
  return loss;
}

double whole_loss(const Measurements& measured, const std::vector<double>& p) {
  double loss = 0.0;
  for (const Measurement& known : measured.list) loss += loss_of(measured, known, p);
  return loss;
}

struct Evaluated {
  double loss;
  std::vector<float> gradient;
};
Evaluated evaluate(const Measurements& measured, std::vector<float> p, int threads) {
  const std::size_t width = width_of(measured.views, measured.fields), components = p.size() / width;
  MomentLoss loss(measured, components, kLeastSigma);
  ThreadPool pool(threads);
  Evaluated out{0.0, std::vector<float>(p.size(), 1e30F)};  // whatever was there is overwritten
  out.loss = loss.evaluate({p.data(), components, width}, {out.gradient.data(), components, width}, pool);
  return out;
}

/// Compares with central differences of the double-precision loss. It is a quadratic function of each number of P, so
/// they are exact for any step; what is left is the rounding of floats.
void expect_gradient(const Measurements& measured) {
  const std::vector<float> p = random_mixture(measured.views, measured.fields, 6, 5);
  const std::vector<float> gradient = evaluate(measured, p, 1).gradient;
  std::vector<double> exact(p.begin(), p.end()), expected;
  double largest = 0.0;
  for (double& number : exact) {
    constexpr double kStep = 0.25;
    const double at = number;
    number = at + kStep;
    const double above = whole_loss(measured, exact);
    number = at - kStep;
    expected.push_back((above - whole_loss(measured, exact)) / (2.0 * kStep));
    number = at;
    largest = std::max(largest, std::abs(expected.back()));
  }
  ASSERT_GT(largest, 1.0);
  for (std::size_t i = 0; i < p.size(); ++i) EXPECT_NEAR(gradient[i], expected[i], 1e-5 * largest) << i;
}

TEST(MomentLoss, GradientOfEachKindOfMeasurement) {
  const Measurements all = measured_at_random();
  for (std::size_t k = 0; k < all.list.size(); ++k) {
    SCOPED_TRACE(k);
    Measurements one = all;
    one.list = {all.list[k]};
    expect_gradient(one);
  }
}

TEST(MomentLoss, GradientOfAllTogether) { expect_gradient(measured_at_random()); }

TEST(MomentLoss, JointMarginalsAreJudged) {
  const Measurements measured = measured_at_random();
  const std::vector<float> p = random_mixture(measured.views, measured.fields, 6, 5);
  const std::vector<double> exact(p.begin(), p.end());
  double loss = 0.0, cells = 0.0;
  for (const Measurement& known : measured.list) {
    if (known.views.size() == 1) continue;
    loss += loss_of(measured, known, exact);
    cells += static_cast<double>(known.counts.size());
  }
  EXPECT_NEAR(evaluate(measured, p, 1).loss, loss / cells, 1e-5 * loss / cells);
  EXPECT_EQ(MomentLoss(measured, 6, kLeastSigma).cells(), static_cast<std::size_t>(cells));
}

TEST(MomentLoss, SinglesAreJudgedWhereThereIsNothingElse) {
  Measurements measured = measured_at_random();
  measured.list.resize(2);
  const std::vector<float> p = random_mixture(measured.views, measured.fields, 6, 5);
  const double loss = whole_loss(measured, {p.begin(), p.end()}) / 6.0;
  EXPECT_NEAR(evaluate(measured, p, 1).loss, loss, 1e-5 * loss);
}

TEST(MomentLoss, NothingMeasuredIsNoLoss) {
  Measurements measured = measured_at_random();
  measured.list.clear();
  const Evaluated out = evaluate(measured, random_mixture(measured.views, measured.fields, 6, 5), 1);
  EXPECT_EQ(out.loss, 0.0);
  EXPECT_EQ(out.gradient, std::vector<float>(out.gradient.size(), 0.0F));
}

TEST(MomentLoss, SameBitsForAnyNumberOfThreads) {
  const Measurements measured = measured_at_random();
  const std::vector<float> p = random_mixture(measured.views, measured.fields, 37, 5);
  const Evaluated one = evaluate(measured, p, 1);
  for (const int threads : {2, 5}) {
    const Evaluated several = evaluate(measured, p, threads);
    EXPECT_EQ(several.loss, one.loss);
    EXPECT_EQ(std::memcmp(several.gradient.data(), one.gradient.data(), p.size() * sizeof(float)), 0);
  }
}

TEST(MomentLoss, ZeroAtTheMixtureThatWasMeasured) {
  Measurements measured = measured_at_random();
  const std::vector<float> p = random_mixture(measured.views, measured.fields, 6, 5);
  for (Measurement& known : measured.list) {
    known.counts = marginal_by_definition(measured.views, measured.fields, p, known.views);
    for (double& count : known.counts) count *= measured.rows;
  }
  // A share below 1 is rounded by some 1e-7, which is 2e-4 standard deviations of 1/4 row out of 500.
  EXPECT_LT(evaluate(measured, p, 1).loss, 1e-6);
  EXPECT_GT(evaluate(measured, random_mixture(measured.views, measured.fields, 6, 6), 1).loss, 1.0);
}

TEST(MomentLoss, RefusesWhatDoesNotFit) {
  Measurements measured = measured_at_random();
  measured.list[2].counts.pop_back();
  EXPECT_ANY_THROW(MomentLoss(measured, 6, kLeastSigma));
}

}  // namespace
}  // namespace sosia
