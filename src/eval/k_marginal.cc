// SPDX-License-Identifier: Apache-2.0
// The k-marginal score of NIST: 1000 (1 - the mean 3-way distance of tables of counts, see tvd.h). Its part says how
// large a random sub-sample of the real rows has the same score against all of them, as a share: an error like that of
// seeing so few.
#include <algorithm>
#include <cmath>

#include "eval/contingency.h"
#include "eval/metrics.h"
#include "eval/order_statistics.h"
#include "eval/tvd.h"

namespace sosia::eval {

namespace {

constexpr std::size_t kSetSize = 3;
constexpr std::size_t kSearchSets = 100;  // of columns, for the sub-sample of equal score
constexpr int kSearchSteps = 10;          // each halves the factor between two sizes

/// Sub-samples are the first rows in one random order, so that a larger one holds the smaller.
double equal_sub_sample(const Comparison& comparison) {
  const std::size_t rows = comparison.real.count;
  PublicRng rng = rng_of(comparison.seed, Stream::sub_sample);
  const auto sets = column_sets(comparison.outline.size(), kSetSize, kSearchSets, rng);
  const std::vector<std::size_t> order = draw_rows(rows, rows, rng);
  const auto distance = [&](const Rows& made) {
    return mean(total_variations(comparison.outline, sets, comparison.real, made, comparison.pool));
  };
  const double wanted = distance(comparison.made);
  double low = 1.0, high = static_cast<double>(rows);
  for (int step = 0; step < kSearchSteps && high - low > 1.0; ++step) {
    const double middle = std::floor(std::sqrt(low * high));
    const auto size = static_cast<std::size_t>(std::clamp(middle, 1.0, static_cast<double>(rows)));
    const bool is_enough = distance(take(comparison.real, std::span(order).first(size))) <= wanted;
    (is_enough ? high : low) = std::max(middle, low);
  }
  return high / static_cast<double>(rows);
}

Finding measure(const Comparison& comparison) {
  const auto sets = scored_sets(comparison, kSetSize);
  const double distance =
      mean(total_variations(comparison.outline, sets, comparison.real, comparison.made, comparison.pool));
  Finding found{.value = 1000.0 * (1.0 - distance)};
  if (!sets.empty()) found.parts.push_back({{"equal sub-sample"}, equal_sub_sample(comparison)});
  found.counted = {{"sets", static_cast<double>(sets.size())}, {"of", count_sets(comparison.outline.size(), kSetSize)}};
  return found;
}

}  // namespace

Metric k_marginal_metric() {
  return {{.name = "k_marginal",
           .summary = "NIST's score of 3-way tables, of 1000; its part: the share of real rows that score as much",
           .better = Better::larger},
          measure};
}

}  // namespace sosia::eval
