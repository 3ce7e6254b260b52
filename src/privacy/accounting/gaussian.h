// SPDX-License-Identifier: Apache-2.0
// Gaussian DP: the Gaussian mechanism, exactly (Balle and Wang 2018; Dong, Roth, Su 2022).
#pragma once

namespace sosia::accounting {

/// The delta of a mu-GDP mechanism at this epsilon (any sign): Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu).
double gaussian_delta(double mu, double epsilon);

/// The smallest epsilon >= 0 at this delta, rounded up: gaussian_delta(mu, result) <= delta.
double gaussian_epsilon(double mu, double delta);

/// The largest mu that is (epsilon, delta)-DP, rounded down: gaussian_delta(result, epsilon) <= delta.
double gaussian_mu(double epsilon, double delta);

/// The smallest mu such that every epsilon-DP mechanism is mu-GDP: 2 Phi^-1(e^epsilon / (1 + e^epsilon)).
/// The trade-off curve of a pure mechanism is the chord of that of the Gaussian through the point where both meet the
/// diagonal, and the latter is convex.
double gaussian_mu_of_pure(double epsilon);

/// The smallest mu such that every mechanism whose privacy loss has at most this range is mu-GDP, and back (rounded
/// down). The exponential mechanism is of range epsilon. It is gaussian_mu_of_pure(range / 2):
/// docs/methods/accounting.md, section 2.3.
double gaussian_mu_of_range(double range);
double range_of_gaussian(double mu);

}  // namespace sosia::accounting
