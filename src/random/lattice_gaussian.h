// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "random/secure_rng.h"

namespace sosia {

/// Draws floor(2^bits N(0,1) + 1/2), exactly: Karney's algorithm N (2016) on lazily extended uniform digits, with no
/// exponential, logarithm or rounding in floating point. For an integer k, floor(k + z + 1/2) = k + floor(z + 1/2):
/// an integer plus this noise is the rounded Gaussian mechanism, hence exactly mu-GDP (docs/methods/door.md).
/// 1 <= bits <= 40.
std::int64_t lattice_gaussian(int bits, SecureRng& rng);

/// Adds independent draws to every number (modulo 2^64).
void add_lattice_gaussian(std::span<std::int64_t> numbers, int bits, SecureRng& rng);

}  // namespace sosia
