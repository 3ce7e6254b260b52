// SPDX-License-Identifier: Apache-2.0
#include "privacy/accounting/sampled_gaussian.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "privacy/accounting/gaussian.h"
#include "privacy/accounting/normal.h"
#include "privacy/accounting/numbers.h"
#include "privacy/accounting/stable.h"

namespace sosia::accounting {

namespace {

/// log of the density ratio of (1-q) N(0) + q N(1) to N(0) at x.
double log_ratio(double rate, double noise, double x) {
  const double a = (x - 0.5) / (noise * noise);
  if (a > 40.0) return std::log(rate) + a + std::log1p((1.0 - rate) / rate * std::exp(-a));
  const double gain = rate * std::expm1(a);
  // Below -1/2 the rate is above 1/2: 1 - rate is exact, and the sum of two positive terms keeps its digits.
  return gain > -0.5 ? std::log1p(gain) : std::log((1.0 - rate) + rate * std::exp(a));
}

/// The weight of N(1) in the mixture at x, z^2 times the slope of log_ratio there. It rises from 0 to 1.
double weight_of_shifted(double rate, double noise, double x) {
  const double a = (x - 0.5) / (noise * noise);
  return rate / (rate + (1.0 - rate) * std::exp(-a));
}

/// log(1 + (e^epsilon - 1) / rate): the epsilon of the Gaussian behind a sampled one, without overflow.
double unsampled(double epsilon, double rate) {
  if (epsilon > 40.0) return epsilon - std::log(rate) + std::log1p((rate - 1.0) * std::exp(-epsilon));
  // For a rate above 1/2, 1 - rate is exact, and nothing cancels but what epsilon itself leaves open.
  if (rate > 0.5 && epsilon < -0.5) return std::log(std::max(0.0, std::exp(epsilon) - (1.0 - rate)) / rate);
  return std::log1p(std::expm1(epsilon) / rate);
}

/// e^(a u) - 1 - a (e^u - 1). For small u both parts nearly cancel: sum_{k>=2} (a^k - a) u^k / k! instead.
Complex convex_gap(Complex a, double u) {
  if (std::abs(a) * std::abs(u) > 1e-2 || std::abs(u) > 1e-2) return complex_expm1(a * u) - a * std::expm1(u);
  Complex power = a, sum = 0.0;
  double term = u;
  for (int k = 2; k <= 13; ++k) {
    power *= a;
    term *= u / k;
    sum += (power - a) * term;
  }
  return sum;
}

/// The trapezoidal rule over the density of N(0, z^2): points and weights. The integrands are analytic in the strip
/// |Im x| < pi z^2, so that the error falls like exp(-2 pi^2 z^2 / h); `frequency` is the largest imaginary exponent.
///
/// A reach is such that beyond -left (right of `right`) the integrand falls towards the end as fast as N(-left, z^2)
/// does (N(right, z^2)), and that means of N(., z^2) whose integrals are known lie within: what is cut off 12 z further
/// out is below e^-72 of the whole.
struct Reach {
  double left, right;
};

struct Grid {
  double first, step;
  std::int64_t count;
};

Grid grid_for(double noise, const Reach& reach, double frequency) {
  const double variance = noise * noise;
  double step = std::min({noise / 8.0, std::numbers::pi * variance / 12.0, std::max(1.0, noise) / 4.0});
  step = std::min(step, std::numbers::pi * variance / (8.0 + frequency));
  const double first = -12.0 * noise - reach.left, last = 12.0 * noise + reach.right;
  return {first, step, static_cast<std::int64_t>(std::ceil((last - first) / step)) + 1};
}

/// log of the expectation of e^exponent over N(0, z^2). `gap(x)` is the integrand minus parts that integrate to 1, so
/// that the sum of gaps is the expectation minus 1 and keeps its digits when that is tiny. Only an expectation that
/// cannot be near 1, because some term is huge, is summed in logarithms.
template <class Gap, class Exponent>
Complex log_expectation(const Grid& grid, double noise, Gap gap, Exponent exponent) {
  const double log_weight = std::log(grid.step / (noise * std::sqrt(2.0 * std::numbers::pi)));
  const auto log_density = [&](double x) { return log_weight - 0.5 * (x / noise) * (x / noise); };
  double largest = -INFINITY;
  for (std::int64_t i = 0; i < grid.count; ++i) {
    const double x = grid.first + static_cast<double>(i) * grid.step;
    largest = std::max(largest, exponent(x).real() + log_density(x));
  }
  Complex sum = 0.0;
  for (std::int64_t i = 0; i < grid.count; ++i) {
    const double x = grid.first + static_cast<double>(i) * grid.step, density = log_density(x);
    if (largest > 30.0) {
      sum += std::exp(exponent(x) + density - largest);
    } else if (density > -700.0 && exponent(x).real() < 600.0) {
      sum += std::exp(density) * gap(x);
    } else {
      sum += std::exp(exponent(x) +
                      density);  // far out, where the density underflows or the ratio overflows: the rest is nothing
    }
  }
  return largest > 30.0 ? largest + std::log(sum) : complex_log1p(sum);
}

/// A Renyi divergence of the sampled pair: rounded up by more than the error of the integral, and never above that of
/// the pair without sampling, `distance` apart, which dominates. A moment that is no number proves nothing.
double sampled_renyi(double order, double log_moment, double distance, double noise) {
  const double sampled = log_moment / (order - 1.0) * (1.0 + 1e-11);
  const double plain = 0.5 * order * distance * distance / (noise * noise);
  return sampled >= 0.0 ? std::min(sampled, plain) : plain;
}

class AddRemove final : public LossModel {
 public:
  AddRemove(double rate, double noise) : rate_(rate), noise_(noise) {}

