// SPDX-License-Identifier: Apache-2.0
// Public randomness: random frequencies, initial weights, codes of synthetic rows. May be seeded and recorded.
#pragma once

#include <array>
#include <cstdint>

namespace sosia {

/// Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011): block i of a stream is a function of (seed, stream, i), so
/// different streams are independent and the same numbers come from any number of threads. Not secure: anybody who
/// knows the seed knows every number, which is why the door takes a SecureRng and this is a different type.
class PublicRng {
 public:
  explicit PublicRng(std::uint64_t seed, std::uint64_t stream = 0);

  std::uint32_t next_u32();
  std::uint64_t next_u64();
  /// In [0, 1), a multiple of 2^-53.
  double uniform();
  /// Standard normal.
  double normal();

  using Block = std::array<std::uint32_t, 4>;
  using Key = std::array<std::uint32_t, 2>;
  /// The function itself: ten rounds.
  static Block philox(Block counter, Key key);

 private:
  std::uint64_t seed_, stream_;
  std::uint64_t block_ = 0;
  Block numbers_ = {};
  int used_ = 4;
  double spare_normal_ = 0.0;
  bool has_spare_ = false;
};

}  // namespace sosia
