// SPDX-License-Identifier: Apache-2.0
// Kolmogorov-Smirnov: the largest difference between the empirical distribution functions of a number column in the
// real and the made rows. Missing values are left out. The mean over number columns.
#include "eval/metrics.h"
#include "eval/number_columns.h"
#include "eval/order_statistics.h"

namespace sosia::eval {

Metric ks_metric() {
  return {{.name = "ks", .summary = "numbers: largest gap between distribution functions, mean over columns"},
          [](const Comparison& comparison) {
            return of_number_columns(comparison,
                                     [](const NumberPair& pair) { return largest_gap(pair.real, pair.made); });
          }};
}

}  // namespace sosia::eval
