// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "features/feature_map.h"
#include "features/hermite_basis.h"

namespace sosia {

struct HermiteColumn {
  int column = 0;  ///< which number of a row; may be named more than once, with other length scales
  HermiteOptions options = {};
  double weight = 1.0;  ///< share of the kernel, relative to the others; above 0
};

enum class Centring { none, smallest_ball };

/// Features of the sum kernel of Vinaroz et al. 2022, a mean of Gaussian kernels of single columns with shares
/// w_d = weight_d / (sum of weights): side by side sqrt(w_d) (phi(x_d) - c_d), where c_d is 0 or, by default, the
/// centre of the smallest ball of radius r_d that holds phi on the column's range.
///
/// The norm bound is the root of the mean of squares, sum of w_d r_d^2, which is least for these centres; without them
/// r_d is the largest norm of phi, at most 1. A centre is public and the same on both sides of a comparison of means:
/// it cancels, and need not be added back (docs/methods/dp_hp.md).
///
/// Rows have `inputs` numbers. Forward costs about two nanoseconds a feature.
std::unique_ptr<FeatureMap> hermite_sum(std::vector<HermiteColumn> columns, int inputs,
                                        Centring centring = Centring::smallest_ball);

}  // namespace sosia
