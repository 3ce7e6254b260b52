// SPDX-License-Identifier: Apache-2.0
#include "privacy/accounting/partition_selection.h"

#include <algorithm>
#include <cmath>

#include "privacy/accounting/normal.h"

namespace sosia::accounting {

double keep_probability(double epsilon, double delta, std::int64_t units) {
  double keep = 0.0;
  for (std::int64_t n = 0; n < units && keep < 1.0; ++n) {
    keep = std::min({std::exp(epsilon) * keep + delta, 1.0 - std::exp(-epsilon) * (1.0 - keep - delta), 1.0});
  }
  return keep;
}

double gaussian_threshold(double sigma, std::int64_t keys, double weight, double delta) {
  // Each of the keys stays below with probability (1 - delta)^(1/keys); 1 minus that keeps its digits through expm1.
  const double each = -std::expm1(std::log1p(-delta) / static_cast<double>(keys));
  return weight + sigma * normal_upper_quantile(each);
}

}  // namespace sosia::accounting
