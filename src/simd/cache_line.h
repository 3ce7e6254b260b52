// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace sosia::simd {

/// Floats in the memory that a core fetches at once, on all CPUs that matter here: as many as the longest vector has.
inline constexpr std::size_t kLine = 16;

/// An array of these begins on a cache line, which no std::vector<float> promises. Vectors that are read from it touch
/// one line each; where they come from far away, that is worth a tenth of the time.
struct alignas(kLine * sizeof(float)) CacheLine {
  float numbers[kLine];
};

}  // namespace sosia::simd
