// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "eval/learners/boosted_sum.h"

namespace sosia::eval {

/// Gradient boosting of squared errors, from the mean.
class BoostedRegression {
 public:
  /// At least one row.
  BoostedRegression(MatrixView<const float> x, std::span<const double> y, ThreadPool& pool);
  std::vector<double> predict(MatrixView<const float> x, ThreadPool& pool) const { return sum_.of(x, pool); }

 private:
  BoostedSum sum_;
};

}  // namespace sosia::eval
