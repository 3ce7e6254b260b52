// SPDX-License-Identifier: Apache-2.0
#include "methods/single_counts.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "features/marginals.h"
#include "privacy/lattice.h"

namespace sosia {

double count_sigma(double noise, std::size_t slots, const Promise& promise) {
  constexpr std::int64_t kRowLimit = std::int64_t{1} << 31;
  return make_lattice({.noise = noise,
                       .norm_bound = std::sqrt(static_cast<double>(slots)),
                       .nonnegative = true,
                       .relation = promise.relation,
                       .max_rows = promise.unit.max_rows,
                       .row_limit = kRowLimit})
      .sigma();
}

void append(const Release& release, std::span<const CountSlot> slots, const std::vector<FieldSet>& sets,
            std::vector<Measurement>& list) {
  std::size_t first = 0;
  for (std::size_t j = 0; j < slots.size(); ++j) {
    Measurement known{sets[j], {}, release.sigma() / slots[j].weight};
    for (const double value : release.values().subspan(first, slots[j].width)) {
      known.counts.push_back(value / slots[j].weight);
    }
    first += slots[j].width;
    list.push_back(std::move(known));
  }
}

double total_rows(const std::vector<Measurement>& list) {
  double weights = 0.0, sum = 0.0;
  for (const Measurement& known : list) {
    const double total = std::accumulate(known.counts.begin(), known.counts.end(), 0.0);
    const double variance = std::max(known.sigma * known.sigma, 1e-9) * static_cast<double>(known.counts.size());
    weights += 1.0 / variance;
    sum += total / variance;
  }
  return std::max(1.0, weights > 0.0 ? sum / weights : 1.0);
}

Measurements single_counts(const PrivateTable& table, const Outline& outline, const NoisySum& how, Ledger& ledger,
                           ThreadPool& threads) {
  Measurements measured{Grouping::identity(outline.widths), {}, {}, 1.0};
  std::vector<Marginals::Weighted> sets;
  std::vector<FieldSet> fields;
  for (int f = 0; f < static_cast<int>(outline.widths.size()); ++f) {
    sets.push_back({{f}, 1.0});
    fields.push_back({f});
  }
  const Marginals map(measured.grouping, sets);
  append(ledger.noisy_counts(table, map, how, threads), map.slots(), fields, measured.list);
  measured.rows = outline.rows.value_or(total_rows(measured.list));
  for (const std::uint32_t width : outline.widths) measured.spread.emplace_back(width, 1.0F);
  return measured;
}

}  // namespace sosia
