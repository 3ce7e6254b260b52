// SPDX-License-Identifier: Apache-2.0
#include "eval/tvd.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "eval/contingency.h"

namespace sosia::eval {

namespace {

/// A second or so on one core, whatever the number of rows.
constexpr double kMostVisits = 4e8;
constexpr std::size_t kMostSets = 2000, kLeastSets = 100;

Finding measure(const Comparison& comparison, std::size_t k) {
  const std::vector<ColumnSet> sets = scored_sets(comparison, k);
  const std::vector<double> distances =
      total_variations(comparison.outline, sets, comparison.real, comparison.made, comparison.pool);
  const double sum = std::accumulate(distances.begin(), distances.end(), 0.0);
  Finding found{.value = sum / static_cast<double>(sets.size())};
  found.counted = {{"sets", static_cast<double>(sets.size())}, {"of", count_sets(comparison.outline.size(), k)}};
  for (std::size_t i = 0; i < sets.size() && k <= 2; ++i) {
    std::vector<std::string> names;
    for (const std::size_t c : sets[i]) names.push_back(comparison.outline[c].name);
    found.parts.push_back({std::move(names), distances[i]});
  }
  return found;
}

}  // namespace

std::vector<ColumnSet> scored_sets(const Comparison& comparison, std::size_t k) {
  const auto rows = static_cast<double>(comparison.real.count + comparison.made.count);
  const auto affordable = static_cast<std::size_t>(kMostVisits / rows);
  PublicRng rng = rng_of(comparison.seed, Stream::column_sets);
  return column_sets(comparison.outline.size(), k, std::clamp(affordable, kLeastSets, kMostSets), rng);
}

Metric tvd_metric(int k) {
  const std::string number = std::to_string(k);
  return {{.name = "tvd_" + number,
           .summary = "distance of " + number + "-way tables of counts: total variation, mean over sets of columns"},
          [k](const Comparison& comparison) { return measure(comparison, static_cast<std::size_t>(k)); }};
}

}  // namespace sosia::eval
