// SPDX-License-Identifier: Apache-2.0
// The Gaussian mechanism on a Poisson sample.
#pragma once

#include "privacy/accounting/loss_model.h"

namespace sosia::accounting {

/// Add-remove and zero-out: P = (1-q) N(0, z^2) + q N(1, z^2), Q = N(0, z^2) (Mironov, Talwar, Zhang 2019), in units of
/// the norm bound. Its hockey-stick divergence is that of the Gaussian mechanism at a shifted epsilon, times q.
std::unique_ptr<LossModel> sampled_gaussian_add_remove(double rate, double noise);

/// Replace: P = (1-q) N(0, z^2) + q N(-1, z^2), Q = (1-q) N(0, z^2) + q N(1, z^2) (Lebeda, Regehr, Kamath, Steinke
/// 2025).
std::unique_ptr<LossModel> sampled_gaussian_replace(double rate, double noise);

}  // namespace sosia::accounting
