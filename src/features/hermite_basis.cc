// SPDX-License-Identifier: Apache-2.0
#include "features/hermite_basis.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.h"

namespace sosia {

namespace {

constexpr int kLargestOrder = 400;  // exp(-decay t^2) of every stretch that is tried stays far above underflow

}  // namespace

HermiteBasis::HermiteBasis(const HermiteOptions& options) : options_(options) {
  SOSIA_CHECK(options.low < options.high && options.length_scale > 0.0 && options.stretch >= 0.0,
              "a range, a length scale above 0 and a stretch");
  SOSIA_CHECK(options.order >= 1 && options.order <= kLargestOrder, "an order from 1 to 400");
  if (options.stretch > 0.0) {
    set_stretch(options.stretch);
    return;
  }
  // Functions up to order C live on |t| < sqrt(2 C + 1). With too little of that the range is not resolved, with too
  // much its ends are not reached. The loss has one valley in between, and is flat in its bottom.
  constexpr int kCandidates = 64;
  constexpr double kNegligible = 1e-10;
  const double most = 1.2 * std::sqrt(2.0 * options.order + 1.0) / half_width();
  double best = 0.0, least = 2.0;
  for (int i = 1; i <= kCandidates; ++i) {
    const double stretch = most * static_cast<double>(i) / kCandidates;
    set_stretch(stretch);
    const double lost = std::max(loss(), kNegligible);
    if (lost < least) least = lost, best = stretch;
  }
  set_stretch(best);
}

void HermiteBasis::set_stretch(double stretch) {
  options_.stretch = stretch;
  const double s = std::pow(stretch * options_.length_scale, 2);
  rho_ = 1.0 / (s + std::sqrt(1.0 + s * s));
  start_ = std::pow(2.0 * s * rho_, 0.25);  // 1 - rho^2 = 2 s rho, again without a difference
  decay_ = rho_ / (1.0 + rho_);
  const auto size = static_cast<std::size_t>(options_.order) + 1;
  linear_.assign(size, 0.0), previous_.assign(size, 0.0), climb_.assign(size, 0.0);
  for (std::size_t k = 1; k < size; ++k) {
    const auto order = static_cast<double>(k);
    linear_[k] = std::sqrt(2.0 * rho_ / order);
    previous_[k] = rho_ * std::sqrt((order - 1.0) / order);
    climb_[k] = std::sqrt(2.0 * rho_ * order);
  }
}

void HermiteBasis::values(std::span<const double, kLanes> x, std::span<double> values) const {
  std::array<double, kLanes> t = {};
  for (std::size_t i = 0; i < kLanes; ++i) {
    t[i] = options_.stretch * (x[i] - middle());
    values[i] = start_ * std::exp(-decay_ * t[i] * t[i]);
    values[kLanes + i] = linear_[1] * t[i] * values[i];
  }
  for (std::size_t k = 2; k < size(); ++k) {
    double* const before = values.data() + (k - 2) * kLanes;
    double* const last = before + kLanes;
    double* const next = last + kLanes;
    for (std::size_t i = 0; i < kLanes; ++i) next[i] = linear_[k] * t[i] * last[i] - previous_[k] * before[i];
  }
}

void HermiteBasis::slopes(std::span<const double, kLanes> x, std::span<const double> values,
                          std::span<double> slopes) const {
  std::array<double, kLanes> fall = {};
  for (std::size_t i = 0; i < kLanes; ++i) {
    fall[i] = 2.0 * decay_ * options_.stretch * (x[i] - middle());
    slopes[i] = -options_.stretch * fall[i] * values[i];
  }
  for (std::size_t k = 1; k < size(); ++k) {
    const double* const last = values.data() + (k - 1) * kLanes;
    const double* const value = last + kLanes;
    for (std::size_t i = 0; i < kLanes; ++i) {
      slopes[k * kLanes + i] = options_.stretch * (climb_[k] * last[i] - fall[i] * value[i]);
    }
  }
}

template <class Visit>
void HermiteBasis::for_each_place(std::size_t points, const Visit& visit) const {
  std::vector<double> values_of(size() * kLanes);
  std::array<double, kLanes> x = {};
  for (std::size_t first = 0; first < points; first += kLanes) {
    for (std::size_t i = 0; i < kLanes; ++i) {
      const std::size_t place = std::min(first + i, points - 1);
      x[i] = middle() + half_width() * static_cast<double>(place) / static_cast<double>(points - 1);
    }
    values(x, values_of);
    visit(values_of, first, std::min(kLanes, points - first));
  }
}

double HermiteBasis::loss() const {
  double least = 1.0;
  for_each_place(4 * kLanes, [&](const std::vector<double>& values, std::size_t /*first*/, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      double squares = 0.0;
      for (std::size_t k = 0; k < size(); ++k) squares += values[k * kLanes + i] * values[k * kLanes + i];
      least = std::min(least, squares);
    }
  });
  return 1.0 - least;
}

