// SPDX-License-Identifier: Apache-2.0
#include "eval/contingency.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>

namespace sosia::eval {

namespace {

/// Beyond this many cells, or so many to a row, only those that have rows are kept.
constexpr double kDenseCells = 1 << 21, kDenseCellsPerRow = 32;
constexpr std::size_t kBlock = 1024;
constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;  // spreads neighbouring keys (Knuth, volume 3, 6.4)

}  // namespace

void Contingency::count(const Outline& outline, const ColumnSet& set, const Rows& first, const Rows& second) {
  strides_.assign(set.size(), 1);
  double cells = 1.0;
  std::uint64_t stride = 1;
  for (std::size_t i = set.size(); i-- > 0;) {
    strides_[i] = stride;
    stride *= outline[set[i]].states;
    cells *= outline[set[i]].states;
  }
  if (cells >= 0x1p63) {  // too many to number: keys become hashes
    for (std::size_t i = 0; i < set.size(); ++i) strides_[i] = stride = (i == 0 ? 1 : stride) * kGolden;
  }
  const std::size_t rows = first.count + second.count;
  is_dense_ = cells <= kDenseCells && cells <= kDenseCellsPerRow * static_cast<double>(rows);
  counts_.assign(is_dense_ ? static_cast<std::size_t>(cells) : std::bit_ceil(2 * rows), Counts{});
  if (!is_dense_) keys_.resize(counts_.size());
  count_keys(first, set, 0);
  count_keys(second, set, 1);
}

void Contingency::count_keys(const Rows& rows, const ColumnSet& set, std::size_t which) {
  std::array<std::uint64_t, kBlock> keys;
  for (std::size_t begin = 0; begin < rows.count; begin += kBlock) {
    const std::size_t count = std::min(kBlock, rows.count - begin);
    keys.fill(0);
    for (std::size_t c = 0; c < set.size(); ++c) {
      const std::uint32_t* codes = rows.codes[set[c]].data() + begin;
      for (std::size_t i = 0; i < count; ++i) keys[i] += strides_[c] * codes[i];
    }
    if (is_dense_) {
      for (std::size_t i = 0; i < count; ++i) ++counts_[keys[i]][which];
    } else {
      for (std::size_t i = 0; i < count; ++i) ++counts_[place_of(keys[i])][which];
    }
  }
}

std::size_t Contingency::place_of(std::uint64_t key) {
  const std::size_t mask = counts_.size() - 1;
  std::size_t place = (key * kGolden) >> (64 - std::countr_zero(counts_.size()));
  while (counts_[place][0] + counts_[place][1] > 0 && keys_[place] != key) place = (place + 1) & mask;
  keys_[place] = key;
  return place;
}

double total_variation(const Outline& outline, const ColumnSet& set, const Rows& first, const Rows& second,
                       Contingency& table) {
  table.count(outline, set, first, second);
  const double first_share = 1.0 / static_cast<double>(first.count);
  const double second_share = 1.0 / static_cast<double>(second.count);
  double sum = 0.0;
  table.for_cells(
      [&](std::uint64_t, std::uint32_t a, std::uint32_t b) { sum += std::abs(first_share * a - second_share * b); });
  return sum / 2.0;
}

std::vector<double> total_variations(const Outline& outline, std::span<const ColumnSet> sets, const Rows& first,
                                     const Rows& second, ThreadPool& pool) {
  std::vector<double> distances(sets.size());
  std::atomic<std::size_t> next = 0;
  pool.run([&](int) {
    Contingency table;
    for (std::size_t i = next++; i < sets.size(); i = next++) {
      distances[i] = total_variation(outline, sets[i], first, second, table);
    }
  });
  return distances;
}

}  // namespace sosia::eval
