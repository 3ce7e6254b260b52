// SPDX-License-Identifier: Apache-2.0
#include "methods/label_round.h"

#include <algorithm>
#include <cmath>

#include "features/marginals.h"
#include "generate/fit_mixture.h"
#include "methods/pick_rule.h"
#include "methods/single_counts.h"

namespace sosia {

namespace {

/// The label beside every other field, each in a view that fits.
struct Slots {
  std::vector<View> views;  ///< the label's first
  std::vector<Marginals::Weighted> slots;
  std::vector<ViewSet> sets;    ///< the same in the numbers of the measured views
  std::vector<double> classes;  ///< their shares
  std::vector<double> chance;   ///< what each slot would score if it said nothing, in rows
};

std::vector<double> shares_of(const View& view, const Measurements& measured,
                              const std::vector<std::vector<double>>& shares) {
  const auto field = static_cast<std::size_t>(view.field);
  const std::vector<std::uint32_t> to = coarser_group(measured.views[field], view);
  std::vector<double> sums(view.width);
  for (std::size_t g = 0; g < to.size(); ++g) sums[to[g]] += shares[field][g];
  return sums;
}

Slots slots_of(int label, const ViewLadder& ladder, double most_cells, const std::vector<std::vector<double>>& shares,
               const Measurements& measured, bool has_own_shares) {
  const int label_view = ladder.with({}, label, kMostClasses).front();
  Slots out;
  out.views.push_back(measured.views[static_cast<std::size_t>(label_view)]);
  out.classes = shares_of(out.views.front(), measured, shares);
  const double most_values = std::max(2.0, most_cells / static_cast<double>(out.classes.size()));
  for (int field = 0; field < static_cast<int>(measured.fields); ++field) {
    if (field == label) continue;
    const int view = ladder.fitting({field}, most_values).front();
    out.slots.push_back({{0, static_cast<int>(out.views.size())}});
    out.views.push_back(measured.views[static_cast<std::size_t>(view)]);
    out.sets.push_back({std::min(label_view, view), std::max(label_view, view)});
    const std::vector<double> values = shares_of(out.views.back(), measured, shares);
    out.chance.push_back(chance_score(measured.rows, out.classes, values, has_own_shares));
  }
  return out;
}

}  // namespace

void set_weights(std::vector<Marginals::Weighted>& sets, const std::vector<View>& views) {
  double total = 0.0;
  for (Marginals::Weighted& set : sets) {
    set.weight = std::cbrt(static_cast<double>(cells_of(set.views, views)));
    total += set.weight * set.weight;
  }
  for (Marginals::Weighted& set : sets) set.weight /= std::sqrt(total);
}

void measure_with_label(const RoundSource& source, int label, const ViewLadder& ladder, double most_cells,
                        const std::vector<std::vector<double>>& shares, Picks picks, const NoisySum& of_counts,
                        Measurements& measured) {
  const bool has_own_shares = !needs_classes(source.ledger.promise().relation);
  Slots slots = slots_of(label, ladder, most_cells, shares, measured, has_own_shares);
  if (slots.classes.size() < 2) return;
  if (has_own_shares) std::fill(slots.classes.begin(), slots.classes.end(), 0.0);
  picks.chance = slots.chance;
  const std::vector<int> picked = source.ledger.private_picks(source.table, Marginals(slots.views, slots.slots),
                                                              slots.classes, picks, source.threads);
  std::vector<Marginals::Weighted> chosen;
  for (const int slot : picked) chosen.push_back({slots.sets[static_cast<std::size_t>(slot)], 1.0});
  set_weights(chosen, measured.views);
  append(source.ledger.noisy_counts(source.table, Marginals(measured.views, chosen), of_counts, source.threads), chosen,
         measured);
}

}  // namespace sosia
