// SPDX-License-Identifier: Apache-2.0
#include "features/marginals.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <sosia/error.h>

#include "base/check.h"

namespace sosia {

View View::finest(int field, std::uint32_t states) {
  View view{field, states, std::vector<std::uint32_t>(states)};
  std::iota(view.group.begin(), view.group.end(), 0U);
  return view;
}

std::size_t cells_of(const ViewSet& set, std::span<const View> views) {
  constexpr std::size_t kMost = std::size_t{1} << 31;
  std::size_t cells = 1;
  for (const int view : set) {
    cells *= views[static_cast<std::size_t>(view)].width;
    if (cells >= kMost) {
      throw Error(ErrorKind::usage, "a marginal has too many cells to be counted", "the method's choice of columns",
                  "use fewer columns in it, or columns of fewer values");
    }
  }
  return cells;
}

Marginals::Marginals(std::vector<View> views, std::vector<Weighted> sets)
    : views_(std::move(views)), sets_(std::move(sets)) {
  for (const Weighted& set : sets_) {
    SOSIA_CHECK(!set.views.empty() && std::is_sorted(set.views.begin(), set.views.end()),
                "the views of a marginal are not in order");
    slots_.push_back({static_cast<std::uint32_t>(cells_of(set.views, views_)), set.weight});
  }
}

void Marginals::forward(MatrixView<const float> rows, MatrixView<std::uint32_t> cells) const {
  std::vector<std::uint32_t> groups(views_.size());
  for (std::size_t i = 0; i < rows.rows; ++i) {
    const std::span<const float> row = rows.row(i);
    for (std::size_t v = 0; v < groups.size(); ++v) {
      groups[v] = views_[v].group[static_cast<std::size_t>(row[static_cast<std::size_t>(views_[v].field)])];
    }
    const std::span<std::uint32_t> out = cells.row(i);
    for (std::size_t j = 0; j < sets_.size(); ++j) {
      std::uint32_t cell = 0;
      for (const int view : sets_[j].views) {
        const auto v = static_cast<std::size_t>(view);
        cell = cell * views_[v].width + groups[v];
      }
      out[j] = cell;
    }
  }
}

}  // namespace sosia
