// SPDX-License-Identifier: Apache-2.0
// Losses of a batch and their gradients. The loss of a row is a sum over its columns. Each function writes the loss of
// every row, writes weight times the gradient by the prediction, and returns weight times the sum over rows: weight is
// 1 / rows for a mean, and 1 for gradients of single examples.
#pragma once

#include <cstdint>
#include <span>

#include "base/matrix.h"
#include "base/thread_pool.h"

namespace sosia::nn {

struct LossOutput {
  MatrixView<float> gradient;
  std::span<double> row_losses;
};

/// (prediction - target)^2
double squared_error(MatrixView<const float> prediction, MatrixView<const float> target, double weight, LossOutput out,
                     ThreadPool& pool);

/// -t log s(x) - (1 - t) log(1 - s(x)), s the logistic function, t in [0, 1]
double logistic_loss(MatrixView<const float> logits, MatrixView<const float> target, double weight, LossOutput out,
                     ThreadPool& pool);

/// -sum t log softmax(x), for every block of columns; each block of t holds weights that are not negative, usually a
/// single 1.
double cross_entropy(MatrixView<const float> logits, std::span<const std::uint32_t> widths,
                     MatrixView<const float> target, double weight, LossOutput out, ThreadPool& pool);

}  // namespace sosia::nn
