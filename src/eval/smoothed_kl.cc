// SPDX-License-Identifier: Apache-2.0
// Kullback-Leibler divergence of the states of a category, smoothed (Tantipongpipat et al. 2021, section 4): the sum of
// (p + mu) ln((p + mu) / (q + mu)) over the states that real rows have, with mu = exp(-1 / (1 - the largest p)): the
// rarer everything but the commonest state is, the more it counts that it is there. In nats; the mean over columns.
#include <algorithm>
#include <cmath>

#include "eval/category_columns.h"
#include "eval/metrics.h"

namespace sosia::eval {

namespace {

double divergence(std::span<const double> p, std::span<const double> q) {
  // Where all real rows are in one state mu is 0, as the limit says, and the divergence infinite if no made row is.
  const double largest = *std::max_element(p.begin(), p.end());
  const double mu = largest < 1.0 ? std::exp(-1.0 / (1.0 - largest)) : 0.0;
  double sum = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] > 0.0) sum += (p[i] + mu) * std::log((p[i] + mu) / (q[i] + mu));
  }
  return sum;
}

}  // namespace

Metric smoothed_kl_metric() {
  return {{.name = "smoothed_kl", .summary = "categories: mu-smoothed divergence of shares, mean over columns"},
          [](const Comparison& comparison) { return of_category_columns(comparison, divergence); }};
}

}  // namespace sosia::eval
