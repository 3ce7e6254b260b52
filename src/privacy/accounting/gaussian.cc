// SPDX-License-Identifier: Apache-2.0
#include "privacy/accounting/gaussian.h"

#include <cmath>
#include <limits>

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
  if (t < -5.0) return normal_cdf(-t) - std::exp(epsilon + log_normal_cdf(-t - mu));
  if (mu < 1e-4) {
    const double middle = t + 0.5 * mu;
    return normal_pdf(t) * mu * (1.0 - middle * mills_ratio(middle));
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
  // Phi(-mu/2) = 1 / (1 + e^epsilon), written with the small side so that nothing is rounded away; one ulp up.
  const double mu = 2.0 * normal_upper_quantile(1.0 / (1.0 + std::exp(epsilon)));
  return std::nextafter(mu * (1.0 + 1e-14), std::numeric_limits<double>::infinity());
}

}  // namespace sosia::accounting
