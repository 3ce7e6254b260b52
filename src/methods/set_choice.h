// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "features/marginals.h"

namespace sosia {

/// A set of views that could be measured.
struct Candidate {
  ViewSet views;
  double cells = 1.0;
  double gap = 0.0;     ///< about how far, in rows (L1), the model without it is from the data
  double weight = 1.0;  ///< how much it matters
};

/// What to measure, and with which share of the budget: shares[i] belongs to candidates[picked[i]]; they add up to 1.
struct SetChoice {
  std::vector<std::size_t> picked;
  std::vector<double> shares;
};

/// Measuring a set with the share s of the budget leaves an L1 error of about noise_cost * cells / sqrt(s), of which
/// the sum over the picked ones is least for shares proportional to (weight * cells)^(2/3). Sets are added, the largest
/// gap per cost first, while the error that goes exceeds the error that comes.
SetChoice choose_sets(const std::vector<Candidate>& candidates, double noise_cost, std::size_t most);

}  // namespace sosia
