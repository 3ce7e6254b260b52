// SPDX-License-Identifier: Apache-2.0
// The grid on which privacy loss distributions are composed: how fine, how wide, and where.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "privacy/accounting/composition.h"
#include "privacy/accounting/pld.h"
#include "privacy/accounting/saddle.h"

namespace sosia::accounting {

struct PldWindow {
  double tilt;         ///< exponent of the tilt
  double order;        ///< exponent beyond it for the Chernoff bound on what lies above the window
  double origin;       ///< about where epsilon will be found
  double step;         ///< of the grid; atoms of the parts lie on it where that is possible
  std::int64_t first;  ///< lowest index of the window
  std::size_t size;    ///< its number of points
  bool nothing_above;  ///< no loss lies above the window
  std::vector<std::pair<std::int64_t, std::int64_t>> spans;  ///< first and last index of each part's grid
};

/// The step: connect-the-dots adds at most tilt (tilt + 1) h^2 / 8, on average two thirds of that, to the log moment of
/// each run of a mechanism, hence about runs (tilt + 1) h^2 / 12 to epsilon. The window: a share of delta is lost
/// above it, and as much wraps around into it. Nothing here affects soundness.
PldWindow choose_window(const Composition& composition, Direction direction, double delta, const Saddle& guess,
                        const PldOptions& options);

}  // namespace sosia::accounting
