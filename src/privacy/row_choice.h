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
///  - Sampling: a unit takes part iff the keyed hash (SipHash-2-4) of its id, or of the row's number, lies below
///    rate * 2^64, rounded down. The key is fresh and secret, so the units are drawn independently, each with a
///    probability of at most `rate`: true Poisson sampling, repeatable in every pass over the rows.
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

  bool takes(const RowBlock& block, std::size_t row) const {
    return sampled(block, row) && !dropped(block.first_row + static_cast<std::int64_t>(row));
  }
  /// The rows of the block that take part, in place if these are all, else copied to `buffer`.
  MatrixView<const float> chosen(const RowBlock& block, std::vector<float>& buffer) const;

 private:
  static constexpr std::size_t kKeyBytes = 16;
  bool sampled(const RowBlock& block, std::size_t row) const;
  bool dropped(std::int64_t row) const;

  bool sampling_;
  std::uint64_t threshold_ = 0;
  std::array<std::uint8_t, kKeyBytes> key_ = {};
  std::int64_t max_rows_;
  std::vector<bool> dropped_;  ///< by row number; shorter than the table if nothing is dropped near its end
};

}  // namespace sosia
