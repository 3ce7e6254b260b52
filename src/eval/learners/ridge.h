// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "base/matrix.h"
#include "base/thread_pool.h"

namespace sosia::eval {

/// Linear regression with the least sum of squared errors and squared weights; the constant is free.
class Ridge {
 public:
  /// At least one row.
  Ridge(MatrixView<const float> x, std::span<const double> y, ThreadPool& pool);
  std::vector<double> predict(MatrixView<const float> x) const;

 private:
  std::vector<double> weights_;
  double constant_ = 0.0;
};

/// 1 - the squared errors by the squared distances from the mean of y. NaN if y is constant.
double explained_share(std::span<const double> predicted, std::span<const double> y);

}  // namespace sosia::eval
