// SPDX-License-Identifier: Apache-2.0
#include "privacy/accounting/contour.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "privacy/accounting/golden_section.h"
#include "privacy/accounting/numbers.h"

namespace sosia::accounting {

namespace {

/// K on the line s = c + i k step, until the integrand has died out. Serves every epsilon near the saddle's own.
class Line {
 public:
  /// Takes what it costs off `work`, and gives up where that is used up.
  Line(const Composition& composition, double saddle, Direction direction, double& work) : saddle_(saddle) {
    const double c = saddle, h = std::min(0.25 * c, 1e-2 * (1.0 + c));
    const auto real_moment = [&](double s) { return composition.log_moment(s, direction).real(); };
    const double base = real_moment(c);
    const double variance = std::max((real_moment(c + h) - 2.0 * base + real_moment(c - h)) / (h * h), 1e-12);
    step_ = 1.0 / (12.0 * std::sqrt(variance + 1.0 / (c * c) + 1.0 / ((1.0 + c) * (1.0 + c))));
    base_ = base;
    // A Gaussian-like integrand dies within 10 standard deviations. One that is still large at 20, such as that of a
    // single sampled step, would need far more points than a cross-check is worth.
    const double probe = 20.0 / std::sqrt(variance);
    if (probe > 0.2 * work || smooth_size(composition, probe, direction) > -8.0) return;
    while (work > 0.0 && !decayed_) {
      const double y = static_cast<double>(values_.size()) * step_;
      const Complex s(c, y), pole = s * (s + 1.0);
      // Without the factor e^(K(c) - c epsilon), so that nothing under- or overflows.
      values_.push_back(composition.log_moment(s, direction) - base - std::log(pole));
      work -= 8.0 + y;
      if (values_.back().real() > values_.front().real() - 44.0) continue;
      decayed_ = smooth_size(composition, y, direction) - std::log(std::abs(pole)) < values_.front().real() - 44.0;
    }
  }

  bool decayed() const { return decayed_; }

  /// NaN if the terms nearly cancel, as they do far from the line's own epsilon: nothing can be read from their sum
  /// then.
  double log_delta(double epsilon) const {
    double sum = 0.0, size = 0.0;
    for (std::size_t k = 0; k < values_.size(); ++k) {
      const double phase = values_[k].imag() - static_cast<double>(k) * step_ * epsilon;
      const double term = (k == 0 ? 0.5 : 1.0) * std::exp(values_[k].real());
      sum += term * std::cos(phase);
      size += term;
    }
    if (sum < 1e-6 * size) return std::numeric_limits<double>::quiet_NaN();
    return base_ - saddle_ * epsilon + std::log(sum * step_ / std::numbers::pi);
  }

 private:
  /// log of how far the smooth parts alone have decayed at c + iy. Parts with atoms come back again and again.
  double smooth_size(const Composition& composition, double y, Direction direction) const {
    double sum = 0.0;
    for (const Part& part : composition.parts()) {
      if (!part.model->smooth()) continue;
      const double change =
          part.model->log_moment({saddle_, y}, direction).real() - part.model->log_moment(saddle_, direction).real();
      sum += static_cast<double>(part.count) * change;
    }
    return sum;
  }

  double saddle_, step_ = 0.0, base_ = 0.0;
  bool decayed_ = false;
  std::vector<Complex> values_;
};

/// The c > 0 that minimises K(c) - c epsilon - log c - log(1 + c), a convex function: the integrand is least
/// oscillating there.
double saddle_point(const Composition& composition, double epsilon, Direction direction) {
  const auto objective = [&](double log_c) {
    const double c = std::exp(log_c);
    const double k = composition.log_moment(c, direction).real();
    return std::isfinite(k) ? k - c * epsilon - std::log(c) - std::log1p(c) : INFINITY;
  };
  // Steps outwards from c = 1: far out a moment can be dear, and is hardly ever needed.
  double low = -1.0, middle = 0.0, high = 1.0, at_middle = objective(middle);
  for (double value = objective(high); value < at_middle && high < 14.0; value = objective(high)) {
    low = middle, middle = high, at_middle = value, high += 1.0;
  }
  for (double value = objective(low); value < at_middle && low > -10.0; value = objective(low)) {
    high = middle, middle = low, at_middle = value, low -= 1.0;
  }
  return std::exp(minimise(low, high, 16, objective));
}

/// The line through the saddle. Where rare large losses take over, the moments grow so fast beyond some c that the
/// integrand of a line there is hopelessly narrow; any c > 0 is as correct, and one a little below does. The cost of a
/// moment grows with its imaginary part, so the sum of these over all lines that are tried is what is limited.
Line line_for(const Composition& composition, double epsilon, Direction direction) {
  double c = saddle_point(composition, epsilon, direction), work = 3e5;
  Line line(composition, c, direction, work);
  for (int i = 0; i < 8 && !line.decayed() && work > 0.0; ++i) {
    c *= 0.85;
    line = Line(composition, c, direction, work);
  }
  return line;
}

/// The epsilon of one direction: solve on a line, move the line to the new saddle, until both agree.
std::optional<double> solve(const Composition& composition, double delta, Direction direction) {
  const double target = std::log(delta - composition.infinity_mass());
  const auto at_zero = contour_delta(composition, 0.0, direction);
  if (!at_zero) return std::nullopt;
  if (*at_zero <= delta) return 0.0;
  // The Chernoff bound of the order that suits it best is a good first guess: delta <= e^(K(c) - c epsilon).
  double epsilon = INFINITY;
  for (double c = 0.5; c < 2000.0; c *= 1.5) {
    epsilon = std::min(epsilon, (composition.log_moment(c, direction).real() - target) / c);
  }
  // Newton's method with a numerical slope. A line serves the epsilons near its own, so that a large step calls for a
  // new one.
  const auto newton_step = [&](const Line& line) {
    const double value = line.log_delta(epsilon), gap = 1e-5 * epsilon;
    return (target - value) * gap / (line.log_delta(epsilon + gap) - value);
  };
  for (int round = 0; round < 20; ++round) {
    const Line line = line_for(composition, epsilon, direction);
    if (!line.decayed()) return std::nullopt;
    double step = newton_step(line);
    const bool close = std::abs(step) <= 1e-2 * epsilon;
    for (int i = 0; close && i < 20 && std::abs(step) > 1e-13 * epsilon; ++i) {
      epsilon += step;
      step = newton_step(line);
    }
    if (!std::isfinite(step)) return std::nullopt;
    if (close) return std::abs(step) < 1e-10 * epsilon ? std::optional(epsilon + step) : std::nullopt;
    epsilon = std::max(epsilon + step, 0.25 * epsilon);
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> contour_delta(const Composition& composition, double epsilon, Direction direction) {
  if (!composition.smooth()) return std::nullopt;
  const Line line = line_for(composition, epsilon, direction);
  if (!line.decayed()) return std::nullopt;
  const double log_delta = line.log_delta(epsilon);
  if (std::isnan(log_delta)) return std::nullopt;
  return std::exp(log_delta) + composition.infinity_mass();
}

std::optional<double> contour_epsilon(const Composition& composition, double delta) {
  if (!composition.smooth() || delta <= composition.infinity_mass()) return std::nullopt;
  const auto remove = solve(composition, delta, Direction::remove);
  if (!remove || composition.symmetric()) return remove;
  const auto add = solve(composition, delta, Direction::add);
  if (!add) return std::nullopt;
  return std::max(*remove, *add);
}

}  // namespace sosia::accounting
