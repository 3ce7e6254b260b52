// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "base/thread_pool.h"

namespace sosia::simd {

/// Standard normals: numbers 4i .. 4i+3 are a function of Philox block i of (seed, stream), the block that PublicRng
/// has, by Box and Muller. Only additions, products, quotients and roots that are rounded one by one: the same bits on
/// every CPU, from any number of threads. Radii have a resolution of 32 bits, so no number exceeds 6.67. Public
/// randomness only: for codes and weights, never for noise.
void fill_normals(std::uint64_t seed, std::uint64_t stream, std::span<float> out, ThreadPool& pool);

}  // namespace sosia::simd