  double delta(double epsilon, Direction direction) const override {
    if (direction == Direction::remove) {
      if (epsilon <= std::log1p(-rate_)) return -std::expm1(epsilon);
      return rate_ * gaussian_delta(1.0 / noise_, unsampled(epsilon, rate_));
    }
    if (epsilon >= -std::log1p(-rate_)) return 0.0;
    const double kept = 1.0 - (1.0 - rate_) * std::exp(epsilon);
    return kept * gaussian_delta(1.0 / noise_, -unsampled(-epsilon, rate_));
  }

  /// E_Q[w^a] with a = 1 + s (remove) or a = -s (add): one integral for both, since E_Q[w] = 1.
  Complex log_moment(Complex s, Direction direction) const override {
    const Complex a = direction == Direction::remove ? 1.0 + s : -s;
    const Grid grid = grid_for(noise_, reach_of(a.real()), std::abs(a.imag()));
    const auto ratio = [&](double x) { return log_ratio(rate_, noise_, x); };
    return log_expectation(
        grid, noise_, [&](double x) { return convex_gap(a, ratio(x)); }, [&](double x) { return a * ratio(x); });
  }

  /// The remove direction is never smaller (Mironov, Talwar, Zhang 2019, theorem 5).
  double renyi(double order) const override {
    return sampled_renyi(order, log_moment(order - 1.0, Direction::remove).real(), 1.0, noise_);
  }

  double largest_loss(Direction direction) const override {
    return direction == Direction::remove ? kInfinity : -std::log1p(-rate_);
  }

  Range range(double tail, Direction direction) const override {
    const double reach = noise_ * normal_upper_quantile(0.5 * tail);
    if (direction == Direction::remove) {
      return {log_ratio(rate_, noise_, -reach), log_ratio(rate_, noise_, 1.0 + reach)};
    }
    return {-log_ratio(rate_, noise_, reach), -log_ratio(rate_, noise_, -reach)};
  }

  bool symmetric() const override { return false; }
  bool smooth() const override { return true; }

 private:
  /// z^2 times the slope of the log integrand is -x + a p(x), p the weight of N(1). For a > 0 that is between -x and
  /// -x + a; for a < 0 and x < 0 at most -x, and not below -x + a p(0).
  Reach reach_of(double a) const {
    return {std::max(0.0, -a) * weight_of_shifted(rate_, noise_, 0.0), std::max(1.0, a)};
  }

