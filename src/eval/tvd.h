// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "eval/column_sets.h"
#include "eval/metric.h"

namespace sosia::eval {

/// The sets of k columns that k-way metrics look at: all, or as many as time allows for that many rows.
std::vector<ColumnSet> scored_sets(const Comparison& comparison, std::size_t k);

/// Total variation distance of k-way tables: half the L1 distance between the normalised tables of counts of real and
/// made rows over k columns, numbers in bins; the mean over sets of k columns. Columns for k = 1, pairs for k = 2 are
/// its parts.
Metric tvd_metric(int k);

}  // namespace sosia::eval
