// SPDX-License-Identifier: Apache-2.0
// The discrete Gaussian on one integer (Canonne, Kamath, Steinke 2020).
#pragma once

#include "privacy/accounting/loss_model.h"

namespace sosia::accounting {

/// sum over integers x of e^(-x^2 / (2 sigma^2)).
double discrete_gaussian_normaliser(double sigma);
double discrete_gaussian_pmf(double sigma, std::int64_t x);
/// P(X >= x).
double discrete_gaussian_tail(double sigma, std::int64_t x);

/// Exactly sensitivity^2 / (2 sigma^2)-zCDP; not mu-GDP: its delta can exceed that of the continuous Gaussian by a
/// fifth.
std::unique_ptr<LossModel> discrete_gaussian_loss(double sigma, std::int64_t sensitivity);

}  // namespace sosia::accounting
