// SPDX-License-Identifier: Apache-2.0
// How well scores tell classes. Scores come row by row, a number for each class (Learner::scores).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sosia::eval {

/// Of two classes: how the second ranks above the first. Empty, or one class only: NaN.
struct Ranking {
  double area = 0.0;       ///< under the ROC curve
  double precision = 0.0;  ///< average precision: the mean of precision over the rows of the second class
};
Ranking ranking_of(std::span<const double> scores, std::span<const std::uint32_t> labels);

/// The class with the largest score for each row, the first of equal ones.
std::vector<std::uint32_t> guesses_of(std::span<const double> scores, std::size_t classes);

double accuracy(std::span<const std::uint32_t> guesses, std::span<const std::uint32_t> labels);
/// The mean of F1 over the classes that a label or a guess has.
double macro_f1(std::span<const std::uint32_t> guesses, std::span<const std::uint32_t> labels, std::size_t classes);

}  // namespace sosia::eval
