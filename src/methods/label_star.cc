// SPDX-License-Identifier: Apache-2.0
#include "methods/label_star.h"

#include <algorithm>
#include <cmath>

#include "features/marginals.h"
#include "methods/single_counts.h"

namespace sosia {

namespace {

constexpr std::uint32_t kMostClasses = 16;  // of the label, told apart in counts

}  // namespace

void measure_star(const RoundSource& source, int label, const ViewLadder& ladder, double most_values,
                  const NoisySum& of_counts, Measurements& measured) {
  const int label_view = ladder.with({}, label, kMostClasses).front();
  if (measured.views[static_cast<std::size_t>(label_view)].width < 2) return;
  double total = 0.0;
  std::vector<Marginals::Weighted> star;
  for (int field = 0; field < static_cast<int>(measured.fields); ++field) {
    if (field == label) continue;
    const int view = ladder.fitting({field}, most_values).front();
    if (measured.views[static_cast<std::size_t>(view)].width < 2) continue;
    ViewSet set{std::min(label_view, view), std::max(label_view, view)};
    const double weight = std::cbrt(static_cast<double>(cells_of(set, measured.views)));
    star.push_back({std::move(set), weight});
    total += weight * weight;
  }
  if (star.empty()) return;
  for (Marginals::Weighted& set : star) set.weight /= std::sqrt(total);
  append(source.ledger.noisy_counts(source.table, Marginals(measured.views, star), of_counts, source.threads), star,
         measured);
}

}  // namespace sosia
