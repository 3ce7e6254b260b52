// SPDX-License-Identifier: Apache-2.0
// Jensen-Shannon divergence of the states of a category: half of KL(p, m) + KL(q, m) with m = (p + q) / 2, in nats; at
// most ln 2. The mean over boolean, categorical and ordinal columns.
#include <cmath>

#include "eval/category_columns.h"
#include "eval/metrics.h"

namespace sosia::eval {

namespace {

double divergence(std::span<const double> p, std::span<const double> q) {
  double sum = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double middle = (p[i] + q[i]) / 2.0;
    if (p[i] > 0.0) sum += p[i] * std::log(p[i] / middle);
    if (q[i] > 0.0) sum += q[i] * std::log(q[i] / middle);
  }
  return sum / 2.0;
}

}  // namespace

Metric jsd_metric() {
  return {{.name = "jsd", .summary = "categories: Jensen-Shannon divergence of shares, mean over columns"},
          [](const Comparison& comparison) { return of_category_columns(comparison, divergence); }};
}

}  // namespace sosia::eval
