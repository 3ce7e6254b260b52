// SPDX-License-Identifier: Apache-2.0
// Which rows take part in one release: Poisson sampling of units, and a bound on the rows of each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/matrix.h"
#include "base/thread_pool.h"
#include "data/private_table.h"
#include "random/secure_rng.h"

namespace sosia {

/// Two decisions, both about whole privacy units (a row without unit id is one of its own):
///  - Sampling: a unit takes part iff a number of 64 digits that is its own lies below rate * 2^64, rounded down: for a
///    row without unit id the digits that belong to its place in two key streams of ChaCha20, 1 byte and 7 bytes; else
///    the keyed hash (SipHash-2-4) of the id. The key is fresh and secret, so the units are drawn independently, each
///    with a probability of at most `rate`: true Poisson sampling, repeatable in every pass over the rows.
///  - Bounding: of a unit with more than `max_rows` rows those with the smallest hash (BLAKE2b) of their contents are
///  kept.
///    That depends on the rows of this unit alone, not on their order, so adding, removing or replacing another unit
///    cannot change it: neighbouring tables differ in at most `max_rows` rows of the one unit that differs.
class RowChoice {
 public:
  using OpenScan = std::function<std::unique_ptr<RowScan>()>;

  /// The key is drawn from `rng` only where the rate is below 1.
  RowChoice(double rate, std::int64_t max_rows, SecureRng* rng);

  ~RowChoice();
  RowChoice(const RowChoice&) = delete;
  RowChoice& operator=(const RowChoice&) = delete;

  /// Finds the rows to drop: one pass over the rows, two if some unit may have too many. For tables with unit ids.
  /// Takes 64 MiB and 1 bit a row, and some 100 bytes for each row of a unit that may have too many.
  void bound_units(const OpenScan& open, ThreadPool& threads);

  /// Whether no row is left out.
  bool takes_all() const { return !sampling_ && dropped_.empty(); }
  /// Appends the rows of the block that take part.
  void gather(const RowBlock& block, std::vector<float>& rows) const;
  /// Whether the row is beyond the bound of its unit.
  bool drops(std::int64_t row) const;

 private:
  static constexpr std::size_t kKeyBytes = 32;
  bool sampled_unit(std::uint64_t unit) const;
  bool sampled_by_rest(std::uint64_t row) const;
  /// Calls visit(i) for those of the rows first, first + 1, .. that are sampled, i from 0 to count - 1.
  template <class Visit>
  void for_each_sampled_row(std::uint64_t first, std::size_t count, const Visit& visit) const;

  bool sampling_;
  std::uint64_t threshold_ = 0;
  std::array<std::uint8_t, kKeyBytes> key_ = {};
  std::int64_t max_rows_;
  std::vector<bool> dropped_;  ///< by row number; shorter than the table if nothing is dropped near its end
};

}  // namespace sosia
