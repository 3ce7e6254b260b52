// SPDX-License-Identifier: Apache-2.0
// Which keys of a histogram may be shown.
#pragma once

#include <cstdint>

namespace sosia::accounting {

/// The largest probability with which a key held by `units` units may be kept under (epsilon, delta)-DP, add-remove,
/// one key per unit (Desfontaines, Voss, Gipson, Mandayam 2022, theorem 1).
double keep_probability(double epsilon, double delta, std::int64_t units);

/// The threshold above which a key's noisy count is shown: a unit touches at most `keys` keys and adds at most `weight`
/// to each, the noise is N(0, sigma^2). With it a key that nobody else holds passes with probability at most `delta` in
/// all.
double gaussian_threshold(double sigma, std::int64_t keys, double weight, double delta);

}  // namespace sosia::accounting
