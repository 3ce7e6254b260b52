// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sosia {

/// 128 bits, for exact sums of squares of 64-bit integers.
__extension__ typedef unsigned __int128 u128;

inline u128 square(std::int64_t x) {
  const std::uint64_t magnitude = x < 0 ? 0 - static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
  return u128(magnitude) * magnitude;
}

}  // namespace sosia
