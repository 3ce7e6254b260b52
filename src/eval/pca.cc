// SPDX-License-Identifier: Apache-2.0
// Principal components of the real rows: the plane in which they, as vectors of features.h with every feature
// standardised, vary most. Rows of both tables are projected on it, each component in standard deviations of the real
// rows. The parts are the shares of rows in squares of half a deviation, from -4 to 4, outer ones holding what is
// beyond; the score is the total variation distance between the two. Up to 20,000 rows of each table are used.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "eval/metrics.h"
#include "eval/plane.h"

namespace sosia::eval {

namespace {

constexpr std::size_t kMostRows = 20000;
constexpr std::size_t kSide = 16;
constexpr double kReach = 4.0, kStep = 0.5;

std::size_t step_of(double x) {
  const double step = std::floor((x + kReach) / kStep);
  return static_cast<std::size_t>(std::clamp(step, 0.0, static_cast<double>(kSide - 1)));
}

std::vector<double> histogram(const Plane& plane, const Rows& rows, std::span<const std::size_t> indices) {
  std::vector<double> shares(kSide * kSide, 0.0);
  for (const auto& [x, y] : plane.project(rows, indices)) {
    shares[step_of(x) * kSide + step_of(y)] += 1.0 / static_cast<double>(indices.size());
  }
  return shares;
}

std::string label(const char* name, std::size_t step) {
  return fmt::format("{} from {}", name, kStep * static_cast<double>(step) - kReach);
}

Finding measure(const Comparison& comparison) {
  PublicRng rng = rng_of(comparison.seed, Stream::plane_rows);
  const std::vector<std::size_t> real_rows = draw_rows(comparison.real.count, kMostRows, rng);
  const std::vector<std::size_t> made_rows = draw_rows(comparison.made.count, kMostRows, rng);
  const Plane plane(comparison.outline, comparison.real, real_rows, comparison.pool);
  const std::vector<double> real = histogram(plane, comparison.real, real_rows);
  const std::vector<double> made = histogram(plane, comparison.made, made_rows);
  Finding found;
  for (std::size_t i = 0; i < made.size(); ++i) {
    found.parts.push_back({{label("first", i / kSide), label("second", i % kSide)}, made[i]});
    found.value += std::abs(real[i] - made[i]) / 2.0;
  }
  found.counted = {{"real rows", static_cast<double>(real_rows.size())},
                   {"made rows", static_cast<double>(made_rows.size())},
                   {"variance of first", plane.explained()[0]},
                   {"variance of second", plane.explained()[1]}};
  return found;
}

}  // namespace

Metric pca_metric() {
  return {.info = {.name = "pca", .summary = "distance of histograms in the plane where the real rows vary most"},
          .measure = measure,
          .describes = true};
}

}  // namespace sosia::eval
