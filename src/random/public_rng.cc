// SPDX-License-Identifier: Apache-2.0
#include "random/public_rng.h"

#include <cmath>
#include <numbers>

namespace sosia {

namespace {

constexpr std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
constexpr std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

}  // namespace

PublicRng::PublicRng(std::uint64_t seed, std::uint64_t stream) : seed_(seed), stream_(stream) {}

PublicRng::Block PublicRng::philox(Block counter, Key key) {
  constexpr std::uint64_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = kMultiplier0 * counter[0];
    const std::uint64_t product1 = kMultiplier1 * counter[2];
    counter = {high(product1) ^ counter[1] ^ key[0], low(product1), high(product0) ^ counter[3] ^ key[1],
               low(product0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

std::uint32_t PublicRng::next_u32() {
  if (used_ == 4) {
    numbers_ = philox({low(block_), high(block_), low(stream_), high(stream_)}, {low(seed_), high(seed_)});
    ++block_;
    used_ = 0;
  }
  return numbers_[used_++];
}

std::uint64_t PublicRng::next_u64() {
  const std::uint64_t first = next_u32();
  return first | std::uint64_t{next_u32()} << 32;
}

double PublicRng::uniform() { return static_cast<double>(next_u64() >> 11) * 0x1p-53; }

double PublicRng::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_normal_;
  }
  // Box and Muller 1958; 1 - uniform() lies in (0, 1].
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  const double angle = 2.0 * std::numbers::pi * uniform();
  spare_normal_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

}  // namespace sosia
