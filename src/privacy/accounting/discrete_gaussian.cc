// SPDX-License-Identifier: Apache-2.0
#include "privacy/accounting/discrete_gaussian.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "privacy/accounting/normal.h"
#include "privacy/accounting/numbers.h"

namespace sosia::accounting {

namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kReach = 39.0;  // standard deviations: beyond, the mass underflows

/// sum over integers x of e^(-(x + a)^2 / (2 sigma^2)) for complex a, without its factor e^(Im(a)^2 / (2 sigma^2)):
/// directly for a small sigma, by Poisson summation otherwise. Either way a few terms around the largest give full
/// accuracy.
Complex theta(double sigma, Complex a) {
  const double scale = 0.5 / (sigma * sigma);
  Complex sum = 0.0;
  if (sigma < 1.0) {
    const double centre = -std::round(a.real());
    for (int i = -60; i <= 60; ++i) {
      const double x = centre + i + a.real();
      sum += std::exp(Complex(-x * x * scale, -2.0 * x * a.imag() * scale));
    }
    return sum;
  }
  // sqrt(2 pi) sigma sum_k e^(-2 pi^2 sigma^2 k^2 + 2 pi i k a), completed to a square in k.
  const double peak = -a.imag() / (2.0 * kPi * sigma * sigma);
  for (int i = -6; i <= 6; ++i) {
    const double k = std::round(peak) + i;
    sum += std::exp(Complex(-2.0 * kPi * kPi * sigma * sigma * (k - peak) * (k - peak), 2.0 * kPi * k * a.real()));
  }
  return std::sqrt(2.0 * kPi) * sigma * sum;
}

class DiscreteGaussianLoss final : public LossModel {
 public:
  DiscreteGaussianLoss(double sigma, std::int64_t sensitivity)
      : sigma_(sigma), shift_(static_cast<double>(sensitivity)), last_(static_cast<std::int64_t>(kReach * sigma) + 2) {
    // Upper tails, summed from the far end so that the small ones keep their digits.
    upper_.resize(static_cast<std::size_t>(2 * last_ + 2), 0.0);
    const double normaliser = discrete_gaussian_normaliser(sigma);
    for (std::int64_t x = last_; x >= -last_; --x) {
      const double z = static_cast<double>(x) / sigma;
      upper_[index(x)] = upper_[index(x + 1)] + std::exp(-0.5 * z * z) / normaliser;
    }
  }

  /// P centred at 0, Q at the shift D: L(x) = D (D - 2x) / (2 sigma^2) > epsilon iff x < D/2 - epsilon sigma^2 / D.
  double delta(double epsilon, Direction) const override {
    const double bound = 0.5 * shift_ - epsilon * sigma_ * sigma_ / shift_;
    // By symmetry P(X <= x) = P(X >= -x).
    const double most = std::ceil(bound) - 1.0;
    const double under_p = tail(-most), under_q = tail(shift_ - most);
    if (under_q == 0.0) return under_p;
    return std::max(0.0, under_p - std::exp(epsilon + std::log(under_q)));
  }

  Complex log_moment(Complex s, Direction) const override {
    const Complex a = s * shift_;
    const double scale = 0.5 / (sigma_ * sigma_);
    // e^(s D (D - 2x) scale - x^2 scale) = e^((s^2 + s) D^2 scale) e^(-(x + s D)^2 scale); theta leaves out
    // e^(Im(a)^2 scale), which s^2 holds with the opposite sign.
    const Complex main(a.real() * a.real() * scale + a.real() * shift_ * scale,
                       2.0 * a.real() * a.imag() * scale + a.imag() * shift_ * scale);
    return main + std::log(theta(sigma_, a) / discrete_gaussian_normaliser(sigma_));
  }

  /// Never above that of the continuous Gaussian (Canonne, Kamath, Steinke 2020, theorem 4).
  double renyi(double order) const override { return order * *rho(); }
  std::optional<double> rho() const override { return shift_ * shift_ / (2.0 * sigma_ * sigma_); }
  double atom() const override { return shift_ / (2.0 * sigma_ * sigma_); }

  Range range(double tail_mass, Direction) const override {
    const double x = sigma_ * normal_upper_quantile(0.5 * tail_mass) + 2.0;
    const double scale = shift_ / (2.0 * sigma_ * sigma_);
    return {scale * (shift_ - 2.0 * x), scale * (shift_ + 2.0 * x)};
  }

 private:
  std::size_t index(std::int64_t x) const { return static_cast<std::size_t>(x + last_); }
  double tail(double x) const {
    if (x > static_cast<double>(last_)) return 0.0;
    return upper_[index(std::max(static_cast<std::int64_t>(x), -last_))];
  }

  double sigma_, shift_;
  std::int64_t last_;
  std::vector<double> upper_;
};

}  // namespace

double discrete_gaussian_normaliser(double sigma) { return theta(sigma, 0.0).real(); }

double discrete_gaussian_pmf(double sigma, std::int64_t x) {
  const double z = static_cast<double>(x) / sigma;
  return std::exp(-0.5 * z * z) / discrete_gaussian_normaliser(sigma);
}

double discrete_gaussian_tail(double sigma, std::int64_t x) {
  if (x <= 0) return 1.0 - discrete_gaussian_tail(sigma, 1 - x);
  double sum = 0.0;
  for (auto y = x + static_cast<std::int64_t>(kReach * sigma) + 2; y >= x; --y) sum += discrete_gaussian_pmf(sigma, y);
  return sum;
}

std::unique_ptr<LossModel> discrete_gaussian_loss(double sigma, std::int64_t sensitivity) {
  return std::make_unique<DiscreteGaussianLoss>(sigma, sensitivity);
}

}  // namespace sosia::accounting
