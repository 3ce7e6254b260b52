// SPDX-License-Identifier: Apache-2.0
// Dimension-wise probability: the share of rows in each state of each column, numbers in bins, real beside made. The
// score is the mean absolute difference over all states that are not empty in both.
#include <cmath>

#include <fmt/format.h>

#include "eval/category_columns.h"
#include "eval/metrics.h"

namespace sosia::eval {

namespace {

/// Bins by their number: where they begin may be somebody's value.
std::string label_of(const ColumnOutline& column, std::size_t state) {
  if (!column.is_number()) return column.labels[state];
  return column.may_be_missing && state + 1 == column.states ? "(missing)" : fmt::format("bin {}", state + 1);
}

Finding measure(const Comparison& comparison) {
  Finding found;
  double sum = 0.0;
  std::size_t states = 0;
  for (std::size_t c = 0; c < comparison.outline.size(); ++c) {
    const ColumnOutline& column = comparison.outline[c];
    const std::vector<double> real = shares_of(comparison.real, comparison.outline, c);
    const std::vector<double> made = shares_of(comparison.made, comparison.outline, c);
    for (std::size_t s = 0; s < real.size(); ++s) {
      found.parts.push_back({{column.name, label_of(column, s)}, made[s]});
      if (real[s] + made[s] > 0.0) ++states;
      sum += std::abs(real[s] - made[s]);
    }
  }
  found.value = sum / static_cast<double>(states);
  return found;
}

}  // namespace

Metric probability_metric() {
  return {.info = {.name = "probability", .summary = "share of rows in each state of each column, mean difference"},
          .measure = measure,
          .describes = true};
}

}  // namespace sosia::eval
