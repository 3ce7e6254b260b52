// SPDX-License-Identifier: Apache-2.0
// A method that is told by its maps alone.
#pragma once

#include <utility>
#include <vector>

#include "methods/embeddings.h"

namespace sosia {

/// The maps of some columns, with shares that add up to 1: a function of public numbers, called again for each half.
/// Where the noise would drown the sums of all columns by class, it is called for the columns that are picked, and for
/// the others, of which sums over all rows are released (label_columns.h).
using MapsOf = std::vector<TargetMap> (*)(const OpenRows& rows, const Outline& outline, const Settings& settings,
                                          const Columns& columns);

/// The option of how many columns are picked.
MethodOption picks_option();

std::vector<PlannedRelease> plan_by_maps(MapsOf maps_of, const Outline& outline, const Settings& settings,
                                         const Ledger& ledger);
Released release_by_maps(MapsOf maps_of, const PrivateTable& table, const Outline& outline, const Settings& settings,
                         Ledger& ledger, ThreadPool& threads);
std::shared_ptr<const Generator> train_by_maps(MapsOf maps_of, const Released& released, const Training& training);

template <MapsOf kMapsOf>
Method embedding_method(MethodInfo info) {
  info.options.push_back(picks_option());
  return {
      std::move(info), NumberCoding::scaled,
      [](const Outline& outline, const Settings& settings, const Ledger& ledger) {
        return plan_by_maps(kMapsOf, outline, settings, ledger);
      },
      [](const PrivateTable& table, const Outline& outline, const Settings& settings, Ledger& ledger,
         ThreadPool& threads) { return release_by_maps(kMapsOf, table, outline, settings, ledger, threads); },
      [](const Released& released, const Training& training) { return train_by_maps(kMapsOf, released, training); }};
}

}  // namespace sosia
