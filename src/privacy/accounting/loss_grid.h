// SPDX-License-Identifier: Apache-2.0
// A privacy loss on a grid, never better than the true one.
#pragma once

#include <cstdint>
#include <vector>

#include "privacy/accounting/loss_model.h"

namespace sosia::accounting {

/// Masses at the losses (first + i) * step, and at infinity.
struct LossGrid {
  double step;
  std::int64_t first;
  std::vector<double> mass;
  double infinity;

  std::int64_t last() const { return first + static_cast<std::int64_t>(mass.size()) - 1; }
  double loss(std::size_t i) const { return static_cast<double>(first + static_cast<std::int64_t>(i)) * step; }
  /// The hockey-stick divergence of these masses.
  double delta(double epsilon) const;
};

/// Connect-the-dots (Doroshenko et al. 2022, algorithm 1): delta as a function of e^epsilon is convex; its chords
/// between grid points lie above it and are the curve of these masses, which hence dominate the model. What lies
/// below the first point is moved up to it, what lies above the last to infinity. `last` must be at least 1.
///
/// The masses are second differences of delta. For epsilon < 0 they are taken of delta - (1 - e^epsilon)
/// = e^epsilon delta'(-epsilon), delta' of the other direction, which has the same second differences and is small
/// where delta is close to 1: no digits are lost in either tail.
LossGrid connect_the_dots(const LossModel& model, Direction direction, double step, std::int64_t first,
                          std::int64_t last);

}  // namespace sosia::accounting
