// SPDX-License-Identifier: Apache-2.0
// What distances to the closest record say of copying: the same of rows and of images.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "eval/metric.h"

namespace sosia::eval {

/// How close made records come to real ones and, where there is one, to as many of the holdout. Distances shrink with
/// the number of records that one may be close to, so real ones and holdout are cut to the same number.
struct ClosestDistances {
  std::vector<double> to_real, to_holdout;  ///< for each of the made records that were drawn
  std::vector<std::pair<std::string, double>> counted;
};

/// Of rows, by Gower's distance (gower.h): up to 5,000 made rows, and up to 50,000 that they may be close to.
ClosestDistances closest_rows(const Comparison& comparison);

/// The median distance to a real record; its parts are the 5 % quantile and, with a holdout, the same two to it.
Finding closest_finding(const ClosestDistances& closest);

/// The share of made records that are closer to the real ones than to the holdout, ties counting half. 0.5 if they are
/// no closer to records that the model has seen.
Finding closer_share(const ClosestDistances& closest);

}  // namespace sosia::eval
