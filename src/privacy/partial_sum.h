// SPDX-License-Identifier: Apache-2.0
// The exact sum over a part of the rows, on the grid of the release it is meant for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "privacy/lattice.h"

namespace sosia {

class Door;

/// Integers, without noise: as private as the rows themselves, and unreadable but for the door. Shards that are merged
/// in any order and noised once give the very bits that the whole table would have given.
class PartialSum {
 public:
  /// Writes a file of mode 0600 that says on its first line that it is private (grammar in partial_sum.cc). An existing
  /// file is never overwritten.
  void save(const std::filesystem::path& path) const;
  /// Refuses a file that was cut short or changed.
  static PartialSum load(const std::filesystem::path& path);

  /// Adds the sum of another shard. Refuses one that was made for another map, noise, relation or row limit, one that
  /// is in already (a row must not count twice), and shards that have more rows together than the row limit allows.
  /// That different shards have no row in common is up to the caller: only their own sums can be told apart here.
  void merge(const PartialSum& other);

  std::size_t size() const { return cells_.size(); }
  const GridRequest& request() const { return request_; }

 private:
  friend class Door;
  PartialSum(const GridRequest& request, const Lattice& lattice, std::string map, std::size_t size);

  GridRequest request_;
  Lattice lattice_;
  std::string map_;                  ///< fingerprint of what the map says of itself
  std::int64_t rows_ = 0;            ///< read so far; private
  std::vector<std::string> shards_;  ///< random ids of the sums that went into this one
  std::vector<std::int64_t> cells_;
};

}  // namespace sosia
