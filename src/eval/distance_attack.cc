// SPDX-License-Identifier: Apache-2.0
// Membership inference by distance: the closer the closest made row, the more likely a member (attack.h, gower.h).
#include <algorithm>
#include <functional>

#include "eval/attack.h"
#include "eval/metrics.h"

namespace sosia::eval {

namespace {

Finding measure(const Comparison& comparison) {
  const Suspects suspects = draw_suspects(comparison, false);
  const auto closeness = [&](const PlacedRows& rows) {
    std::vector<double> scores = closest_distances(rows, suspects.made, comparison.pool);
    std::transform(scores.begin(), scores.end(), scores.begin(), std::negate<>());
    return scores;
  };
  return success(closeness(suspects.members), closeness(suspects.others));
}

}  // namespace

Metric distance_attack_metric() {
  return {{.name = "distance_attack",
           .summary = "who was a real row, by the distance to the closest made row: area under the ROC curve",
           .group = MetricGroup::privacy,
           .better = Better::half,
           .needs_holdout = true},
          measure};
}

}  // namespace sosia::eval