double HermiteBasis::radius_about(std::span<const double> centre) const {
  // Sixty places to a length scale. Between two of them the squared distance f rises above the larger of the two by at
  // most max |f''| step^2 / 8, and |f''| <= 2 |phi'|^2 + 2 |phi - c| |phi''| <= (2 + 4 sqrt(3)) / l^2, because
  // |phi'| <= 1 / l and |phi''| <= sqrt(3) / l^2 (derivatives of the kernel on its diagonal) and |phi - c| <= 2.
  constexpr double kCurvature = 2.0 + 4.0 * 1.7320508075688772;
  const double widths = half_width() / options_.length_scale;
  const std::size_t points = 64 + static_cast<std::size_t>(std::min(60.0 * widths, 1e5));
  const double step = widths / static_cast<double>(points - 1);
  double largest = 0.0;
  for_each_place(points, [&](const std::vector<double>& values, std::size_t /*first*/, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      double above = 0.0, below = 0.0;  // of x and of its mirror image
      for (std::size_t k = 0; k < size(); ++k) {
        const double c = centre.empty() ? 0.0 : centre[k], value = values[k * kLanes + i];
        above += std::pow(value - c, 2);
        below += std::pow((k % 2 == 0 ? value : -value) - c, 2);
      }
      largest = std::max({largest, above, below});
    }
  });
  return std::sqrt(largest + kCurvature * step * step / 8.0);
}

Ball HermiteBasis::smallest_ball() const {
  // Step i goes 1/(i+1) of the way to the farthest point (Badoiu and Clarkson 2003). The set is its own mirror image,
  // so that its centre has no odd orders; a point and its image are taken together, which leaves the even ones.
  constexpr std::size_t kPoints = 256, kSteps = 1000;
  const std::size_t even = (size() + 1) / 2;
  std::vector<double> points(kPoints * even), squares(kPoints, 0.0), centre(even, 0.0);
  for_each_place(kPoints, [&](const std::vector<double>& values, std::size_t first, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < size(); ++k) {
        const double value = values[k * kLanes + i];
        squares[first + i] += value * value;
        if (k % 2 == 0) points[(first + i) * even + k / 2] = value;
      }
    }
  });
  for (std::size_t step = 0; step < kSteps; ++step) {
    std::size_t farthest = 0;
    double largest = -1e300;
    for (std::size_t p = 0; p < kPoints; ++p) {
      double product = 0.0;
      for (std::size_t k = 0; k < even; ++k) product += points[p * even + k] * centre[k];
      const double distance = squares[p] - 2.0 * product;  // up to |centre|^2, which all have in common
      if (distance > largest) largest = distance, farthest = p;
    }
    for (std::size_t k = 0; k < even; ++k) {
      centre[k] += (points[farthest * even + k] - centre[k]) / static_cast<double>(step + 1);
    }
  }
  Ball ball{std::vector<double>(size(), 0.0)};
  for (std::size_t k = 0; k < even; ++k) ball.centre[2 * k] = centre[k];
  ball.radius = radius_about(ball.centre);
  return ball;
}

}  // namespace sosia
