// SPDX-License-Identifier: Apache-2.0
#include "eval/column_sets.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "eval/rows.h"

namespace sosia::eval {

namespace {

/// The next set in lexicographic order; false after the last.
bool advance(ColumnSet& set, std::size_t columns) {
  for (std::size_t i = set.size(); i-- > 0;) {
    if (set[i] + set.size() - i < columns) {
      ++set[i];
      for (std::size_t j = i + 1; j < set.size(); ++j) set[j] = set[j - 1] + 1;
      return true;
    }
  }
  return false;
}

}  // namespace

double count_sets(std::size_t columns, std::size_t size) {
  if (size > columns) return 0.0;
  double count = 1.0;
  for (std::size_t i = 0; i < size; ++i) count = count * static_cast<double>(columns - i) / static_cast<double>(i + 1);
  return std::round(count);
}

std::vector<ColumnSet> column_sets(std::size_t columns, std::size_t size, std::size_t most, PublicRng& rng) {
  if (size == 0 || size > columns) return {};
  if (count_sets(columns, size) <= static_cast<double>(most)) {
    ColumnSet set(size);
    std::iota(set.begin(), set.end(), std::size_t{0});
    std::vector<ColumnSet> all = {set};
    while (advance(set, columns)) all.push_back(set);
    return all;
  }
  std::set<ColumnSet> drawn;
  while (drawn.size() < most) {
    ColumnSet set = draw_rows(columns, size, rng);
    std::sort(set.begin(), set.end());
    drawn.insert(std::move(set));
  }
  return {drawn.begin(), drawn.end()};
}

}  // namespace sosia::eval
