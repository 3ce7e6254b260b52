// SPDX-License-Identifier: Apache-2.0
#include "privacy/accounting/loss_grid.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace sosia::accounting {

namespace {

/// delta at every grid point; at negative losses its excess over 1 - e^epsilon.
std::vector<double> sample_curve(const LossModel& model, Direction direction, double step, std::int64_t first,
                                 std::size_t count) {
  const Direction other = direction == Direction::remove ? Direction::add : Direction::remove;
  std::vector<double> curve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double loss = static_cast<double>(first + static_cast<std::int64_t>(i)) * step;
    curve[i] = loss < 0.0 ? std::exp(loss) * model.delta(-loss, other) : model.delta(loss, direction);
  }
  return curve;
}

/// Masses add up to 1 by construction, but for rounding, whatever the curve. Rounding may leave masses below 0 where
/// there is none: they become 0, which only adds. If that adds much, the curve is not convex: the model's delta was not
/// computed right in this range, and all mass is put at infinity, which dominates anything; so it is if the sum is
/// short of 1 by more than rounding, or not a number. A sum that is a little short is raised to 1: to move the rest to
/// infinity would be as sound, but would put an end to the small deltas.
void complete(LossGrid& grid) {
  constexpr double kMostMissing = 1e-9, kMostAdded = 1e-3;
  double sum = grid.infinity;
  for (double& mass : grid.mass) {
    mass = std::max(mass, 0.0);
    sum += mass;
  }
  if (!(sum >= 1.0 - kMostMissing && sum <= 1.0 + kMostAdded)) {
    std::fill(grid.mass.begin(), grid.mass.end(), 0.0);
    grid.infinity = 1.0;
    return;
  }
  if (sum >= 1.0) return;
  for (double& mass : grid.mass) mass *= 1.0 + 2.0 * (1.0 - sum);
}

}  // namespace

double LossGrid::delta(double epsilon) const {
  double sum = infinity;
  for (std::size_t i = 0; i < mass.size(); ++i) {
    if (loss(i) > epsilon) sum -= mass[i] * std::expm1(epsilon - loss(i));
  }
  return sum;
}

LossGrid connect_the_dots(const LossModel& model, Direction direction, double step, std::int64_t first,
                          std::int64_t last) {
  SOSIA_CHECK(step > 0.0 && last >= 1 && first < last, "a loss grid needs two points, the last one positive");
  const auto count = static_cast<std::size_t>(last - first) + 1;
  const std::vector<double> curve = sample_curve(model, direction, step, first, count);
  const double growth = std::exp(step), rise = std::expm1(step);
  LossGrid grid{step, first, std::vector<double>(count), curve.back()};
  for (std::size_t i = 1; i + 1 < count; ++i) {
    // At loss 0 the neighbour to the left is still an excess over 1 - e^epsilon.
    const bool at_zero = first + static_cast<std::int64_t>(i) == 0;
    const double left = curve[i - 1] - (at_zero ? std::expm1(-step) : 0.0);
    grid.mass[i] = ((curve[i + 1] - curve[i]) - growth * (curve[i] - left)) / rise;
  }
  const double first_slope = (curve[1] - curve[0]) / rise;
  grid.mass.front() = first < 0 ? first_slope - curve[0] : 1.0 - curve[0] + first_slope;
  grid.mass.back() = (curve[count - 2] - curve.back()) * growth / rise;
  complete(grid);
  return grid;
}

}  // namespace sosia::accounting
