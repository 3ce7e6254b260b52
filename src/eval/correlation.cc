// SPDX-License-Identifier: Apache-2.0
// Pearson's correlation of every two ordered columns: numbers as they are, ordinal and boolean ones by the place of
// their value. Rows that lack one of the two are left out; a column without variation has correlation 0. The score is
// the mean absolute difference between real and made over pairs (pairs.h).
#include <limits>

#include "eval/metrics.h"
#include "eval/order_statistics.h"
#include "eval/pairs.h"

namespace sosia::eval {

namespace {

std::vector<double> values_of(const Rows& rows, const Outline& outline, std::size_t column) {
  if (outline[column].is_number()) return rows.numbers[column];
  std::vector<double> values;
  for (const std::uint32_t code : rows.codes[column]) {
    // `other` and missing have no place in the order.
    values.push_back(code < outline[column].values ? code : std::numeric_limits<double>::quiet_NaN());
  }
  return values;
}

std::vector<double> correlations(const Rows& rows, const Comparison& comparison, const std::vector<ColumnSet>& pairs) {
  std::vector<std::vector<double>> values(comparison.outline.size());
  for (std::size_t c = 0; c < values.size(); ++c) {
    if (comparison.outline[c].is_ordered()) values[c] = values_of(rows, comparison.outline, c);
  }
  std::vector<double> found(pairs.size());
  comparison.pool.parallel_for(static_cast<std::int64_t>(pairs.size()), [&](std::int64_t i) {
    const ColumnSet& pair = pairs[static_cast<std::size_t>(i)];
    found[static_cast<std::size_t>(i)] = correlation(values[pair[0]], values[pair[1]]);
  });
  return found;
}

Finding measure(const Comparison& comparison) {
  const std::vector<ColumnSet> pairs =
      pairs_of(comparison, [](const ColumnOutline& column) { return column.is_ordered(); });
  return compare_pairs(comparison, pairs, correlations(comparison.real, comparison, pairs),
                       correlations(comparison.made, comparison, pairs));
}

}  // namespace

Metric correlation_metric() {
  return {.info = {.name = "correlation", .summary = "correlation of ordered columns, mean difference over pairs"},
          .measure = measure,
          .describes = true};
}

}  // namespace sosia::eval
