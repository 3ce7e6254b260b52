// SPDX-License-Identifier: Apache-2.0
// Columns that are learned by class, where the noise would drown all of them.
//
// Claim. Two releases before those of embeddings, each with a share of mu^2 that is fixed by public numbers:
//   1. rows of each class: one count a row, norm 1;
//   2. which columns say most about the class: private picks (docs/methods/door.md, section 9), held against the shares
//      of the classes in 1. A row is in at most one cell of each column's classes times values.
// What is released of the picked columns and of the others depends on 2., which the ledger's Gaussian filter covers.
#pragma once

#include <vector>

#include <sosia/ledger.h>

#include "features/open_rows.h"
#include "generate/embedding.h"
#include "methods/method.h"

namespace sosia {

/// Some columns of open rows, each list in rising order.
struct Columns {
  std::vector<int> numbers, blocks;
};
Columns all_columns(const OpenRows& rows);

/// Columns by the fields of encoded rows that they come from.
struct SplitColumns {
  Columns picked, others;
};
SplitColumns split_columns(const OpenRows& rows, const std::vector<int>& picked_fields);

/// How many columns are to be picked; 0: all columns can be learned by class, or there are no classes. A function of
/// public numbers: the error of a class's mean of one column, if classes were even and all columns had the same share
/// of the method's budget, is held against what can be told from nothing. More than a quarter of all columns is not
/// worth what picking costs.
int columns_to_pick(const OpenRows& rows, const Outline& outline, const Settings& settings, const Ledger& ledger);

/// Shares of the method's budget; the rest is for sums.
inline constexpr double kClassShare = 0.1, kPickShare = 0.5;

std::vector<PlannedRelease> plan_picks(const OpenRows& rows, const Outline& outline, int count, const Ledger& ledger);

/// Rows of each class, and the fields that are picked, best first.
Embeddings release_picks(const PrivateTable& table, const OpenRows& rows, const Outline& outline, int count,
                         Ledger& ledger, ThreadPool& threads);

}  // namespace sosia
