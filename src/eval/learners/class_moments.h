// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "eval/learners/learner.h"

namespace sosia::eval {

/// Weighted means and variances of the features in each class; a class without weight has zeros.
struct ClassMoments {
  explicit ClassMoments(const Examples& examples);

  std::vector<double> weights;                        ///< of each class, together 1
  std::vector<std::vector<double>> means, variances;  ///< by class, then feature
};

}  // namespace sosia::eval
