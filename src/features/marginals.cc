// SPDX-License-Identifier: Apache-2.0
#include "features/marginals.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <sosia/error.h>

#include "base/check.h"

namespace sosia {

Grouping Grouping::identity(std::span<const std::uint32_t> widths) {
  Grouping grouping;
  grouping.widths.assign(widths.begin(), widths.end());
  for (const std::uint32_t width : widths) {
    grouping.groups.emplace_back(width);
    std::iota(grouping.groups.back().begin(), grouping.groups.back().end(), 0U);
  }
  return grouping;
}

std::size_t cells_of(const FieldSet& set, std::span<const std::uint32_t> widths) {
  constexpr std::size_t kMost = std::size_t{1} << 31;
  std::size_t cells = 1;
  for (const int field : set) {
    cells *= widths[static_cast<std::size_t>(field)];
    if (cells >= kMost) {
      throw Error(ErrorKind::usage, "a marginal has too many cells to be counted", "the method's choice of columns",
                  "use fewer columns in it, or columns of fewer values");
    }
  }
  return cells;
}

Marginals::Marginals(Grouping grouping, std::vector<Weighted> sets)
    : grouping_(std::move(grouping)), sets_(std::move(sets)) {
  for (const Weighted& set : sets_) {
    SOSIA_CHECK(!set.fields.empty() && std::is_sorted(set.fields.begin(), set.fields.end()),
                "the fields of a marginal are not in order");
    slots_.push_back({static_cast<std::uint32_t>(cells_of(set.fields, grouping_.widths)), set.weight});
  }
}

void Marginals::forward(MatrixView<const float> rows, MatrixView<std::uint32_t> cells) const {
  std::vector<std::uint32_t> states(grouping_.widths.size());
  for (std::size_t i = 0; i < rows.rows; ++i) {
    const std::span<const float> row = rows.row(i);
    for (std::size_t f = 0; f < states.size(); ++f) {
      states[f] = grouping_.groups[f][static_cast<std::size_t>(row[f])];
    }
    const std::span<std::uint32_t> out = cells.row(i);
    for (std::size_t j = 0; j < sets_.size(); ++j) {
      std::uint32_t cell = 0;
      for (const int field : sets_[j].fields) {
        const auto f = static_cast<std::size_t>(field);
        cell = cell * grouping_.widths[f] + states[f];
      }
      out[j] = cell;
    }
  }
}

}  // namespace sosia
