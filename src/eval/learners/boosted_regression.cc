// SPDX-License-Identifier: Apache-2.0
#include "eval/learners/boosted_regression.h"

#include "eval/order_statistics.h"

namespace sosia::eval {

BoostedRegression::BoostedRegression(MatrixView<const float> x, std::span<const double> y, ThreadPool& pool)
    : sum_(mean(y)) {
  const FeatureCodes codes(x, pool);
  const std::vector<double> ones(y.size(), 1.0);
  std::vector<double> sums(y.size(), sum_.constant()), rest(y.size());
  for (int stage = 0; stage < BoostedSum::kStages; ++stage) {
    for (std::size_t i = 0; i < y.size(); ++i) rest[i] = y[i] - sums[i];
    sum_.add_stage(codes, {.down = rest, .curves = ones}, ones, 1.0, sums, pool);
  }
}

}  // namespace sosia::eval
