// SPDX-License-Identifier: Apache-2.0
// How many columns are picked for being learned with the label, and what that may cost: functions of public numbers.
#pragma once

#include <vector>

#include <sosia/plan.h>

namespace sosia {

/// Shares of a budget of mu^2; the rest is for what is learned of the picked columns.
struct PickShares {
  double classes = 0.0;  ///< to count the rows of each class beforehand
  double picks = 0.0;
};
/// Under `replace`, picks by the rows' own shares are as good as by known ones; else knowing them is worth twice the
/// budget (privacy/label_scores.h).
bool needs_classes(Neighbors relation);
PickShares pick_shares(Neighbors relation);

/// How many columns can be told from the others, at most all of them. `mu`: of counts to which a row adds 1, with the
/// budget of all picks. A column in which 6 % of the rows are in one class beyond its share should have e^2 times the
/// chance of all columns together that say nothing. One column is worth a try wherever it could be learned.
int columns_worth_picking(double mu, double rows, std::size_t columns, Neighbors relation);

/// What a slot scores if it says nothing, in rows (privacy/label_scores.h): of so many rows, in classes and values of
/// these shares. A guess, for values that are rare.
double chance_score(double rows, const std::vector<double>& classes, const std::vector<double>& values,
                    bool has_own_shares);

}  // namespace sosia
