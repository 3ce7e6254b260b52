// SPDX-License-Identifier: Apache-2.0
// What pairwise could measure next, beside what is expected of it. All of it is post-processing.
#pragma once

#include <vector>

#include "base/thread_pool.h"
#include "features/marginals.h"
#include "generate/measurement.h"
#include "generate/product_mixture.h"
#include "methods/method.h"
#include "methods/set_choice.h"
#include "methods/view_ladder.h"

namespace sosia {

/// Sets that could be measured. The gap of a candidate is its score, the L1 distance of its counts from the expected
/// ones, less the distance that chance explains: here it is minus the latter.
struct Candidates {
  std::vector<Candidate> list;
  std::vector<double> expected;  ///< counts of all cells, set after set
};

/// Pairs, against independence. With a label, a pair is looked at in all its classes, and the label with each field by
/// itself; where there are more than `most_sets`, those of fields that vary most. Pairs have at most `most_cells`, in
/// each class. `shares`: of the groups of each field.
Candidates pairs_against_independence(const Outline& outline, const Measurements& measured, const ViewLadder& ladder,
                                      const std::vector<std::vector<double>>& shares, double most_cells,
                                      double most_sets);

/// Pairs and triples, against a model of the table.
Candidates sets_against_model(const ProductMixture& model, const Measurements& measured, const ViewLadder& ladder,
                              double most_cells, ThreadPool& threads);

/// Pairs in their classes, against a model that knows each field with the label; the label itself is in all of them.
/// At most `most_cells` in all classes together, and at most `most_sets`, as above.
Candidates pairs_in_classes(int label, const ProductMixture& model, const Measurements& measured,
                            const ViewLadder& ladder, const std::vector<std::vector<double>>& shares, double most_cells,
                            double most_sets, ThreadPool& threads);

}  // namespace sosia
