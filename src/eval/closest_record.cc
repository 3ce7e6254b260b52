// SPDX-License-Identifier: Apache-2.0
// Distance to the closest record (gower.h) from up to 5,000 made rows to up to 50,000 real ones: the median; its parts
// are the 5 % quantile and, with a holdout, the same two to the holdout. Distances shrink with the number of rows that
// one may be close to, so real rows and holdout are cut to the same number.
#include <algorithm>

#include "eval/closest_rows.h"
#include "eval/metrics.h"
#include "eval/order_statistics.h"

namespace sosia::eval {

namespace {

constexpr double kNear = 0.05, kMiddle = 0.5;

Finding measure(const Comparison& comparison) {
  const ClosestRows closest(comparison);
  const std::vector<double> real = sorted_numbers(closest.to_real);
  Finding found{.value = quantile(real, kMiddle)};
  found.parts.push_back({{"5 % quantile"}, quantile(real, kNear)});
  if (comparison.holdout != nullptr) {
    const std::vector<double> holdout = sorted_numbers(closest.to_holdout);
    found.parts.push_back({{"median to the holdout"}, quantile(holdout, kMiddle)});
    found.parts.push_back({{"5 % quantile to the holdout"}, quantile(holdout, kNear)});
  }
  found.counted = closest.counted;
  return found;
}

}  // namespace

Metric closest_record_metric() {
  return {{.name = "closest_record",
           .summary = "median distance to the closest real row; to be held against the holdout's",
           .group = MetricGroup::privacy,
           .better = Better::larger},
          measure};
}

}  // namespace sosia::eval
