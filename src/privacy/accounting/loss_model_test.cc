// SPDX-License-Identifier: Apache-2.0
// Every loss model under the same contract: its delta and its moments describe one distribution.
#include "privacy/accounting/loss_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "privacy/accounting/atomic_loss.h"
#include "privacy/accounting/discrete_gaussian.h"
#include "privacy/accounting/loss_grid.h"

namespace sosia::accounting {
namespace {

struct Case {
  const char* name;
  Mechanism mechanism;
  Neighbors relation = Neighbors::add_remove;
};

class LossModelContract : public testing::TestWithParam<Case> {
 protected:
  std::unique_ptr<LossModel> model_ = make_loss_model(GetParam().mechanism, GetParam().relation);
};

TEST_P(LossModelContract, DeltaFallsAndIsConvexInTheRatio) {
  for (Direction direction : {Direction::remove, Direction::add}) {
    double last = 1.0;
    for (double ratio = 0.05; ratio < 30.0; ratio *= 1.1) {
      const auto delta = [&](double r) { return model_->delta(std::log(r), direction); };
      EXPECT_LE(delta(ratio), last + 1e-15);
      EXPECT_GE(delta(ratio), std::max(0.0, 1.0 - ratio) - 1e-15);
      EXPECT_LE(delta(ratio), 0.5 * (delta(0.95 * ratio) + delta(1.05 * ratio)) + 1e-14);
      last = delta(ratio);
    }
  }
}

TEST_P(LossModelContract, TheTwoDirectionsMirrorEachOther) {
  // H_r(P||Q) = 1 - r + r H_{1/r}(Q||P); an infinite loss on either side breaks the mirror and is left out.
  if (model_->infinity_mass() > 0.0) return;
  for (double epsilon = -2.0; epsilon <= 2.0; epsilon += 0.1) {
    const double direct = model_->delta(epsilon, Direction::remove);
    const double mirrored = -std::expm1(epsilon) + std::exp(epsilon) * model_->delta(-epsilon, Direction::add);
    EXPECT_NEAR(direct, mirrored, 1e-13) << epsilon;
  }
}

TEST_P(LossModelContract, MomentsAreThoseOfTheMassesBehindDelta) {
  for (Direction direction : {Direction::remove, Direction::add}) {
    const LossModel::Range range = model_->range(1e-16, direction);
    const double atom = model_->atom();
    const double wanted = (range.highest - range.lowest) / 20'000;
    const double step = atom > 0.0 ? atom / std::ceil(atom / wanted) : wanted;
    const auto first = static_cast<std::int64_t>(std::floor(range.lowest / step));
    const auto last = static_cast<std::int64_t>(std::ceil(range.highest / step));
    const LossGrid grid = connect_the_dots(*model_, direction, step, first, std::max<std::int64_t>(last, 1));
    for (double s : {0.1, 0.5, 1.0, 3.0}) {
      std::complex<double> real_sum = 0.0, complex_sum = 0.0;
      const std::complex<double> tilted(s, 2.0);
      for (std::size_t i = 0; i < grid.mass.size(); ++i) {
        real_sum += grid.mass[i] * std::exp(s * grid.loss(i));
        complex_sum += grid.mass[i] * std::exp(tilted * grid.loss(i));
      }
      const double scale = real_sum.real();
      EXPECT_NEAR(std::exp(model_->log_moment(s, direction)).real() / scale, 1.0, 2e-6) << s;
      EXPECT_LT(std::abs(std::exp(model_->log_moment(tilted, direction)) - complex_sum) / scale, 2e-5) << s;
    }
  }
}

TEST_P(LossModelContract, RenyiIsAtLeastThatOfThePairUnlessItsBoundIsTighter) {
  double last = 0.0;
  for (double order : {1.05, 1.5, 2.0, 8.0, 64.0}) {
    const double renyi = model_->renyi(order);
    EXPECT_GE(renyi, last * (1 - 1e-12)) << order;  // increasing in the order
    EXPECT_LE(renyi, model_->rho().value_or(INFINITY) * order * (1 + 1e-12));
    EXPECT_LE(renyi, model_->pure_epsilon() * (1 + 1e-12));
    if (model_->tight()) {
      const double pair =
          (model_->log_moment(order - 1, Direction::remove).real() - std::log1p(-model_->infinity_mass()));
      EXPECT_GE(renyi, pair / (order - 1) - 1e-12);
    }
    last = renyi;
  }
}

INSTANTIATE_TEST_SUITE_P(All, LossModelContract,
                         testing::Values(Case{"gaussian", Gaussian{2.0}}, Case{"sampled", SampledGaussian{0.05, 0.9}},
                                         Case{"sampled_rarely", SampledGaussian{0.002, 2.5}},
                                         Case{"sampled_replace", SampledGaussian{0.05, 0.9}, Neighbors::replace},
                                         Case{"grouped", GroupedGaussian{0.05, 0.9}},
                                         Case{"sampled_always_replace", SampledGaussian{1.0, 3.0}, Neighbors::replace},
                                         Case{"laplace", Laplace{0.7}}, Case{"geometric", Geometric{0.5, 1}},
                                         Case{"geometric_of_sensitivity_7", Geometric{1.5, 7}},
                                         Case{"discrete_gaussian_narrow", DiscreteGaussian{0.6, 1}},
                                         Case{"discrete_gaussian", DiscreteGaussian{4.0, 3}},
                                         Case{"exponential", Exponential{0.8}}, Case{"noisy_max", NoisyMax{0.3}},
                                         Case{"partition", PartitionSelection{0.5, 1e-3}}),
                         [](const auto& param) { return std::string(param.param.name); });

TEST(DiscreteGaussian, ItsTwoSumsAgree) {
  // Direct summation below sigma 1, Poisson summation above: one function.
  const double below = discrete_gaussian_normaliser(0.999999999), above = discrete_gaussian_normaliser(1.0);
  EXPECT_NEAR(below / above, 1.0, 1e-8);
  double sum = 0.0;
  for (int x = -200; x <= 200; ++x) sum += discrete_gaussian_pmf(3.0, x);
  EXPECT_NEAR(sum, 1.0, 1e-14);
  EXPECT_NEAR(discrete_gaussian_tail(3.0, -2), 1.0 - discrete_gaussian_tail(3.0, 3), 1e-14);
}

TEST(BoundedRange, IsAFractionOfPureDp) {
  EXPECT_NEAR(bounded_range_renyi(0.1, 2.0), 2.0 * 0.1 * 0.1 / 8.0, 1e-5);
  EXPECT_LT(bounded_range_renyi(5.0, 64.0), 5.0);
}

}  // namespace
}  // namespace sosia::accounting
