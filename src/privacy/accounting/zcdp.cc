// SPDX-License-Identifier: Apache-2.0
#include "privacy/accounting/zcdp.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sosia::accounting {

namespace {

/// log delta at this order: (a-1)(a rho - epsilon) + (a-1) log(a-1) - a log a. Convex in the order a, its derivative
/// (2a - 1) rho - epsilon + log(1 - 1/a) rises from -infinity.
double log_delta(double rho, double epsilon) {
  const auto slope = [&](double excess) {
    return (2.0 * excess + 1.0) * rho - epsilon + std::log(excess / (1.0 + excess));
  };
  double low = 1e-12, high = 1.0;
  while (slope(high) < 0.0 && high < 1e300) high *= 2.0;
  for (int i = 0; i < 200 && high - low > 1e-15 * high; ++i) {
    const double middle = high > 4.0 * low ? std::sqrt(low * high) : 0.5 * (low + high);
    (slope(middle) < 0.0 ? low : high) = middle;
  }
  const double excess = high, order = 1.0 + excess;
  return excess * (order * rho - epsilon) - excess * std::log1p(1.0 / excess) - std::log(order);
}

}  // namespace

std::optional<double> total_rho(const Composition& composition) {
  double sum = 0.0;
  for (const Part& part : composition.parts()) {
    const auto rho = part.model->rho();
    if (!rho) return std::nullopt;
    sum += static_cast<double>(part.count) * *rho;
  }
  return sum;
}

double zcdp_delta(double rho, double epsilon) {
  if (rho == 0.0) return 0.0;
  return std::min(1.0, std::exp(log_delta(rho, epsilon)));
}

double zcdp_epsilon(double rho, double delta) {
  if (!(delta > 0.0) || !std::isfinite(rho)) return std::numeric_limits<double>::infinity();
  if (rho == 0.0) return 0.0;
  const double target = std::log(delta);
  double low = 0.0, high = zcdp_epsilon_simple(rho, delta);
  if (log_delta(rho, low) <= target) return 0.0;
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    if (middle == low || middle == high) break;
    (log_delta(rho, middle) <= target ? high : low) = middle;
  }
  return high * (1.0 + 1e-14);
}

double zcdp_rho(double epsilon, double delta) {
  double low = 0.0, high = epsilon + 1.0;
  while (zcdp_epsilon(high, delta) <= epsilon) high *= 2.0;
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    if (middle == low || middle == high) break;
    (zcdp_epsilon(middle, delta) <= epsilon ? low : high) = middle;
  }
  return low;
}

double zcdp_epsilon_simple(double rho, double delta) { return rho + 2.0 * std::sqrt(-rho * std::log(delta)); }

}  // namespace sosia::accounting
