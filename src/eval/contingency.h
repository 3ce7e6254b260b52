// SPDX-License-Identifier: Apache-2.0
// Tables of counts over some columns, for two tables of rows at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "eval/column_sets.h"
#include "eval/rows.h"

namespace sosia::eval {

/// Holds its memory for the next call; one for each thread.
class Contingency {
 public:
  /// Counts the rows of both tables by their states in these columns.
  void count(const Outline& outline, const ColumnSet& set, const Rows& first, const Rows& second);

  /// Calls work(key, first, second) for every cell that has rows, in an order that depends on the tables alone. Keys
  /// number the cells, the last column running fastest; they are hashes where there are 2^63 cells or more.
  template <class Work>
  void for_cells(const Work& work) const {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      const auto& [first, second] = counts_[i];
      if (first + second > 0) work(is_dense_ ? i : keys_[i], first, second);
    }
  }

 private:
  using Counts = std::array<std::uint32_t, 2>;

  void count_keys(const Rows& rows, const ColumnSet& set, std::size_t which);
  std::size_t place_of(std::uint64_t key);

  std::vector<std::uint64_t> strides_;
  bool is_dense_ = true;
  std::vector<Counts> counts_;
  std::vector<std::uint64_t> keys_;  ///< of a table that is not dense, by place; a place is free while its counts are 0
};

/// Half the L1 distance between the two normalised tables of counts over these columns.
double total_variation(const Outline& outline, const ColumnSet& set, const Rows& first, const Rows& second,
                       Contingency& table);

/// The same for many sets, spread over threads.
std::vector<double> total_variations(const Outline& outline, std::span<const ColumnSet> sets, const Rows& first,
                                     const Rows& second, ThreadPool& pool);

}  // namespace sosia::eval
