// SPDX-License-Identifier: Apache-2.0
// Privacy units as 64-bit ids.
#pragma once

#include <arrow/type_fwd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <sosia/schema.h>

namespace sosia {

class MissingWords;
class RunFile;  // sosia/run_file.h

/// The id of no unit: the row has none.
inline constexpr std::uint64_t kNoUnit = 0;

/// The SipHash-2-4 of each cell's exact form (unit_id.h) under a secret key: the same id in every pass. The key is
/// drawn by the operating system, or comes from that of a run; nobody else can set it. Copies hash alike, and each
/// erases its key. Two units whose ids collide would be bounded as one, and one of them leaving would make room for
/// rows of the other, so that up to 2 * max_rows rows change. As nobody knows the key, nobody can choose ids that
/// collide; that one given unit collides with any of n others has a probability of at most n / 2^64, 5e-14 for a
/// million.
class UnitHash {
 public:
  UnitHash();
  ~UnitHash();
  UnitHash(const UnitHash&) = default;
  UnitHash& operator=(const UnitHash&) = delete;

  /// Returns the number of cells that are no id; their rows have kNoUnit and must not be used: rows of several people
  /// under one id would be bounded as one unit. A type that cannot be an id is a data error.
  std::int64_t hash(const arrow::Array& cells, const MissingWords& missing, std::span<std::uint64_t> units) const;

 private:
  friend class RunFile;
  static constexpr std::size_t kKeyBytes = 16;
  explicit UnitHash(std::span<const unsigned char, kKeyBytes> key);

  void fill(const arrow::Array& cells, const MissingWords& missing, std::span<std::uint64_t> units) const;
  std::uint64_t hash_of(std::string_view form) const;

  std::array<unsigned char, kKeyBytes> key_;
};

/// Whether rows without an id are left out, which is the owner's word that ids of the unit may be missing. Else they
/// are refused. Both look at the row's own id alone.
bool leaves_out_rows(const Schema& schema);

}  // namespace sosia
