// SPDX-License-Identifier: Apache-2.0
// The exponential mechanism's draw, in whole numbers only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/wide_int.h"
#include "random/secure_rng.h"

namespace sosia {

/// True with probability e^(-above / below), exactly: whole multiples of 1 as coins of e^-1 each, and the rest x by a
/// run of coins of x, x/2, x/3 ...: the first that fails is an odd one with probability e^-x (Canonne, Kamath and
/// Steinke 2020, after von Neumann). No exponential is computed, so none is rounded. below < 2^80.
bool exponential_coin(u128 above, u128 below, SecureRng& rng);

/// Draws i with a probability proportional to e^(scores[i] * above / below), exactly: an even draw of i, kept with the
/// probability e^((scores[i] - largest score) * above / below), and drawn again otherwise. Takes at most as many draws
/// as there are scores, on average; how many, depends on the scores. Scores lie within 2^62, above < 2^64, below <
/// 2^80.
std::size_t exponential_choice(std::span<const std::int64_t> scores, u128 above, u128 below, SecureRng& rng);

}  // namespace sosia
