// SPDX-License-Identifier: Apache-2.0
// What is known of a private table after its releases: public numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "features/marginals.h"

namespace sosia {

/// Noisy counts of the joint states of some fields.
struct Measurement {
  FieldSet fields;
  std::vector<double> counts;
  double sigma = 0.0;  ///< standard deviation of each count; 0 without noise
};

/// All of them over the same fields.
struct Measurements {
  Grouping grouping;                       ///< states that were counted together
  std::vector<std::vector<float>> spread;  ///< for each field the share of every state in its group
  std::vector<Measurement> list;
  double rows = 0.0;  ///< about; above 0
};

}  // namespace sosia
