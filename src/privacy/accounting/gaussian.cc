// SPDX-License-Identifier: Apache-2.0
#include "privacy/accounting/gaussian.h"

#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "privacy/accounting/normal.h"

namespace sosia::accounting {

namespace {

/// The point between `inside` and `outside` where `holds` changes, to the last bit, on the side of `inside`.
template <class Predicate>
double boundary(double inside, double outside, Predicate holds) {
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (inside + outside);
    if (middle == inside || middle == outside) break;
    (holds(middle) ? inside : outside) = middle;
  }
  return inside;
}

}  // namespace

double gaussian_delta(double mu, double epsilon) {
  if (mu <= 0.0) return epsilon >= 0.0 ? 0.0 : -std::expm1(epsilon);
  // The mirror image: a sum of two positive terms.
  if (epsilon < 0.0) return -std::expm1(epsilon) + std::exp(epsilon) * gaussian_delta(mu, -epsilon);
  const double t = epsilon / mu - 0.5 * mu;
  // e^eps phi(t + mu) = phi(t), so both terms share a factor and their difference is one of Mills ratios: no
  // cancellation at small delta. Far to the left, where the ratio explodes, mu is large and delta close to 1: the plain
  // form.
  if (t < -5.0) return normal_cdf(-t) - normal_pdf(t) * mills_ratio(t + mu);
  if (mu < 1e-3) {
    // The difference as a series around the middle m: -R'(m) mu - R'''(m) mu^3 / 24, R' = m R - 1; the next term is
    // below 1e-14.
    const double m = t + 0.5 * mu, ratio = mills_ratio(m);
    const double third = (m * m + 2.0) - (m * m + 3.0) * m * ratio;
    return normal_pdf(t) * mu * ((1.0 - m * ratio) + mu * mu / 24.0 * third);
  }
  return normal_pdf(t) * (mills_ratio(t) - mills_ratio(t + mu));
}

double gaussian_epsilon(double mu, double delta) {
  if (std::isinf(mu)) return mu;
  const auto enough = [&](double epsilon) { return gaussian_delta(mu, epsilon) <= delta; };
  if (enough(0.0)) return 0.0;
  double high = mu * mu + mu;
  while (!enough(high)) {
    high *= 2.0;
    if (std::isinf(high)) return high;
  }
  return boundary(high, 0.0, enough);
}

double gaussian_mu(double epsilon, double delta) {
  const auto allowed = [&](double mu) { return gaussian_delta(mu, epsilon) <= delta; };
  double low = 1.0, high = 2.0;
  while (!allowed(low) && low > std::numeric_limits<double>::min()) low *= 0.5;
  while (allowed(high)) high *= 2.0;
  return boundary(low, high, allowed);
}

double gaussian_mu_of_pure(double epsilon) {
  if (epsilon > 700.0) return std::numeric_limits<double>::infinity();
  // Phi(mu/2) = e^epsilon / (1 + e^epsilon), that is erf(mu / sqrt 8) = tanh(epsilon / 2): by the side that keeps its
  // digits, and up.
  const double half = epsilon < 1.0 ? std::numbers::sqrt2 * boost::math::erf_inv(std::tanh(0.5 * epsilon))
                                    : normal_upper_quantile(1.0 / (1.0 + std::exp(epsilon)));
  return 2.0 * half * (1.0 + 1e-12);
}

double gaussian_mu_of_range(double range) { return gaussian_mu_of_pure(0.5 * range); }

double range_of_gaussian(double mu) {
  // e^(range / 2) = Phi(mu/2) / Phi(-mu/2), that is tanh(range / 4) = erf(mu / sqrt 8).
  const double range = mu < 1.0 ? 4.0 * std::atanh(std::erf(mu / std::sqrt(8.0)))
                                : 2.0 * (log_normal_cdf(0.5 * mu) - log_normal_cdf(-0.5 * mu));
  return range * (1.0 - 1e-11);  // more than gaussian_mu_of_pure rounds up
}

}  // namespace sosia::accounting
