// SPDX-License-Identifier: Apache-2.0
// Composition of privacy loss distributions by Fourier transform, with every error on the safe side.
#pragma once

#include <cstddef>

#include "privacy/accounting/composition.h"

namespace sosia::accounting {

struct PldOptions {
  double lost = 1e-8;                 ///< share of delta to lose to each truncation; sound for any value
  double tolerance = 3e-6;            ///< relative error of epsilon to aim at; the result is sound for any value
  std::size_t most_points = 1 << 22;  ///< limit on the work: grid points of all parts and of the sum
};

/// An epsilon proved by privacy loss distributions, and what was given away to prove it.
struct PldResult {
  double epsilon;     ///< infinite if no epsilon holds
  double step;        ///< of the loss grid
  double truncation;  ///< part of delta spent on losses cut off
  double roundoff;    ///< part of delta spent on the rounding errors of the Fourier transform
  std::size_t grid;   ///< points of the Fourier transform
};

/// The smallest epsilon that this accountant proves at delta in (0, 1).
///
/// Each part is discretised by connect-the-dots (Doroshenko et al. 2022) and tilted by e^(tilt L), so that the mass
/// that decides delta is neither small nor far from the middle (delta = 1e-200 costs no more than 1e-5). The tilted
/// masses are composed by powers in the Fourier domain on a circle (Koskela, Jaelkoe, Honkela 2020). Errors:
///  - discretisation dominates the true loss;
///  - what the circle wraps into the window is mass too much, never too little;
///  - mass above the window: its Chernoff bound is added to delta;
///  - rounding: |error| of each Fourier coefficient <= gamma sum p (RealFft::error_factor), followed through the power
///  and
///    the inverse, is added to every mass; negative masses are 0 before that.
/// Both directions are composed apart, and the larger epsilon counts (Zhu, Dong, Wang 2022).
PldResult pld_epsilon(const Composition& composition, double delta, const PldOptions& options = {});

}  // namespace sosia::accounting
