// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "eval/metric.h"

namespace sosia::eval {

/// How close made rows come to real ones and, where there is one, to as many rows of the holdout.
struct ClosestRows {
  explicit ClosestRows(const Comparison& comparison);

  std::vector<double> to_real, to_holdout;  ///< for each of the made rows that were drawn
  std::vector<std::pair<std::string, double>> counted;
};

}  // namespace sosia::eval
