// SPDX-License-Identifier: Apache-2.0
#include "privacy/group_choice.h"

#include <sodium.h>

#include <cmath>
#include <cstring>

#include "base/check.h"
#include "base/wide_int.h"

namespace sosia {

GroupChoice::GroupChoice(double rate, std::int64_t groups, SecureRng& rng)
    : groups_(static_cast<std::uint64_t>(groups)) {
  SOSIA_CHECK(rate > 0.0 && rate <= 1.0 && groups >= 1 && groups <= kMostGroups, "groups were not validated");
  static_assert(std::tuple_size_v<decltype(key_)> == crypto_shorthash_KEYBYTES &&
                crypto_shorthash_BYTES == sizeof(std::uint64_t));
  rng.fill(key_);
  if (rate == 1.0) return;
  const auto threshold = static_cast<std::uint64_t>(std::ldexp(rate, 64));
  for (std::uint64_t g = 0; g < groups_; ++g) takes_part_.push_back(rng.next_u64() < threshold);
}

GroupChoice::~GroupChoice() { sodium_memzero(key_.data(), key_.size()); }

std::optional<std::uint32_t> GroupChoice::group_of(std::uint64_t id) const {
  std::uint8_t bytes[sizeof id], hash[sizeof id];
  std::memcpy(bytes, &id, sizeof id);
  crypto_shorthash(hash, bytes, sizeof bytes, key_.data());
  std::uint64_t digits = 0;
  std::memcpy(&digits, hash, sizeof digits);
  const auto group = static_cast<std::uint32_t>((u128(digits) * u128(groups_)) >> 64);
  if (!takes_part_.empty() && !takes_part_[group]) return std::nullopt;
  return group;
}

}  // namespace sosia
