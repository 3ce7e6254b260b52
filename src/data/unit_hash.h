// SPDX-License-Identifier: Apache-2.0
// Privacy units as 64-bit ids.
#pragma once

#include <arrow/type_fwd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace sosia {

class MissingWords;

/// The SipHash-2-4 of each cell's text under a secret key, drawn by the operating system for each object: the same id
/// in every pass. Two units whose ids collide would be bounded as one, and one of them leaving would make room for rows
/// of the other, so that up to 2 * max_rows rows change. As nobody knows the key, nobody can choose ids that collide;
/// that one given unit collides with any of n others has a probability of at most n / 2^64, 5e-14 for a million.
class UnitHash {
 public:
  UnitHash();
  ~UnitHash();
  UnitHash(const UnitHash&) = delete;
  UnitHash& operator=(const UnitHash&) = delete;

  /// Returns the number of cells without an id; their ids are 0 and must not be used: rows of several people under one
  /// id would be bounded as one unit.
  std::int64_t hash(const arrow::Array& cells, const MissingWords& missing, std::span<std::uint64_t> units) const;

 private:
  static constexpr std::size_t kKeyBytes = 16;
  std::array<unsigned char, kKeyBytes> key_;
};

}  // namespace sosia
