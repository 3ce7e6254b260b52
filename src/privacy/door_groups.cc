// SPDX-License-Identifier: Apache-2.0
// Sums by groups: what is bounded is the vector of a group, the sum of the vectors of its rows.
//
// Claim. The release is a post-processing of a GroupedGaussian event of rate q and multiplier z: it is dominated by the
// pair (1-q) N(0, z^2) + q N(-1, z^2) and (1-q) N(0, z^2) + q N(1, z^2), in units of the bound, that the accountant has
// for a replaced unit of a Poisson sample; here under EVERY relation, and for any number of rows a unit.
//
// Proof. Two neighbouring tables differ in one unit, which is in one of them only, or has other rows there. Groups of
// units are independent draws from one law (GroupChoice), so those of the other units have the same joint distribution
// on both tables, whatever their rows' numbers; take them to be the same, and the group G of the unit, too. Then all
// groups but G have the same rows on both tables. What a group adds to the sum is an integer vector that depends on the
// set of its rows alone, which are put in the order of their contents first: the same on both tables but for G, which
// adds a vector u or u', each of norm at most N (GroupQuantizer). Given the groups and all coins but G's, the two
// releases are a + b u and a + b u' with Gaussian noise, b being 1 with probability q at most. The hockey-stick
// divergence is jointly convex, so that the mixture over groups and coins is no worse than the worst of these, and that
// one has u = -u', of norm N (proved in docs/methods/accounting.md, 2.5). Rows are cut to integers before, and noise is
// rounded after: docs/methods/door.md, sections 2 and 4. Groups are drawn afresh for each release, so that this holds
// step by step, and composes. QED
#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <numeric>

#include "privacy/door.h"
#include "privacy/group_quantizer.h"

namespace sosia {

namespace {

/// Rows of groups that take part, group after group, in the order of their contents.
struct GroupedRows {
  std::vector<float> values;
  std::vector<std::size_t> starts;  ///< the first row of each group; at the end, the number of rows
};

/// As they come.
struct GatheredRows {
  std::vector<std::uint32_t> groups;
  std::vector<float> values;

  void add(const RowBlock& block, const RowChoice& bound, const GroupChoice& choice) {
    for (std::size_t r = 0; r < block.rows.rows; ++r) {
      const std::int64_t number = block.first_row + static_cast<std::int64_t>(r);
      if (bound.drops(number)) continue;
      const auto id = block.units.empty() ? static_cast<std::uint64_t>(number) : block.units[r];
      const std::optional<std::uint32_t> group = choice.group_of(id);
      if (!group) continue;
      groups.push_back(*group);
      const std::span<const float> row = block.rows.row(r);
      values.insert(values.end(), row.begin(), row.end());
    }
  }
  void add(const GatheredRows& other) {
    groups.insert(groups.end(), other.groups.begin(), other.groups.end());
    values.insert(values.end(), other.values.begin(), other.values.end());
  }
};

GroupedRows in_order(const GatheredRows& rows, std::size_t columns) {
  std::vector<std::size_t> order(rows.groups.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (rows.groups[a] != rows.groups[b]) return rows.groups[a] < rows.groups[b];
    const float* const values = rows.values.data();
    return std::memcmp(values + a * columns, values + b * columns, columns * sizeof(float)) < 0;
  });
  GroupedRows sorted;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || rows.groups[order[i]] != rows.groups[order[i - 1]]) sorted.starts.push_back(i);
    const auto row = rows.values.begin() + static_cast<std::ptrdiff_t>(order[i] * columns);
    sorted.values.insert(sorted.values.end(), row, row + static_cast<std::ptrdiff_t>(columns));
  }
  sorted.starts.push_back(order.size());
  return sorted;
}

/// Whole groups, that have about this many rows together: the first group of each stretch, and the end.
std::vector<std::size_t> stretches_of(const GroupedRows& rows, std::size_t most_rows) {
  std::vector<std::size_t> firsts = {0};
  for (std::size_t g = 1; g < rows.starts.size(); ++g) {
    const bool is_last = g + 1 == rows.starts.size();
    if (is_last || rows.starts[g + 1] - rows.starts[firsts.back()] > most_rows) firsts.push_back(g);
  }
  return firsts;
}

}  // namespace

PartialSum Door::sum(const FactoredMap& map, RowChoice& bound, const GroupChoice& groups) const {
  const auto columns = static_cast<std::size_t>(table_.columns());
  if (table_.has_units()) {
    bound.bound_units([this] { return open(); }, threads_);
  }
  PartialSum result(request_, lattice_, "groups", numbers_of(map));
  GatheredRows gathered;
  std::mutex mutex;
  const std::unique_ptr<RowScan> scan = open();
  threads_.run([&](int /*worker*/) {
    GatheredRows own;
    std::int64_t read = 0;
    for (RowBlock block; scan->next(block); read += static_cast<std::int64_t>(block.rows.rows)) {
      own.add(block, bound, groups);
    }
    const std::lock_guard lock(mutex);
    gathered.add(own);
    result.rows_ += read;
  });

  const GroupedRows rows = in_order(gathered, columns);
  std::size_t row_bytes = 0;
  for (const FactorShape& shape : map.shapes())
    row_bytes += map.terms() * (shape.inputs + shape.outputs) * sizeof(float);
  const std::vector<std::size_t> stretches = stretches_of(rows, std::max<std::size_t>(1, kStretchBytes / row_bytes));
  std::atomic<std::size_t> next = 0;
  threads_.run([&](int /*worker*/) {
    GroupQuantizer quantizer(lattice_, map.shapes(), map.terms());
    std::vector<std::int64_t> sums(result.cells_.size());
    for (std::size_t s = next++; s + 1 < stretches.size(); s = next++) {
      const std::size_t first = rows.starts[stretches[s]], count = rows.starts[stretches[s + 1]] - first;
      map.forward({rows.values.data() + first * columns, count, columns}, quantizer.room(count));
      for (std::size_t g = stretches[s]; g < stretches[s + 1]; ++g) {
        quantizer.add(rows.starts[g] - first, rows.starts[g + 1] - rows.starts[g], sums);
      }
    }
    const std::lock_guard lock(mutex);
    for (std::size_t i = 0; i < sums.size(); ++i) result.cells_[i] += sums[i];
  });
  return result;
}

}  // namespace sosia
