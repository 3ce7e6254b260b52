// SPDX-License-Identifier: Apache-2.0
// The normal distribution, accurate in both tails.
#pragma once

namespace sosia::accounting {

/// P(N(0,1) <= x), and its logarithm.
double normal_cdf(double x);
double log_normal_cdf(double x);
/// The x with P(N(0,1) <= x) = p, for p in (0, 1).
double normal_quantile(double p);
/// The x with P(N(0,1) > x) = p: keeps its accuracy where 1 - p would be rounded.
double normal_upper_quantile(double p);
/// The density.
double normal_pdf(double x);
/// (1 - Phi(x)) / phi(x), without underflow for large x.
double mills_ratio(double x);

}  // namespace sosia::accounting
