// SPDX-License-Identifier: Apache-2.0
// Zero-concentrated differential privacy (Bun and Steinke 2016).
#pragma once

#include <optional>

#include "privacy/accounting/composition.h"

namespace sosia::accounting {

/// rho of the whole: the sum over all parts; nothing if a part has none. Infinity masses are apart.
std::optional<double> total_rho(const Composition& composition);

/// The smallest epsilon of a rho-zCDP mechanism at delta, rounded up: min over orders of the tight Renyi conversion
/// (Canonne, Kamath, Steinke 2020, corollary 13).
double zcdp_epsilon(double rho, double delta);

/// The delta of a rho-zCDP mechanism at epsilon.
double zcdp_delta(double rho, double epsilon);

/// The largest rho that is (epsilon, delta)-DP, rounded down: what may be spent.
double zcdp_rho(double epsilon, double delta);

/// The simple form rho + 2 sqrt(rho log(1 / delta)) (Bun and Steinke 2016, proposition 1.3): always looser.
double zcdp_epsilon_simple(double rho, double delta);

}  // namespace sosia::accounting
