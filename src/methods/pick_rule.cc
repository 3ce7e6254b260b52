// SPDX-License-Identifier: Apache-2.0
#include "methods/pick_rule.h"

#include <algorithm>
#include <cmath>

#include "methods/clean_counts.h"

namespace sosia {

bool needs_classes(Neighbors relation) { return relation != Neighbors::replace; }

PickShares pick_shares(Neighbors relation) {
  if (needs_classes(relation)) return {.classes = 0.1, .picks = 0.5};
  return {.classes = 0.0, .picks = 0.7};
}

int columns_worth_picking(double mu, double rows, std::size_t columns, Neighbors relation) {
  constexpr double kBeyond = 0.06;      // rows of a class beyond its share, of all rows
  constexpr double kSurely = 2.0;       // logarithm of the odds of such a column against all that say nothing
  constexpr double kEpsilonOfMu = 1.6;  // of a small pick: sqrt(8 / pi)
  constexpr double kLearned = 20.0;     // rows in units of the noise, from which on one column can be learned
  if (columns == 0) return 0;
  // The logarithm of the odds against one column that says nothing, epsilon score / (2 sensitivity), if there were one
  // pick. Under `replace` mu of the budget is sqrt(2) times that of counts, and the sensitivity of own shares is 1 row;
  // else they are equal, and that of given shares is half as much (label_scores.h).
  const double odds = kEpsilonOfMu * mu * kBeyond * rows * (needs_classes(relation) ? 1.0 : std::sqrt(0.5));
  // With k picks, each has a part of the budget, and the logarithm falls by the root of k.
  const double picks = std::pow(odds / (std::log(static_cast<double>(columns)) + kSurely), 2);
  const double least = mu * rows >= kLearned ? 1.0 : 0.0;
  return static_cast<int>(std::min(std::max(picks, least), static_cast<double>(columns)));
}

double chance_score(double rows, const std::vector<double>& classes, const std::vector<double>& values,
                    bool has_own_shares) {
  double sum = 0.0, most = 0.0;
  for (const double of_class : classes) {
    double score = 0.0;
    for (const double value : values) score += poisson_deviation(rows * of_class * value);
    score *= std::sqrt(1.0 - of_class);
    sum += score;
    most = std::max(most, score);
  }
  return has_own_shares ? most / 2.0 : sum;
}

}  // namespace sosia
