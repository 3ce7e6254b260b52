// SPDX-License-Identifier: Apache-2.0
#include "privacy/accounting/pld.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "privacy/accounting/fft.h"
#include "privacy/accounting/loss_grid.h"
#include "privacy/accounting/numbers.h"
#include "privacy/accounting/pld_window.h"
#include "privacy/accounting/saddle.h"

namespace sosia::accounting {

namespace {

constexpr double kUnit = 0.5 * std::numeric_limits<double>::epsilon();

/// One part, discretised and tilted: mass_i e^(tilt loss_i - log_scale).
struct TiltedPart {
  LossGrid grid;
  double log_scale;
  double count;
  std::int64_t repetitions;
};

/// e^(start + i rate) for i = 0, 1, ...: by multiplication, set right now and then.
class Powers {
 public:
  Powers(double start, double rate) : start_(start), rate_(rate), ratio_(std::exp(rate)) {}
  double next() {
    value_ = index_ % 32 == 0 ? std::exp(start_ + rate_ * static_cast<double>(index_)) : value_ * ratio_;
    ++index_;
    return value_;
  }

 private:
  double start_, rate_, ratio_, value_ = 0.0;
  std::int64_t index_ = 0;
};

std::vector<TiltedPart> discretise(const Composition& composition, Direction direction, const PldWindow& window) {
  std::vector<TiltedPart> tilted;
  for (std::size_t j = 0; j < composition.parts().size(); ++j) {
    const Part& part = composition.parts()[j];
    const auto [first, last] = window.spans[j];
    TiltedPart now{connect_the_dots(*part.model, direction, window.step, first, last),
                   part.model->log_moment(window.tilt, direction).real(), static_cast<double>(part.count), part.count};
    Powers weight(window.tilt * now.grid.loss(0) - now.log_scale, window.tilt * window.step);
    for (double& mass : now.grid.mass) mass *= weight.next();
    tilted.push_back(std::move(now));
  }
  return tilted;
}

/// log of prod (sum of mass e^(theta loss))^count.
double log_moment(const std::vector<TiltedPart>& parts, double theta) {
  double sum = 0.0;
  for (const TiltedPart& part : parts) {
    // Relative to the largest loss, lest it overflow.
    const double top = part.grid.loss(part.grid.mass.size() - 1);
    Powers weight(theta * (part.grid.loss(0) - top), theta * part.grid.step);
    double moment = 0.0;
    for (const double mass : part.grid.mass) moment += mass * weight.next();
    sum += part.count * (std::log(moment) + theta * top);
  }
  return sum;
}

Complex power(Complex base, std::int64_t exponent) {
  Complex result = 1.0;
  for (; exponent > 0; exponent >>= 1) {
    const double re = base.real(), im = base.imag();
    if (exponent & 1) {
      result = {result.real() * re - result.imag() * im, result.real() * im + result.imag() * re};
    }
    base = {re * re - im * im, 2.0 * re * im};
  }
  return result;
}

/// The composed masses on the circle of `size` points, and a bound on the error of each.
struct Composed {
  std::vector<double> mass;
  double error;
};

Composed convolve(const std::vector<TiltedPart>& parts, std::size_t size) {
  const RealFft fft(size);
  const double gamma = fft.error_factor();
  std::vector<Complex> product(size / 2 + 1, 1.0);
  std::vector<double> log_bound(size / 2 + 1, 0.0);
  double rounding = 4.0 * kUnit;
  for (const TiltedPart& part : parts) {
    std::vector<double> circle(size, 0.0);
    double norm = 0.0;
    const auto n = static_cast<std::int64_t>(size);
    auto at = static_cast<std::size_t>((part.grid.first % n + n) % n);
    for (const double mass : part.grid.mass) {
      circle[at] += mass;
      norm += mass;
      if (++at == size) at = 0;
    }
    const std::vector<Complex> spectrum = fft.forward(circle);
    rounding += 6.0 * kUnit * part.count;
    for (std::size_t k = 0; k < spectrum.size(); ++k) {
      const double size_k = std::sqrt(std::norm(spectrum[k]));
      log_bound[k] += part.count * std::log(size_k + gamma * norm);
      // Below e^-80 the whole coefficient is counted as error: it is cheaper than the power, and too small to matter.
      product[k] = log_bound[k] < -80.0 ? Complex(0.0) : product[k] * power(spectrum[k], part.repetitions);
    }
  }
  // |(z + e)^n - z^n| <= (|z| + |e|)^n - |z|^n, and the same for products of powers.
  double size_sum = 0.0, error_sum = 0.0;
  for (std::size_t k = 0; k < product.size(); ++k) {
    const double weight = k == 0 || k + 1 == product.size() ? 1.0 : 2.0;
    const double value = std::abs(product[k]);
    size_sum += weight * value;
    error_sum += weight * (std::max(0.0, std::exp(log_bound[k]) * (1.0 + rounding) - value) + rounding * value);
  }
  const double error = (error_sum + gamma * (size_sum + error_sum)) / static_cast<double>(size);
  return {fft.inverse(std::move(product)), error};
}

/// P(loss = infinity) of the whole, rounded up.
double composed_infinity(const std::vector<TiltedPart>& parts) {
  double log_finite = 0.0;
  for (const TiltedPart& part : parts) {
    if (part.grid.infinity >= 1.0) return 1.0;
    log_finite += part.count * std::log1p(-part.grid.infinity);
  }
  return -std::expm1(log_finite) * (1.0 + 8.0 * kUnit);
}

/// Walks down from the top of the window to the epsilon where the sum of mass * (1 - e^(epsilon - loss)) reaches delta.
/// All masses are relative to e^(log_scale - tilt (loss - origin)).
struct Walk {
  double epsilon, error_share;
};

Walk descend(const Composed& composed, const PldWindow& window, double target) {
  const auto size = static_cast<std::int64_t>(composed.mass.size());
  const std::int64_t top = window.first + size - 1;
  const double top_loss = static_cast<double>(top) * window.step - window.origin;
  Powers weight(-window.tilt * top_loss, window.tilt * window.step);
  Powers discount(-top_loss, window.step);
  double sum = 0.0, discounted = 0.0, errors = 0.0;
  for (std::int64_t m = top; m >= window.first; --m) {
    const double w = weight.next(), d = discount.next();
    const double here = sum - discounted / std::max(d, 1e-300);
    if (!(here <= target) && m < top) {
      if (!std::isfinite(sum) || !std::isfinite(target)) return {kInfinity, errors};
      // Between this grid point and the one above, delta is linear in e^epsilon.
      const double below = static_cast<double>(m) * window.step, above = static_cast<double>(m + 1) * window.step;
      const double found = window.origin + std::log((sum - target) / discounted);
      return {found >= below && found <= above ? found : above, errors};
    }
    const auto at = static_cast<std::size_t>((m % size + size) % size);
    sum += (std::max(composed.mass[at], 0.0) + composed.error) * w;
    discounted += (std::max(composed.mass[at], 0.0) + composed.error) * w * d;
    errors += composed.error * w;
  }
  // All of the window costs less than the target: its lower end is proved, if not the best.
  return {std::isfinite(sum) ? static_cast<double>(window.first) * window.step : kInfinity, errors};
}

/// A bound on P(loss above the window), by Chernoff.
double mass_above(const std::vector<TiltedPart>& parts, const PldWindow& window, double log_scale) {
  if (window.nothing_above) return 0.0;
  const double top = static_cast<double>(window.first + static_cast<std::int64_t>(window.size)) * window.step;
  return std::exp(log_scale + log_moment(parts, window.order) - (window.order + window.tilt) * top);
}

/// Share of delta kept back for rounding outside of the Fourier transform: of the models' delta curves, of the weights
/// of the tilt, whose exponents may be large, and of plain sums. Each of them is a relative error of a part's masses,
/// and adds up over its runs.
double slack(const std::vector<TiltedPart>& parts, double tilt) {
  double total = 1e-9;
  for (const TiltedPart& part : parts) {
    const double reach = std::max(std::abs(part.grid.loss(0)), std::abs(part.grid.loss(part.grid.mass.size() - 1)));
    total += part.count * kUnit * (64.0 + tilt * reach + std::abs(part.log_scale));
  }
  return total;
}

/// Any tilt is as correct. Where rare large losses take over, a little less than that of the saddle point leaves them
/// out of the tilted distribution, which is far narrower then.
PldWindow smallest_window(const Composition& composition, Direction direction, double delta, Saddle saddle,
                          const PldOptions& options) {
  constexpr std::size_t kLarge = 1 << 19;
  PldWindow best = choose_window(composition, direction, delta, saddle, options);
  for (int i = 0; i < 3 && best.size > kLarge; ++i) {
    saddle.tilt *= 0.85;
    PldWindow other = choose_window(composition, direction, delta, saddle, options);
    if (other.size < best.size) best = std::move(other);
  }
  return best;
}

PldResult one_pass(const Composition& composition, Direction direction, double delta, const Saddle& saddle,
                   const PldOptions& options) {
  const PldWindow window = smallest_window(composition, direction, delta, saddle, options);
  // Losses so large that no grid of doubles holds them: nothing useful can be said.
  if (!(window.step < 50.0)) return {kInfinity, window.step, 0.0, 0.0, 0};
  const std::vector<TiltedPart> parts = discretise(composition, direction, window);
  const Composed composed = convolve(parts, window.size);
  double log_scale = 0.0;
  for (const TiltedPart& part : parts) log_scale += part.count * part.log_scale;
  const double truncation = composed_infinity(parts) + mass_above(parts, window, log_scale);
  PldResult result{kInfinity, window.step, truncation, 0.0, window.size};
  const double left = delta * (1.0 - slack(parts, window.tilt)) - truncation;
  if (!(left > 0.0)) return result;
  const double log_unit = log_scale - window.tilt * window.origin;
  const Walk walk = descend(composed, window, std::exp(std::log(left) - log_unit));
  result.roundoff = walk.error_share * std::exp(log_unit);
  result.epsilon = walk.epsilon + 1e-13 * (std::abs(walk.epsilon) + std::abs(window.origin));
  result.epsilon = std::max(0.0, result.epsilon);
  return result;
}

/// Where rare large losses decide, the saddle point is a poor guess of epsilon: the first result is a better one.
/// Whatever the grid gives, no loss is larger than the sum of all largest ones.
PldResult one_direction(const Composition& composition, Direction direction, double delta, const Saddle& saddle,
                        const PldOptions& options) {
  PldResult result = one_pass(composition, direction, delta, saddle, options);
  if (!std::isinf(result.epsilon) && std::abs(result.epsilon - saddle.epsilon) > 0.2 * saddle.epsilon) {
    const Saddle closer{saddle.tilt, result.epsilon, saddle.width};
    const PldResult second = one_pass(composition, direction, delta, closer, options);
    if (second.epsilon < result.epsilon) result = second;
  }
  result.epsilon = std::min(result.epsilon, composition.largest_loss(direction));
  return result;
}

PldResult both_directions(const Composition& composition, double delta, const PldOptions& options) {
  const double finite_delta = delta - composition.infinity_mass();
  Direction direction = Direction::remove, other = Direction::add;
  Saddle saddle = find_saddle(composition, direction, finite_delta);
  if (composition.symmetric()) return one_direction(composition, direction, delta, saddle, options);
  Saddle other_saddle = find_saddle(composition, other, finite_delta);
  if (other_saddle.epsilon > saddle.epsilon) {
    std::swap(direction, other);
    std::swap(saddle, other_saddle);
  }
  const PldResult result = one_direction(composition, direction, delta, saddle, options);
  if (composition.largest_loss(other) <= result.epsilon) return result;  // proved without a grid
  // The other direction is usually far below: a coarse grid proves it.
  PldOptions coarse = options;
  coarse.tolerance = 100.0 * options.tolerance;
  PldResult second = one_direction(composition, other, delta, other_saddle, coarse);
  if (second.epsilon > result.epsilon) second = one_direction(composition, other, delta, other_saddle, options);
  return second.epsilon > result.epsilon ? second : result;
}

}  // namespace

PldResult pld_epsilon(const Composition& composition, double delta, const PldOptions& options) {
  if (composition.empty()) return {0.0, 0.0, 0.0, 0.0, 0};
  if (!(delta > composition.infinity_mass())) return {kInfinity, 0.0, composition.infinity_mass(), 0.0, 0};
  if (composition.largest_loss(Direction::remove) == 0.0) return {0.0, 0.0, composition.infinity_mass(), 0.0, 0};
  return both_directions(composition, delta, options);
}

}  // namespace sosia::accounting
