// SPDX-License-Identifier: Apache-2.0
#include "privacy/accounting/normal.h"

#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <numbers>

namespace sosia::accounting {

namespace {

constexpr double kSqrtHalfPi = 1.2533141373155002512;
constexpr double kLogSqrtTwoPi = 0.91893853320467274178;

/// e^(x^2) erfc(x).
double scaled_erfc(double x) {
  if (x < 25.0) {
    // x^2 in two parts: its rounding error would be multiplied by e^(x^2).
    const double high = x * x, low = std::fma(x, x, -high);
    return std::exp(high) * (1.0 + low) * std::erfc(x);
  }
  const double r = 1.0 / (2.0 * x * x);  // asymptotic series; the term left out is below 1e-14
  const double series = 1.0 - r * (1.0 - 3.0 * r * (1.0 - 5.0 * r * (1.0 - 7.0 * r * (1.0 - 9.0 * r))));
  return series / (x * std::sqrt(std::numbers::pi));
}

}  // namespace

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

double log_normal_cdf(double x) {
  if (x > -1.0) return std::log1p(-0.5 * std::erfc(x / std::numbers::sqrt2));
  return -0.5 * x * x - kLogSqrtTwoPi + std::log(mills_ratio(-x));
}

double normal_quantile(double p) { return -std::numbers::sqrt2 * boost::math::erfc_inv(2.0 * p); }

double normal_upper_quantile(double p) { return std::numbers::sqrt2 * boost::math::erfc_inv(2.0 * p); }

double normal_pdf(double x) { return std::exp(-0.5 * x * x - kLogSqrtTwoPi); }

double mills_ratio(double x) { return kSqrtHalfPi * scaled_erfc(x / std::numbers::sqrt2); }

}  // namespace sosia::accounting
