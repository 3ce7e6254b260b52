// SPDX-License-Identifier: Apache-2.0
// Columns that are learned by class, where the noise would drown all of them.
//
// Claim. Releases before those of embeddings, each with a share of mu^2 that is fixed by public numbers:
//   1. rows of each class, one count a row, norm 1: not under `replace`, where picks need not know them;
//   2. which columns say most about the class: private picks (docs/methods/door.md, section 9), held against the shares
//      of the classes in 1., or among the rows themselves. A row is in at most one cell of each column's classes times
//      values.
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

/// How many columns are to be picked (pick_rule.h). 0, so that all are learned by class: there are no classes, too few
/// rows to pick any column, or so many that half of the columns could be picked, which is not worth its price.
int columns_to_pick(const OpenRows& rows, const Outline& outline, const Settings& settings, const Ledger& ledger);

std::vector<PlannedRelease> plan_picks(const OpenRows& rows, const Outline& outline, int count, const Ledger& ledger);

/// The fields that are picked, best first; and the rows of each class, where they are counted for it.
Embeddings release_picks(const PrivateTable& table, const OpenRows& rows, const Outline& outline, int count,
                         Ledger& ledger, ThreadPool& threads);

}  // namespace sosia
