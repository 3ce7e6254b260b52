// SPDX-License-Identifier: Apache-2.0
#include "methods/single_counts.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "features/marginals.h"
#include "privacy/accounting/normal.h"

namespace sosia {

void append(const Release& release, const std::vector<Marginals::Weighted>& sets, Measurements& measured) {
  std::span<const double> values = release.values();
  for (const Marginals::Weighted& set : sets) {
    const std::size_t cells = cells_of(set.views, measured.views);
    Measurement known{set.views, {}, release.sigma() / set.weight};
    for (const double value : values.first(cells)) known.counts.push_back(value / set.weight);
    values = values.subspan(cells);
    measured.list.push_back(std::move(known));
  }
}

void drop_unseen(const Outline& outline, Measurements& singles) {
  constexpr double kFalseAlarm = 0.01;  // in all columns together
  const double sigmas = accounting::normal_upper_quantile(kFalseAlarm / static_cast<double>(2 * singles.fields));
  for (std::size_t f = 0; f < singles.fields; ++f) {
    std::vector<double>& counts = singles.list[f].counts;
    for (std::size_t s = counts.size() - outline.spare[f]; s < counts.size(); ++s) {
      if (counts[s] < sigmas * singles.list[f].sigma) counts[s] = 0.0;
    }
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
  Measurements measured;
  measured.fields = outline.widths.size();
  std::vector<Marginals::Weighted> sets;
  for (int f = 0; f < static_cast<int>(measured.fields); ++f) {
    const std::uint32_t width = outline.widths[static_cast<std::size_t>(f)];
    measured.views.push_back(View::finest(f, width));
    measured.spread.emplace_back(width, 1.0F);
    sets.push_back({{f}, 1.0});
  }
  append(ledger.noisy_counts(table, Marginals(measured.views, sets), how, threads), sets, measured);
  measured.rows = outline.rows.value_or(total_rows(measured.list));
  return measured;
}

}  // namespace sosia
