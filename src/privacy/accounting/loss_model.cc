// SPDX-License-Identifier: Apache-2.0
#include "privacy/accounting/loss_model.h"

#include <algorithm>
#include <cmath>

#include "privacy/accounting/atomic_loss.h"
#include "privacy/accounting/discrete_gaussian.h"
#include "privacy/accounting/gaussian.h"
#include "privacy/accounting/normal.h"
#include "privacy/accounting/sampled_gaussian.h"
#include "privacy/accounting/stable.h"

namespace sosia::accounting {

namespace {

/// N(mu, 1) against N(0, 1): the loss is N(mu^2 / 2, mu^2), alike in both directions.
class GaussianLoss final : public LossModel {
 public:
  explicit GaussianLoss(double mu, bool tight = true) : mu_(mu), tight_(tight) {}
  double delta(double epsilon, Direction) const override { return gaussian_delta(mu_, epsilon); }
  std::complex<double> log_moment(std::complex<double> s, Direction) const override {
    return 0.5 * mu_ * mu_ * s * (s + 1.0);
  }
  double renyi(double order) const override { return 0.5 * mu_ * mu_ * order; }
  Range range(double tail, Direction) const override {
    const double reach = mu_ * normal_upper_quantile(0.5 * tail);
    return {0.5 * mu_ * mu_ - reach, 0.5 * mu_ * mu_ + reach};
  }
  std::optional<double> rho() const override { return 0.5 * mu_ * mu_; }
  bool tight() const override { return tight_; }
  bool smooth() const override { return true; }

 private:
  double mu_;
  bool tight_;
};

/// Laplace noise: the loss has atoms at +-epsilon and a density between them.
class LaplaceLoss final : public LossModel {
 public:
  explicit LaplaceLoss(double epsilon) : epsilon_(epsilon) {}
  double delta(double epsilon, Direction) const override {
    if (epsilon >= epsilon_) return 0.0;
    return -std::expm1(epsilon > -epsilon_ ? 0.5 * (epsilon - epsilon_) : epsilon);
  }
  /// Mironov 2017, proposition 6, with a complex order a = 1 + s: (a e^(s eps) + s e^(-a eps)) / (a + s). In what it
  /// exceeds 1 by, the linear parts of both exponentials cancel exactly and are left out.
  std::complex<double> log_moment(std::complex<double> s, Direction) const override {
    const std::complex<double> order = 1.0 + s;
    if (s.real() * epsilon_ > 300.0) {
      return s * epsilon_ + std::log((order + s * std::exp(-(order + s) * epsilon_)) / (order + s));
    }
    return complex_log1p((order * exp_beyond_linear(s * epsilon_) + s * exp_beyond_linear(-order * epsilon_)) /
                         (order + s));
  }
  Range range(double, Direction) const override { return {-epsilon_, epsilon_}; }
  std::optional<double> rho() const override { return 0.5 * epsilon_ * epsilon_; }
  double pure_epsilon() const override { return epsilon_; }
  double atom() const override { return epsilon_; }

 private:
  double epsilon_;
};

struct Maker {
  Neighbors relation;

  std::unique_ptr<LossModel> operator()(const Gaussian& g) const {
    return std::make_unique<GaussianLoss>(1.0 / g.noise);
  }
  std::unique_ptr<LossModel> operator()(const GroupedGaussian& g) const {
    return Maker{Neighbors::replace}(SampledGaussian{g.rate, g.noise});
  }
  std::unique_ptr<LossModel> operator()(const SampledGaussian& g) const {
    const bool replace = relation == Neighbors::replace;
    // Sampling never harms: the hockey-stick divergence is jointly convex, so the pair without sampling dominates. With
    // hardly any noise it serves instead, as the moments of the sampled one would take ages and end in no useful
    // epsilon.
    constexpr double kLeastNoise = 0.1;
    if (g.rate >= 1.0 || g.noise < kLeastNoise) {
      return std::make_unique<GaussianLoss>((replace ? 2.0 : 1.0) / g.noise, g.rate >= 1.0);
    }
    return replace ? sampled_gaussian_replace(g.rate, g.noise) : sampled_gaussian_add_remove(g.rate, g.noise);
  }
  std::unique_ptr<LossModel> operator()(const Laplace& l) const { return std::make_unique<LaplaceLoss>(l.epsilon); }
  std::unique_ptr<LossModel> operator()(const Geometric& g) const { return geometric_loss(g.epsilon, g.sensitivity); }
  std::unique_ptr<LossModel> operator()(const DiscreteGaussian& g) const {
    return discrete_gaussian_loss(g.sigma, g.sensitivity);
  }
  std::unique_ptr<LossModel> operator()(const Exponential& e) const { return bounded_range_loss(e.epsilon); }
  std::unique_ptr<LossModel> operator()(const NoisyMax& n) const { return pure_loss(n.epsilon, 0.0); }
  std::unique_ptr<LossModel> operator()(const PartitionSelection& p) const { return pure_loss(p.epsilon, p.delta); }
};

}  // namespace

double LossModel::renyi(double order) const {
  const double s = order - 1.0;
  double moment = log_moment(s, Direction::remove).real();
  if (!symmetric()) moment = std::max(moment, log_moment(s, Direction::add).real());
  // Rounded up by more than the error of the moment; never above what pure DP allows.
  return std::min(moment / s * (1.0 + 2e-12), pure_epsilon());
}

std::unique_ptr<LossModel> make_loss_model(const Mechanism& mechanism, Neighbors relation) {
  return std::visit(Maker{relation}, mechanism);
}

}  // namespace sosia::accounting
