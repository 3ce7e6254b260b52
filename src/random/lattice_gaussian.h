// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "random/secure_rng.h"

namespace sosia {

/// Adds independent draws of floor(2^bits N(0,1) + 1/2) to all numbers (modulo 2^64), exactly: by rejection in whole
/// numbers with lazily extended digits (BoxSampler), without an exponential, a logarithm or a rounding in floating
/// point. For an integer k, floor(k + z + 1/2) = k + floor(z + 1/2): an integer plus this noise is the rounded Gaussian
/// mechanism, hence exactly mu-GDP (docs/methods/door.md). 1 <= bits <= 40.
void add_lattice_gaussian(std::span<std::int64_t> numbers, int bits, SecureRng& rng);

}  // namespace sosia
