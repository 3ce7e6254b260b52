// SPDX-License-Identifier: Apache-2.0
// The star: every column beside the label, counted without asking first which of them matter. Each of them may say too
// little about the label to be chosen, and all of them together most of what there is to say.
//
// Claim. One release of counts. A row is in one cell of each pair, and the squares of the pairs' weights add up to 1,
// so the norm of a row's vector is 1. Views, weights and noise come from public numbers and earlier releases.
#pragma once

#include "methods/label_round.h"
#include "methods/method.h"

namespace sosia {

/// What a star is worth: functions of public numbers and of the number of rows.
struct StarShape {
  double share = 0.0;   ///< of the budget for counts; 0: there is none
  double values = 2.0;  ///< groups of a column, at most
  bool is_all = false;  ///< nothing else is released, not even single columns
};

/// `mu`: of counts to which a row adds 1. As many groups, 2, 4 or 8, as leave the noise of a cell about a tenth of the
/// rows of an average class, with at most 0.3 of the budget for counts, and no more of it than that takes. Nothing,
/// where that is out of reach even for two groups, unless the rows of an average class are 100 times the noise of one
/// count: then two groups, and where the whole budget would leave a count of all columns that much noise, the star is
/// all. Columns are hundreds there, each of them drowns, and together they still say something.
StarShape star_shape(const Outline& outline, double mu, double rows);

/// Counts every field with the label, in views of at most `most_values` groups.
void measure_star(const RoundSource& source, int label, const ViewLadder& ladder, double most_values,
                  const NoisySum& of_counts, Measurements& measured);

/// The star alone, in views that need no look at single columns: ordered states in a few even groups, all others by
/// themselves. Single columns, the label and, unless it is declared, the number of rows are sums of its counts.
Measurements star_alone(const RoundSource& source, const Outline& outline, const NoisySum& of_counts);

}  // namespace sosia