  double rate_, noise_;
};

class Replace final : public LossModel {
 public:
  Replace(double rate, double noise) : rate_(rate), noise_(noise) {}

  /// L > epsilon left of the one x where the ratio is e^epsilon, the root of a quadratic in e^(x / z^2).
  double delta(double epsilon, Direction direction) const override {
    if (epsilon < 0.0) return -std::expm1(epsilon) + std::exp(epsilon) * delta(-epsilon, direction);
    const double ratio = std::exp(epsilon), q = rate_;
    const double k = std::exp(-0.5 / (noise_ * noise_));
    const double a = ratio * q * k, b = (1.0 - q) * std::expm1(epsilon), c = q * k;
    const double root = std::sqrt(b * b + 4.0 * a * c);
    const double tail = 0.5 / (noise_ * noise_);
    const double log_t = b > 0.0 ? std::log(2.0 * q) - tail - std::log(b + root)
                                 : std::log(root - b) - std::log(2.0 * q) - epsilon + tail;
    const double x = noise_ * log_t;  // in units of z
    const double shift = 1.0 / noise_;
    if (-x - shift < -30.0) {
      const double gap = q * (normal_cdf(x + shift) - ratio * normal_cdf(x - shift)) - b * normal_cdf(x);
      return std::max(0.0, gap);
    }
    // With all densities written as multiples of that at x, and b as the difference of the two at the edge, only
    // differences of Mills ratios are left, all of one sign: no digits are lost in the tail.
    const double near = q * std::exp(-x * shift - 0.5 * shift * shift);
    const double far = ratio * q * std::exp(x * shift - 0.5 * shift * shift);
    const double middle = mills_ratio(-x);
    return normal_pdf(x) * (near * (mills_ratio(-x - shift) - middle) + far * (middle - mills_ratio(-x + shift)));
  }

  Complex log_moment(Complex s, Direction) const override {
    const Complex a = 1.0 + s;
    const Grid grid = grid_for(noise_, reach_of(a.real()), 2.0 * std::abs(a.imag()));
    const auto exponent = [&](double x) {
      return a * log_ratio(rate_, noise_, -x) + (1.0 - a) * log_ratio(rate_, noise_, x);
    };
    // e^(a p + (1-a) q) = e^q (1 + a (e^(p-q) - 1) + gap), and the first two parts integrate to 1.
    const auto gap = [&](double x) {
      const double p = log_ratio(rate_, noise_, -x), q = log_ratio(rate_, noise_, x);
      return std::exp(q) * convex_gap(a, p - q);
    };
    return log_expectation(grid, noise_, gap, exponent);
  }

  double renyi(double order) const override {
    return sampled_renyi(order, log_moment(order - 1.0, Direction::remove).real(), 2.0, noise_);
  }

  Range range(double tail, Direction) const override {
    const double x = 1.0 + noise_ * normal_upper_quantile(0.5 * tail);
    const double loss = log_ratio(rate_, noise_, x) - log_ratio(rate_, noise_, -x);
    return {-loss, loss};
  }

  bool smooth() const override { return true; }

 private:
  /// z^2 times the slope of the log integrand is -x - a p(-x) + (1 - a) p(x), p the weight of N(1), for a > 0. It is at
  /// most -x + 1. For x < 0, where p(x) <= p(0), it is not below -x - a - max(0, a - 1) p(0): with a rate near 1 the
  /// peak is at 1 - 2 a.
  Reach reach_of(double a) const {
    return {std::max(1.0, a + std::max(0.0, a - 1.0) * weight_of_shifted(rate_, noise_, 0.0)), 1.0};
  }

  double rate_, noise_;
};

}  // namespace

std::unique_ptr<LossModel> sampled_gaussian_add_remove(double rate, double noise) {
  return std::make_unique<AddRemove>(rate, noise);
}

std::unique_ptr<LossModel> sampled_gaussian_replace(double rate, double noise) {
  return std::make_unique<Replace>(rate, noise);
}

}  // namespace sosia::accounting
