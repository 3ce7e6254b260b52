// SPDX-License-Identifier: Apache-2.0
// Mechanisms whose privacy loss takes finitely many values.
#pragma once

#include <vector>

#include "privacy/accounting/loss_model.h"

namespace sosia::accounting {

/// Any epsilon-DP mechanism: dominated by randomised response (Kairouz, Oh, Viswanath 2015), loss +-epsilon. With delta
/// > 0 any (epsilon, delta)-DP mechanism: the same with probability 1 - delta, else an infinite loss.
std::unique_ptr<LossModel> pure_loss(double epsilon, double delta);

/// The exponential mechanism, of bounded range epsilon. Its dominating pair here is that of pure DP, its Renyi curve
/// the exact supremum over two-point pairs of that range (Dong, Durfee, Rogers 2020; Cesar and Rogers 2021).
std::unique_ptr<LossModel> bounded_range_loss(double epsilon);

/// Two-sided geometric noise on an integer of this sensitivity.
std::unique_ptr<LossModel> geometric_loss(double epsilon, std::int64_t sensitivity);

/// sup over t in [0, epsilon] of the Renyi divergence of the two-point pair with losses t and t - epsilon.
double bounded_range_renyi(double epsilon, double order);

/// P(X = x) for two-sided geometric noise P(x) ~ e^(-a |x|).
double geometric_pmf(double a, std::int64_t x);

}  // namespace sosia::accounting
