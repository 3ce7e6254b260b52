// SPDX-License-Identifier: Apache-2.0
// The exact delta of a composition, without a grid: the cross-check of every other accountant.
#pragma once

#include <optional>

#include "privacy/accounting/composition.h"

namespace sosia::accounting {

/// delta(epsilon) = (1/pi) int_0^inf Re{ exp(K(s) - s epsilon) / (s (s+1)) } dy + P(L = inf), s = c + iy: the inverse
/// Laplace transform of (1 - e^-t)_+ along the line through the saddle point c, with K the composed log moment.
/// Accurate to about 1e-9 relative. Nothing if no part is smooth or the integrand does not decay in time; then there is
/// no cross-check.
std::optional<double> contour_delta(const Composition& composition, double epsilon, Direction direction);

/// The epsilon at which the larger of both directions meets delta; 0 if delta(0) is below it.
std::optional<double> contour_epsilon(const Composition& composition, double delta);

}  // namespace sosia::accounting
