// SPDX-License-Identifier: Apache-2.0
// Minorities that are left out: the share, among values of categories that at most 5 % of the real rows have (and at
// least one has), of those that no made row has. The parts are their shares of the rows.
#include <limits>

#include "eval/category_columns.h"
#include "eval/metrics.h"

namespace sosia::eval {

namespace {

constexpr double kMinority = 0.05;

Finding measure(const Comparison& comparison) {
  Finding found;
  double missed = 0.0;
  for (std::size_t c = 0; c < comparison.outline.size(); ++c) {
    const ColumnOutline& column = comparison.outline[c];
    if (column.is_number()) continue;
    const std::vector<double> real = shares_of(comparison.real, comparison.outline, c);
    const std::vector<double> made = shares_of(comparison.made, comparison.outline, c);
    for (std::size_t s = 0; s < column.values; ++s) {
      if (real[s] <= 0.0 || real[s] > kMinority) continue;
      found.parts.push_back({{column.name, column.labels[s]}, made[s]});
      if (made[s] <= 0.0) missed += 1.0;
    }
  }
  const auto minorities = static_cast<double>(found.parts.size());
  found.value = found.parts.empty() ? std::numeric_limits<double>::quiet_NaN() : missed / minorities;
  found.counted = {{"minorities", minorities}};
  return found;
}

}  // namespace

Metric minorities_metric() {
  return {.info = {.name = "minorities",
                   .summary = "values that at most 5 % of real rows have: the share of them that is missed",
                   .group = MetricGroup::coverage},
          .measure = measure,
          .describes = true};
}

}  // namespace sosia::eval
