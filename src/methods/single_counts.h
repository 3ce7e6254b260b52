// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "features/marginals.h"
#include "methods/method.h"

namespace sosia {

/// Noisy counts of every field's states, in one release; and the number of rows from them.
Measurements single_counts(const PrivateTable& table, const Outline& outline, const NoisySum& how, Ledger& ledger,
                           ThreadPool& threads);

/// States that stand for no declared value (`other`, missing) count as 0 unless they are seen to be there: noise alone
/// must not make values up that the table does not have.
void drop_unseen(const Outline& outline, Measurements& singles);

/// From a release of marginals to measurements, appended to the list.
void append(const Release& release, const std::vector<Marginals::Weighted>& sets, Measurements& measured);

/// The number of rows: the totals of all measurements, each weighed by how well it is known.
double total_rows(const std::vector<Measurement>& list);

}  // namespace sosia
