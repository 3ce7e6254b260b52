// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "base/matrix.h"
#include "eval/learners/tree.h"

namespace sosia::eval {

/// A constant and a sum of small trees, each of which takes a step down a loss (Friedman 2001): depth 3, a tenth of the
/// step that is best in each leaf.
class BoostedSum {
 public:
  static constexpr int kStages = 100;

  explicit BoostedSum(double constant = 0.0) : constant_(constant) {}
  double constant() const { return constant_; }

  /// How the loss of each row changes with its sum: minus the first derivative, and the second.
  struct Slopes {
    std::span<const double> down, curves;
  };
  /// Adds a tree that follows the slopes, and what it says to the sums of the rows. Steps are `factor` times Newton's.
  void add_stage(const FeatureCodes& codes, const Slopes& slopes, std::span<const double> weights, double factor,
                 std::span<double> sums, ThreadPool& pool);
  std::vector<double> of(MatrixView<const float> x, ThreadPool& pool) const;

 private:
  struct Stage {
    Tree tree;
    std::vector<double> steps;  ///< by leaf
  };

  double constant_;
  std::vector<Stage> stages_;
};

}  // namespace sosia::eval
