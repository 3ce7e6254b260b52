// SPDX-License-Identifier: Apache-2.0
#include "privacy/accounting/pld_window.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "privacy/accounting/fft.h"

namespace sosia::accounting {

namespace {

constexpr double kCheapPoints = 1 << 18;  // below this a finer grid costs next to nothing

/// The loss range of each part that matters under the tilt.
std::vector<LossModel::Range> part_ranges(const Composition& composition, Direction direction, double delta,
                                          const PldOptions& options, double tilt) {
  const double steps = composition.steps();
  const double tail = std::max(1e-300, options.lost * delta / steps);
  std::vector<LossModel::Range> ranges;
  for (const Part& part : composition.parts()) {
    LossModel::Range range = part.model->range(tail, direction);
    // Far below, the tilted mass is nothing even if all of the probability were there.
    const double moment = part.model->log_moment(tilt, direction).real();
    const double least = (moment + std::log(options.lost / steps)) / tilt;
    range.lowest = std::min(std::max(range.lowest, least), range.highest);
    ranges.push_back(range);
  }
  return ranges;
}

/// The largest step <= `step` of which all atoms are multiples; 0 if there is none at a reasonable price.
double common_step(const Composition& composition, double base, double step) {
  const double least = std::max(1.0, std::ceil(base / step));
  const auto fits = [&](double divisor) {
    return std::all_of(composition.parts().begin(), composition.parts().end(), [&](const Part& part) {
      const double multiple = part.model->atom() * divisor / base;
      return std::abs(multiple - std::round(multiple)) < 1e-9 * std::max(1.0, multiple);
    });
  };
  for (double divisor = least; divisor <= least + 2000.0; divisor += 1.0) {
    if (fits(divisor)) return base / divisor;
  }
  return 0.0;
}

/// True if the loss takes only multiples of the model's atom: its characteristic function is then periodic.
bool on_lattice(const LossModel& model, Direction direction) {
  if (model.atom() == 0.0) return model.pure_epsilon() == 0.0;
  const std::complex<double> turned(1.0, 2.0 * std::numbers::pi / model.atom());
  return std::abs(std::exp(model.log_moment(turned, direction) - model.log_moment(1.0, direction)) - 1.0) < 1e-9;
}

double largest_atom(const Composition& composition) {
  double largest = 0.0;
  for (const Part& part : composition.parts()) largest = std::max(largest, part.model->atom());
  return largest;
}

/// The coarsest grid that holds every loss there is; 0 if there is none. It is exact, whatever its step.
double lattice_step(const Composition& composition, Direction direction) {
  const bool atomic = std::all_of(composition.parts().begin(), composition.parts().end(),
                                  [&](const Part& part) { return on_lattice(*part.model, direction); });
  const double base = largest_atom(composition);
  return atomic && base > 0.0 ? common_step(composition, base, base) : 0.0;
}

/// A step near the one wanted that puts atoms on the grid.
double align(const Composition& composition, double step) {
  const double base = largest_atom(composition);
  if (base < step) return step;
  const double common = common_step(composition, base, step);
  return common > 0.0 ? common : base / std::ceil(base / step);
}

/// The widest extent of the composed losses, and the sum of those of the parts.
struct Extent {
  double lowest = 0.0, highest = 0.0, parts_width = 0.0;
};

Extent extent_of(const Composition& composition, const std::vector<LossModel::Range>& ranges) {
  Extent extent;
  for (std::size_t j = 0; j < ranges.size(); ++j) {
    const auto count = static_cast<double>(composition.parts()[j].count);
    extent.lowest += count * ranges[j].lowest;
    extent.highest += count * ranges[j].highest;
    extent.parts_width += ranges[j].highest - ranges[j].lowest;
  }
  return extent;
}

/// The grid's step for a window and parts of `extent` in all.
double choose_step(const Composition& composition, const Saddle& saddle, double extent, const PldOptions& options) {
  const double runs = composition.steps() + 2.0;
  const double goal = options.tolerance * std::max(saddle.epsilon, 0.1 * saddle.width);
  double step = std::sqrt(12.0 * goal / (runs * (saddle.tilt + 1.0)));
  step = std::min(step, 0.1 / (saddle.tilt + 1.0));
  // As fine as is cheap; but close to the largest loss there is, not so fine that the second differences of delta drown
  // in rounding.
  double finest = extent / kCheapPoints;
  if (saddle.tilt * saddle.epsilon > 300.0) finest = std::max(finest, 1e-3 / saddle.tilt);
  step = std::min(step, finest);
  return std::max(step, extent / (0.8 * static_cast<double>(options.most_points)));
}

/// First and last index of each part's grid: a little more than its range, so that atoms at the ends do not fall victim
/// to rounding.
void set_spans(PldWindow& window, const std::vector<LossModel::Range>& ranges) {
  for (const LossModel::Range& range : ranges) {
    const auto first = static_cast<std::int64_t>(std::floor(range.lowest / window.step + 1e-6)) - 1;
    const auto last = static_cast<std::int64_t>(std::ceil(range.highest / window.step - 1e-6)) + 1;
    window.spans.emplace_back(std::min<std::int64_t>(first, last - 1), std::max<std::int64_t>(last, 1));
  }
}

}  // namespace

PldWindow choose_window(const Composition& composition, Direction direction, double delta, const Saddle& guess,
                        const PldOptions& options) {
  const double lattice = lattice_step(composition, direction);
  Saddle saddle = guess;
  if (lattice > 0.0) saddle.tilt = std::min(saddle.tilt, 10.0 / lattice);  // lest the weights overflow
  const auto ranges = part_ranges(composition, direction, delta, options, saddle.tilt);
  const Extent extent = extent_of(composition, ranges);
  // delta in units of the tilted mass, e^(K(tilt) - tilt epsilon).
  const double log_moment = composition.log_moment(saddle.tilt, direction).real();
  const double finite = std::max(delta - composition.infinity_mass(), 1e-300);
  const double share = std::min(1.0, std::exp(std::log(finite) - log_moment + saddle.tilt * saddle.epsilon));
  const Reach reach = tilted_reach(composition, direction, saddle, options.lost * share);
  const double bottom = std::max(extent.lowest, std::min(reach.lowest, saddle.epsilon));
  const double top = std::min(extent.highest, reach.decay);
  const double width = std::max(top - bottom, std::min(extent.highest, reach.highest) - saddle.epsilon);

  double step = choose_step(composition, saddle, width + extent.parts_width, options);
  step = lattice >= step ? lattice : align(composition, step);
  PldWindow window{saddle.tilt, reach.decay_order, saddle.epsilon, step, 0, 0, false, {}};
  set_spans(window, ranges);
  double least = 0.0, most = 0.0;
  for (std::size_t j = 0; j < ranges.size(); ++j) {
    const auto count = static_cast<double>(composition.parts()[j].count);
    least += count * static_cast<double>(window.spans[j].first);
    most += count * static_cast<double>(window.spans[j].second);
  }
  const double first = std::max(least, std::floor(bottom / step) - 2.0);
  const double all = most - first + 1.0;
  window.first = static_cast<std::int64_t>(std::clamp(first, -1e17, 1e17));
  // Where the losses end inside the window, it ends there with them: nothing is above.
  const bool bounded = reach.decay >= extent.highest && all * step < 1.1 * width + 64.0 * step;
  const double points = bounded ? all : std::min(all, std::ceil(width / step) + 8.0);
  window.nothing_above = points == all;
  window.size = RealFft::fast_size(static_cast<std::size_t>(std::max(points, 16.0)));
  return window;
}

}  // namespace sosia::accounting
