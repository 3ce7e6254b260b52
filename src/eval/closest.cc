// SPDX-License-Identifier: Apache-2.0
#include "eval/closest.h"

#include <algorithm>

#include "eval/gower.h"
#include "eval/metrics.h"
#include "eval/order_statistics.h"

namespace sosia::eval {

ClosestDistances closest_rows(const Comparison& comparison) {
  constexpr std::size_t kMostQueries = 5000, kMostReferences = 50000;
  const auto& [outline, real, made, holdout, target, seed, pool] = comparison;
  const Ruler ruler(outline, real);
  PublicRng rng = rng_of(seed, Stream::closest_rows);
  const std::size_t most = std::min(kMostReferences, holdout != nullptr ? holdout->count : real.count);
  const PlacedRows references = ruler.place(real, draw_rows(real.count, most, rng));
  const PlacedRows queries = ruler.place(made, draw_rows(made.count, kMostQueries, rng));
  ClosestDistances closest{
      closest_distances(queries, references, pool),
      {},
      {{"made rows", static_cast<double>(queries.count)}, {"real rows", static_cast<double>(references.count)}}};
  if (holdout == nullptr) return closest;
  const PlacedRows others = ruler.place(*holdout, draw_rows(holdout->count, references.count, rng));
  closest.to_holdout = closest_distances(queries, others, pool);
  closest.counted.emplace_back("holdout rows", static_cast<double>(others.count));
  return closest;
}

Finding closest_finding(const ClosestDistances& closest) {
  constexpr double kNear = 0.05, kMiddle = 0.5;
  const std::vector<double> real = sorted_numbers(closest.to_real);
  Finding found{.value = quantile(real, kMiddle), .counted = closest.counted};
  found.parts.push_back({{"5 % quantile"}, quantile(real, kNear)});
  if (closest.to_holdout.empty()) return found;
  const std::vector<double> holdout = sorted_numbers(closest.to_holdout);
  found.parts.push_back({{"median to the holdout"}, quantile(holdout, kMiddle)});
  found.parts.push_back({{"5 % quantile to the holdout"}, quantile(holdout, kNear)});
  return found;
}

Finding closer_share(const ClosestDistances& closest) {
  double closer = 0.0;
  for (std::size_t i = 0; i < closest.to_real.size(); ++i) {
    const double real = closest.to_real[i], holdout = closest.to_holdout[i];
    closer += real < holdout ? 1.0 : real == holdout ? 0.5 : 0.0;
  }
  return {.value = closer / static_cast<double>(closest.to_real.size()), .counted = closest.counted};
}

Metric closest_record_metric() {
  return {{.name = "closest_record",
           .summary = "median distance to the closest real row; to be held against the holdout's",
           .group = MetricGroup::privacy,
           .better = Better::larger},
          [](const Comparison& comparison) { return closest_finding(closest_rows(comparison)); }};
}

Metric closest_share_metric() {
  return {{.name = "closest_share",
           .summary = "share of rows that are closer to the real rows than to the holdout",
           .group = MetricGroup::privacy,
           .better = Better::half,
           .needs_holdout = true},
          [](const Comparison& comparison) { return closer_share(closest_rows(comparison)); }};
}

}  // namespace sosia::eval
