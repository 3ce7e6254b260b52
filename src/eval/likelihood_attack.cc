// SPDX-License-Identifier: Apache-2.0
// Membership inference by a likelihood ratio (van Breugel et al. 2023, DOMIAS): how likely is the suspect among the
// made rows, by how likely it is among rows of the holdout? Both densities are the mean of exp(-d^2 / (2 h^2)) over
// rows, d being the distance of gower.h and h a quarter of the median distance from a suspect outside to the closest
// row of the reference: so close comes nothing but a copy.
#include <cmath>
#include <limits>

#include "eval/attack.h"
#include "eval/metrics.h"
#include "eval/order_statistics.h"
#include "simd/elementwise.h"
#include "simd/reduce.h"

namespace sosia::eval {

namespace {

std::vector<double> log_densities(const PlacedRows& suspects, const PlacedRows& rows, double width, ThreadPool& pool) {
  std::vector<double> sums(suspects.count, 0.0);
  const auto scale = static_cast<float>(-1.0 / (2.0 * width * width));
  for_distances(suspects, rows, pool, [&](std::size_t suspect, std::span<float> distances) {
    for (float& distance : distances) distance *= scale * distance;
    simd::exp(distances, distances);
    sums[suspect] += simd::sum(distances);
  });
  // As if one more row were near: a suspect that is far from everything is no sign of anything.
  for (double& sum : sums) sum = std::log((sum + 1.0) / static_cast<double>(rows.count));
  return sums;
}

Finding measure(const Comparison& comparison) {
  const Suspects suspects = draw_suspects(comparison, true);
  if (suspects.reference.count == 0)
    return {.value = std::numeric_limits<double>::quiet_NaN()};  // a holdout of one row
  const std::vector<double> closest =
      sorted_numbers(closest_distances(suspects.others, suspects.reference, comparison.pool));
  const double median = quantile(closest, 0.5);
  // Many equal rows: then a hundredth of a column that differs.
  const double width = median > 0.0 ? median / 4.0 : 0.01 / static_cast<double>(comparison.outline.size());
  const auto ratios = [&](const PlacedRows& rows) {
    std::vector<double> logs = log_densities(rows, suspects.made, width, comparison.pool);
    const std::vector<double> others = log_densities(rows, suspects.reference, width, comparison.pool);
    for (std::size_t i = 0; i < logs.size(); ++i) logs[i] -= others[i];
    return logs;
  };
  return success(ratios(suspects.members), ratios(suspects.others));
}

}  // namespace

Metric likelihood_attack_metric() {
  return {{.name = "likelihood_attack",
           .summary = "who was a real row, by a ratio of densities: area under the ROC curve",
           .group = MetricGroup::privacy,
           .better = Better::half,
           .needs_holdout = true},
          measure};
}

}  // namespace sosia::eval
