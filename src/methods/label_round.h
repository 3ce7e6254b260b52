// SPDX-License-Identifier: Apache-2.0
// What pairwise does where scores of all pairs would drown, but there is a label.
#pragma once

#include <vector>

#include <sosia/ledger.h>

#include "base/thread_pool.h"
#include "data/private_table.h"
#include "features/marginals.h"
#include "generate/measurement.h"
#include "methods/view_ladder.h"

namespace sosia {

/// Where a round's releases come from.
struct RoundSource {
  const PrivateTable& table;
  Ledger& ledger;
  ThreadPool& threads;
};

/// Weights ~ cells^(1/3), whose squares add up to 1.
void set_weights(std::vector<Marginals::Weighted>& sets, const std::vector<View>& views);

/// Picks the columns that say most about the label, by the exponential mechanism, and counts each of them with it, in
/// at most about `most_cells` cells. `shares`: of the groups of each field. Two releases; nothing, where noise leaves
/// but one class to be seen.
void measure_with_label(const RoundSource& source, int label, const ViewLadder& ladder, double most_cells,
                        const std::vector<std::vector<double>>& shares, Picks picks, const NoisySum& of_counts,
                        Measurements& measured);

}  // namespace sosia
