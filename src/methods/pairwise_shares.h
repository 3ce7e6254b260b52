// SPDX-License-Identifier: Apache-2.0
// How pairwise divides its budget: functions of public numbers and of the number of rows.
#pragma once

#include <sosia/ledger.h>

#include "methods/method.h"

namespace sosia {

/// mu of counts to which a row adds 1: the budget as the number of rows that it blurs. Without a promise to keep it is
/// that of hardly any noise, in the hundreds (Ledger::noise_for_share).
double count_mu(const Ledger& ledger);

/// mu from which on rows, not noise, are what is too few for more cells, scores or sets: in all that is chosen it
/// counts as this at most. Without any bound wide tables would have more cells than memory has room for.
inline constexpr double kSharpest = 4.0;

/// More cells than this in a set would each hold less than the noise.
double most_cells(double mu, double rows, std::size_t fields, const Settings& settings);

/// More scores than this would each drown in the noise.
double most_scores(double mu, double rows, const Settings& settings);

/// Shares of mu^2; with the one for the number of rows they add up to 1. What there is no use for is 0.
struct PairwiseShares {
  double singles = 0.0;
  double scores = 0.0, counts = 0.0;                ///< of the first round
  double second_scores = 0.0, second_counts = 0.0;  ///< of the second
  double picks = 0.0;                               ///< of columns to be counted with the label, in the place of scores
  int picked = 0;                                   ///< how many
  double star = 0.0;                                ///< of every column with the label, ahead of the scores
  double star_values = 2.0;                         ///< groups of a column there, at most
  bool in_classes = false;  ///< whether scores are of pairs in their classes, against a model of the star
};

/// Singles against pairs so that the sum of their errors is least, if all were measured with shares ~ cells^(2/3). A
/// second round where triples are small enough to be worth counting, and scores not drowned in noise. `row_share`: for
/// the number of rows, taken already. Where the noise of a score exceeds the number of rows, and with it every score,
/// nothing is spent on pairs; but where there is a label, the columns that say most about it are picked and counted
/// with it, and so they are where there are more columns than scores that could be told apart. With a label that can be
/// seen there is a star beside the pairs, or in the place of everything else (label_star.h). Where pairs are more than
/// can be scored, they are in classes; where they are more than four times as many, there is no star unless it is all,
/// or noise does not matter.
PairwiseShares pairwise_shares(const Outline& outline, double mu, double rows, double row_share, Neighbors relation,
                               const Settings& settings);

}  // namespace sosia
