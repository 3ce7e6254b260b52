// SPDX-License-Identifier: Apache-2.0
#include "privacy/accounting/rdp.h"

#include <algorithm>
#include <cmath>

#include "privacy/accounting/golden_section.h"
#include "privacy/accounting/numbers.h"

namespace sosia::accounting {

namespace {

bool usable(double divergence) { return divergence >= 0.0 && std::isfinite(divergence); }

/// delta >= sqrt(1 - e^-KL) needs no epsilon at all (Bretagnolle and Huber 1979), and KL is at most any divergence of
/// order >= 1.
bool costs_nothing(double divergence, double delta) { return delta * delta >= -std::expm1(-divergence); }

/// log of the smallest E_Q[(P/Q)^order] over pairs whose hockey-stick divergence at epsilon is delta: two points
/// suffice, with P-masses p and 1 - p. Convex in p; sought in log(p / delta - 1), as it lies at p ~ order * delta or
/// anywhere above.
double least_log_moment(double order, double epsilon, double delta) {
  const double excess = order - 1.0;
  const auto log_moment = [&](double t) {
    const double gap = delta * std::exp(t);  // p - delta
    const double p = delta + gap;
    const double first = order * std::log(p) - excess * std::log(gap);
    if (p >= 1.0) return excess * epsilon + first;
    // e^epsilon - p + delta = e^epsilon (1 - gap e^-epsilon)
    const double second = order * std::log1p(-p) - excess * (epsilon + std::log1p(-gap * std::exp(-epsilon)));
    const double high = std::max(first, second), low = std::min(first, second);
    return excess * epsilon + high + std::log1p(std::exp(low - high));
  };
  const double most = std::log((1.0 - delta) / delta);
  return log_moment(minimise(std::min(-40.0, most - 1.0), most, 100, log_moment));
}

/// The grid of orders: dense near 1, where large epsilons are decided, sparse above, where small ones are.
std::vector<double> wide_orders() {
  std::vector<double> orders;
  for (const double excess : {1e-4, 1e-3, 2e-3, 5e-3}) orders.push_back(1.0 + excess);
  for (int i = 1; i < 10; ++i) orders.push_back(1.0 + 0.01 * i);
  for (int i = 11; i <= 110; ++i) orders.push_back(0.1 * i);
  for (int i = 12; i <= 64; ++i) orders.push_back(i);
  for (const double order : {80.0, 96.0, 128.0, 192.0, 256.0, 384.0, 512.0, 1024.0}) orders.push_back(order);
  return orders;
}

double epsilon_at(const Composition& composition, double order, double delta, Conversion conversion) {
  return rdp_to_epsilon(order, composition.renyi(order), delta, conversion);
}

double finite_delta(const Composition& composition, double delta) { return delta - composition.infinity_mass(); }

}  // namespace

double rdp_to_epsilon(double order, double divergence, double delta, Conversion conversion) {
  if (!(order > 1.0) || !usable(divergence) || !(delta > 0.0)) return kInfinity;
  if (costs_nothing(divergence, delta)) return 0.0;
  const double excess = order - 1.0;
  const double epsilon = conversion == Conversion::mironov
                             ? divergence - std::log(delta) / excess
                             : divergence + std::log1p(-1.0 / order) - (std::log(delta) + std::log(order)) / excess;
  return std::isnan(epsilon) ? kInfinity : std::max(0.0, epsilon);
}

double rdp_to_epsilon_optimal(double order, double divergence, double delta) {
  double high = rdp_to_epsilon(order, divergence, delta, Conversion::tight);
  if (high == 0.0 || std::isinf(high)) return high;
  const double target = (order - 1.0) * divergence;
  // Above the boundary no pair with that delta has so small a moment. A little more than the target is taken as
  // reached, for the rounding of the search.
  const auto impossible = [&](double epsilon) {
    return least_log_moment(order, epsilon, delta) > target + 1e-13 * (1.0 + std::abs(target));
  };
  if (!impossible(high)) return high;
  double low = 0.0;
  if (impossible(low)) return 0.0;
  for (int i = 0; i < 60 && high - low > 1e-13 * high; ++i) {
    const double middle = 0.5 * (low + high);
    (impossible(middle) ? high : low) = middle;
  }
  return high;
}

RdpResult rdp_epsilon(const Composition& composition, double delta, const std::vector<double>& orders,
                      Conversion conversion) {
  RdpResult best{composition.empty() ? 0.0 : kInfinity, 1.0};
  for (const double order : orders) {
    const double epsilon = epsilon_at(composition, order, finite_delta(composition, delta), conversion);
    if (epsilon < best.epsilon) best = {epsilon, order};
  }
  return best;
}

RdpResult rdp_epsilon(const Composition& composition, double delta) {
  const double left = finite_delta(composition, delta);
  if (composition.empty()) return {0.0, 1.0};
  if (!(left > 0.0)) return {kInfinity, 1.0};
  std::vector<double> orders = wide_orders();
  const auto value = [&](double order) { return epsilon_at(composition, order, left, Conversion::tight); };
  std::vector<double> values;
  for (const double order : orders) values.push_back(value(order));
  std::size_t best = 0;
  for (;;) {
    best = static_cast<std::size_t>(std::min_element(values.begin(), values.end()) - values.begin());
    const bool at_end = best + 1 == orders.size() && orders.back() < 1e9;
    const bool at_start = best == 0 && orders.front() - 1.0 > 1e-9;
    if (!at_end && !at_start) break;
    const auto at = at_end ? orders.size() : 0;
    const double order = at_end ? 2.0 * orders.back() : 1.0 + 0.5 * (orders.front() - 1.0);
    orders.insert(orders.begin() + static_cast<std::ptrdiff_t>(at), order);
    values.insert(values.begin() + static_cast<std::ptrdiff_t>(at), value(order));
  }
  RdpResult result{values[best], orders[best]};
  const double low = orders[best == 0 ? 0 : best - 1], high = orders[std::min(best + 1, orders.size() - 1)];
  const double refined = minimise(low, high, 40, value);
  if (value(refined) < result.epsilon) result = {value(refined), refined};
  result.epsilon =
      std::min(result.epsilon, rdp_to_epsilon_optimal(result.order, composition.renyi(result.order), left));
  return result;
}

std::vector<double> integer_orders() {
  std::vector<double> orders;
  for (int order = 2; order <= 512; ++order) orders.push_back(order);
  return orders;
}

std::vector<double> common_orders() {
  std::vector<double> orders;
  for (int i = 1; i < 100; ++i) orders.push_back(1.0 + i / 10.0);
  for (int order = 11; order < 64; ++order) orders.push_back(order);
  for (const double order : {128.0, 256.0, 512.0, 1024.0}) orders.push_back(order);
  return orders;
}

}  // namespace sosia::accounting
