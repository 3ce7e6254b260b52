// SPDX-License-Identifier: Apache-2.0
// Groups of units, for one release: which of them a unit is in, and which of them take part.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "random/secure_rng.h"

namespace sosia {

/// The group of a unit is the keyed hash (SipHash-2-4) of its id, brought into range; that of a row that is a unit of
/// its own is the hash of its number. A group takes part iff its own 64 random digits are below rate * 2^64, rounded
/// down. The key is fresh and secret, so that groups of units are as good as independent draws, all from one law, and
/// coins are independent of them and of the table.
class GroupChoice {
 public:
  static constexpr std::int64_t kMostGroups = std::int64_t{1} << 31;

  GroupChoice(double rate, std::int64_t groups, SecureRng& rng);
  ~GroupChoice();
  GroupChoice(const GroupChoice&) = delete;
  GroupChoice& operator=(const GroupChoice&) = delete;

  /// Of a unit, by its id, or of a row, by its number; none if the group takes no part.
  std::optional<std::uint32_t> group_of(std::uint64_t id) const;

 private:
  std::array<std::uint8_t, 16> key_;
  std::uint64_t groups_;
  std::vector<bool> takes_part_;  ///< empty: all do
};

}  // namespace sosia
