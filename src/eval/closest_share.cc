// SPDX-License-Identifier: Apache-2.0
// Is a made row closer to the real rows than to as many rows of the holdout? The share of made rows that are, ties
// counting half, by the distances of closest_rows.h. 0.5 if they are no closer to rows that the model has seen.
#include "eval/closest_rows.h"
#include "eval/metrics.h"

namespace sosia::eval {

namespace {

Finding measure(const Comparison& comparison) {
  const ClosestRows closest(comparison);
  double closer = 0.0;
  for (std::size_t i = 0; i < closest.to_real.size(); ++i) {
    const double real = closest.to_real[i], holdout = closest.to_holdout[i];
    closer += real < holdout ? 1.0 : real == holdout ? 0.5 : 0.0;
  }
  return {.value = closer / static_cast<double>(closest.to_real.size()), .counted = closest.counted};
}

}  // namespace

Metric closest_share_metric() {
  return {{.name = "closest_share",
           .summary = "share of rows that are closer to the real rows than to the holdout",
           .group = MetricGroup::privacy,
           .better = Better::half,
           .needs_holdout = true},
          measure};
}

}  // namespace sosia::eval
