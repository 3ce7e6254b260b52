// SPDX-License-Identifier: Apache-2.0
#include "privacy/accounting/saddle.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "privacy/accounting/numbers.h"

namespace sosia::accounting {

namespace {

struct Cumulant {
  const Composition& composition;
  Direction direction;

  double operator()(double s) const { return composition.log_moment(s, direction).real(); }
};

struct Point {
  double epsilon, log_delta, variance;
};

/// The saddle-point approximation with exponent s: the epsilon whose saddle it is, and its delta.
Point at(const Cumulant& cumulant, double s) {
  const double gap = 0.02 * s;
  const double low = cumulant(s - gap), middle = cumulant(s), high = cumulant(s + gap);
  const double slope = (high - low) / (2.0 * gap);
  const double variance = std::max(0.0, (high - 2.0 * middle + low) / (gap * gap));
  const double epsilon = slope - 1.0 / s - 1.0 / (1.0 + s);
  const double curvature = variance + 1.0 / (s * s) + 1.0 / ((1.0 + s) * (1.0 + s));
  const double log_delta =
      middle - s * epsilon - std::log(s) - std::log1p(s) - 0.5 * std::log(2.0 * std::numbers::pi * curvature);
  return {epsilon, log_delta, variance};
}

}  // namespace

Saddle find_saddle(const Composition& composition, Direction direction, double delta) {
  const Cumulant cumulant{composition, direction};
  const double log_target = std::log(delta);
  // A bounded loss is within a ten-thousandth of its maximum there: more tilt gains nothing and costs digits.
  const double largest = composition.largest_loss(direction);
  const double most = largest > 0.0 && std::isfinite(largest) ? 1e4 / largest : 1e12;
  const auto too_small = [&](double s) {
    const Point point = at(cumulant, s);
    return point.epsilon < 0.0 || point.log_delta > log_target;
  };
  double low = 1.0, high = 1.0;
  if (too_small(1.0)) {
    while (high < most && too_small(high)) high *= 2.0;
    low = 0.5 * high;
  } else {
    while (low > 1e-12 && !too_small(low)) low *= 0.5;
    high = 2.0 * low;
  }
  for (int i = 0; i < 20; ++i) {
    const double middle = std::sqrt(low * high);
    (too_small(middle) ? low : high) = middle;
  }
  const Point point = at(cumulant, high);
  return {high, std::clamp(point.epsilon, 0.0, largest), std::sqrt(point.variance)};
}

Reach tilted_reach(const Composition& composition, Direction direction, const Saddle& saddle, double tail) {
  const Cumulant cumulant{composition, direction};
  const double base = cumulant(saddle.tilt), log_tail = std::log(tail);
  Reach reach{-kInfinity, kInfinity, saddle.epsilon - log_tail / saddle.tilt, 0.0};
  // The best exponents are near distance / variance: a geometric search around is cheap and sure.
  constexpr int kTrials = 24;
  const double width = std::max(saddle.width, 1e-3 / saddle.tilt);
  const double least = std::min(0.5 / width, 0.1 * saddle.tilt);
  const auto trial = [&](double most, int i) {
    return least * std::pow(most / least, static_cast<double>(i) / kTrials);
  };
  for (int i = 0; i <= kTrials; ++i) {
    const double theta = trial(saddle.tilt + 0.99, i);
    const double growth = cumulant(saddle.tilt - theta) - base;
    if (std::isfinite(growth)) reach.lowest = std::max(reach.lowest, (log_tail - growth) / theta);
  }
  for (int i = 0; i <= kTrials; ++i) {
    const double theta = trial(std::max(saddle.tilt, 30.0 / width), i);
    const double growth = cumulant(saddle.tilt + theta) - base;
    if (!std::isfinite(growth)) break;
    reach.highest = std::min(reach.highest, (growth - log_tail) / theta);
    const double decay = (growth - log_tail + saddle.tilt * saddle.epsilon) / (theta + saddle.tilt);
    if (decay < reach.decay) reach.decay = decay, reach.decay_order = theta;
  }
  return reach;
}

}  // namespace sosia::accounting
