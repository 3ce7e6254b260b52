// SPDX-License-Identifier: Apache-2.0
// What attacks on a release can show about its epsilon, and the best they can do.
#pragma once

#include <cstdint>

namespace sosia::accounting {

/// One-sided confidence bounds on a probability after `hits` of `trials` (Clopper and Pearson 1934): each is wrong with
/// probability at most alpha.
double clopper_pearson_lower(std::int64_t hits, std::int64_t trials, double alpha);
double clopper_pearson_upper(std::int64_t hits, std::int64_t trials, double alpha);

/// What an attack that tells two neighbours apart has scored, at a threshold fixed before on other runs.
struct AttackScore {
  std::int64_t true_positives, positives;   ///< of the runs on the first neighbour
  std::int64_t false_positives, negatives;  ///< of the runs on the second
};

/// No mechanism with a smaller epsilon (at this delta) could be attacked so well, with confidence 1 - alpha: the larger
/// of log((TPR - delta) / FPR) and its mirror image log((TNR - delta) / FNR), each rate at its Clopper-Pearson bound of
/// alpha / 2; 0 if the attack shows nothing.
double audit_epsilon(const AttackScore& score, double delta, double alpha);

/// The best true positive rate at this false positive rate against a mu-GDP release (Dong, Roth, Su 2022).
double best_attack_rate(double mu, double false_positive_rate);
/// The best area under the curve of a membership attack against a mu-GDP release.
double best_attack_area(double mu);

}  // namespace sosia::accounting
