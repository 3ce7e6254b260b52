// SPDX-License-Identifier: Apache-2.0
// Where in the composed privacy loss a given delta is decided.
#pragma once

#include "privacy/accounting/composition.h"

namespace sosia::accounting {

/// The saddle point of the contour integral of delta (Alghamdi et al. 2022): under the loss distribution tilted by
/// e^(tilt L), what decides delta lies around `epsilon`, within some `width`s. An estimate, good to a few percent: it
/// steers grids, and no bound rests on it.
struct Saddle {
  double tilt;
  double epsilon;  ///< not below 0
  double width;    ///< standard deviation of the tilted loss
};

/// delta excludes the infinity mass and is positive.
Saddle find_saddle(const Composition& composition, Direction direction, double delta);

/// Losses outside of which the tilted distribution has about `tail` of its mass, and the loss above which
/// e^(-tilt (L - epsilon)) times that mass is `tail`: by Chernoff's bound on the moments.
struct Reach {
  double lowest, highest;
  double decay;        ///< the loss above which the weighted mass is below `tail`
  double decay_order;  ///< the exponent (beyond tilt) with which `decay` was found
};
Reach tilted_reach(const Composition& composition, Direction direction, const Saddle& saddle, double tail);

}  // namespace sosia::accounting
