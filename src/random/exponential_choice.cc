// SPDX-License-Identifier: Apache-2.0
#include "random/exponential_choice.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace sosia {

namespace {

int bits_of(u128 x) {
  const auto high = static_cast<std::uint64_t>(x >> 64), low = static_cast<std::uint64_t>(x);
  return high != 0 ? 64 + std::bit_width(high) : std::bit_width(low);
}

/// Even over 0 .. count-1: numbers of as many bits, drawn again while they are too large.
u128 below(u128 count, SecureRng& rng) {
  const int bits = bits_of(count - 1);
  if (bits == 0) return 0;
  while (true) {
    u128 drawn = rng.next_u64();
    if (bits > 64) drawn = drawn << 64 | rng.next_u64();
    drawn >>= (bits > 64 ? 128 : 64) - bits;
    if (drawn < count) return drawn;
  }
}

}  // namespace

bool exponential_coin(u128 above, u128 under, SecureRng& rng) {
  SOSIA_CHECK(under > 0 && under < u128(1) << 80, "the chance of a coin is out of range");
  const auto rest = [&](u128 x) {  // e^(-x / under), for x <= under
    u128 run = 1;
    while (below(under * run, rng) < x) ++run;
    return run % 2 == 1;
  };
  for (; above >= under; above -= under) {
    if (!rest(under)) return false;
  }
  return rest(above);
}

std::size_t exponential_choice(std::span<const std::int64_t> scores, u128 above, u128 under, SecureRng& rng) {
  const std::int64_t largest = *std::max_element(scores.begin(), scores.end());
  while (true) {
    const auto i = static_cast<std::size_t>(below(scores.size(), rng));
    const auto short_by = static_cast<std::uint64_t>(largest - scores[i]);
    if (exponential_coin(short_by * above, under, rng)) return i;
  }
}

}  // namespace sosia
