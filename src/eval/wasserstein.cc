// SPDX-License-Identifier: Apache-2.0
// Wasserstein-1: the area between the empirical distribution functions of a number column in the real and the made
// rows, which is how far values have to be moved on average, in standard deviations of the real values. Missing values
// are left out. The mean over number columns.
#include "eval/metrics.h"
#include "eval/number_columns.h"
#include "eval/order_statistics.h"

namespace sosia::eval {

namespace {

double distance(const NumberPair& pair) {
  if (pair.real.empty() && pair.made.empty()) return 0.0;
  // A column that is constant, or missing, in the real rows has no scale of its own but the declared one.
  const double deviation = standard_deviation(pair.real);
  const double unit = deviation > 0.0 ? deviation : pair.column.range > 0.0 ? pair.column.range : 1.0;
  if (pair.real.empty() || pair.made.empty()) return pair.column.range / unit;
  return area_between(pair.real, pair.made) / unit;
}

}  // namespace

Metric wasserstein_metric() {
  return {{.name = "wasserstein",
           .summary = "numbers: area between distribution functions in standard deviations, mean over columns"},
          [](const Comparison& comparison) { return of_number_columns(comparison, distance); }};
}

}  // namespace sosia::eval
