// SPDX-License-Identifier: Apache-2.0
#include "eval/learners/class_moments.h"

#include <numeric>

namespace sosia::eval {

ClassMoments::ClassMoments(const Examples& examples)
    : weights(examples.classes, 0.0),
      means(examples.classes, std::vector<double>(examples.x.cols, 0.0)),
      variances(means) {
  const std::size_t width = examples.x.cols;
  for (std::size_t i = 0; i < examples.x.rows; ++i) {
    const std::uint32_t k = examples.labels[i];
    weights[k] += examples.weight(i);
    for (std::size_t c = 0; c < width; ++c) means[k][c] += examples.weight(i) * examples.x.row(i)[c];
  }
  const auto divide = [&](std::vector<std::vector<double>>& sums) {
    for (std::size_t k = 0; k < sums.size(); ++k) {
      for (double& sum : sums[k]) sum = weights[k] > 0.0 ? sum / weights[k] : 0.0;
    }
  };
  divide(means);
  for (std::size_t i = 0; i < examples.x.rows; ++i) {
    const std::uint32_t k = examples.labels[i];
    for (std::size_t c = 0; c < width; ++c) {
      const double from_mean = examples.x.row(i)[c] - means[k][c];
      variances[k][c] += examples.weight(i) * from_mean * from_mean;
    }
  }
  divide(variances);
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= total;
}

}  // namespace sosia::eval
