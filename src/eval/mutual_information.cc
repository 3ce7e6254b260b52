// SPDX-License-Identifier: Apache-2.0
// Mutual information of every two columns, from their tables of counts, numbers in bins, in nats. Nothing is corrected:
// small tables have too much of it, which is what the floor shows. The score is the mean absolute difference between
// real and made over pairs (pairs.h).
#include <algorithm>
#include <atomic>
#include <cmath>

#include "eval/category_columns.h"
#include "eval/contingency.h"
#include "eval/metrics.h"
#include "eval/pairs.h"

namespace sosia::eval {

namespace {

/// Of both tables at once: they are counted together.
struct Information {
  double real = 0.0, made = 0.0;
};

double term(double joint, double first, double second) {
  return joint > 0.0 ? joint * std::log(joint / (first * second)) : 0.0;
}

using Shares = std::vector<std::vector<double>>;

Shares all_shares(const Rows& rows, const Outline& outline) {
  Shares shares;
  for (std::size_t c = 0; c < outline.size(); ++c) shares.push_back(shares_of(rows, outline, c));
  return shares;
}

Finding measure(const Comparison& comparison) {
  const std::vector<ColumnSet> pairs = pairs_of(comparison, [](const ColumnOutline&) { return true; });
  const Shares real = all_shares(comparison.real, comparison.outline);
  const Shares made = all_shares(comparison.made, comparison.outline);
  const auto real_rows = static_cast<double>(comparison.real.count);
  const auto made_rows = static_cast<double>(comparison.made.count);
  std::vector<double> of_real(pairs.size()), of_made(pairs.size());
  std::atomic<std::size_t> next = 0;
  comparison.pool.run([&](int) {
    Contingency table;
    for (std::size_t i = next++; i < pairs.size(); i = next++) {
      const std::size_t a = pairs[i][0], b = pairs[i][1];
      Information sum;
      table.count(comparison.outline, pairs[i], comparison.real, comparison.made);
      table.for_cells([&](std::uint64_t key, std::uint32_t in_real, std::uint32_t in_made) {
        const std::uint64_t first = key / comparison.outline[b].states, second = key % comparison.outline[b].states;
        sum.real += term(in_real / real_rows, real[a][first], real[b][second]);
        sum.made += term(in_made / made_rows, made[a][first], made[b][second]);
      });
      // Roundings may leave a trace below 0.
      of_real[i] = std::max(0.0, sum.real);
      of_made[i] = std::max(0.0, sum.made);
    }
  });
  return compare_pairs(comparison, pairs, of_real, of_made);
}

}  // namespace

Metric mutual_information_metric() {
  return {
      .info = {.name = "mutual_information", .summary = "mutual information of columns, mean difference over pairs"},
      .measure = measure,
      .describes = true};
}

}  // namespace sosia::eval
