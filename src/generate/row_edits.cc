// SPDX-License-Identifier: Apache-2.0
#include "generate/row_edits.h"

#include <utility>

namespace sosia {

RowEdits::RowEdits(std::span<const std::uint32_t> widths, std::vector<std::vector<std::uint32_t>>& states)
    : widths_(widths.begin(), widths.end()), states_(states), of_field_(widths.size()) {}

void RowEdits::keep(const FieldSet& fields, std::span<const double> shares) {
  const std::size_t rows = states_.front().size();
  Kept kept{fields, std::vector<float>(shares.size()), std::vector<std::uint32_t>(rows), {}};
  std::uint32_t stride = 1;
  kept.stride.resize(fields.size());
  for (std::size_t k = fields.size(); k-- > 0;) {
    const auto field = static_cast<std::size_t>(fields[k]);
    kept.stride[k] = stride;
    of_field_[field].emplace_back(kept_.size(), stride);
    for (std::size_t r = 0; r < rows; ++r) kept.cell[r] += states_[field][r] * stride;
    stride *= widths_[field];
  }
  for (std::size_t i = 0; i < shares.size(); ++i) {
    kept.excess[i] = static_cast<float>(-shares[i] * static_cast<double>(rows));
  }
  for (const std::uint32_t cell : kept.cell) kept.excess[cell] += 1.0F;
  kept_.push_back(std::move(kept));
}

/// Moving one row from cell x to cell y changes the sum of squares by 2 (excess_y - excess_x + 1). The two moves of an
/// exchange touch different cells, or undo each other where the rest of the cells agrees.
bool RowEdits::try_exchange(std::size_t field, std::size_t a, std::size_t b) {
  const std::uint32_t state_a = states_[field][a], state_b = states_[field][b];
  if (state_a == state_b) return false;
  const auto difference = static_cast<std::int64_t>(state_b) - static_cast<std::int64_t>(state_a);
  float change = 0.0F;
  for (const auto& [set, stride] : of_field_[field]) {
    const Kept& kept = kept_[set];
    const std::uint32_t from_a = kept.cell[a], from_b = kept.cell[b];
    const auto to_a = static_cast<std::uint32_t>(from_a + difference * stride);
    const auto to_b = static_cast<std::uint32_t>(from_b - difference * stride);
    if (to_a == from_b) continue;  // the rest agrees: the rows change places
    change += kept.excess[to_a] - kept.excess[from_a] + kept.excess[to_b] - kept.excess[from_b] + 2.0F;
  }
  if (!(change < 0.0F)) return false;
  for (const auto& [set, stride] : of_field_[field]) {
    Kept& kept = kept_[set];
    for (const auto& [row, sign] : {std::pair(a, std::int64_t{1}), std::pair(b, std::int64_t{-1})}) {
      kept.excess[kept.cell[row]] -= 1.0F;
      kept.cell[row] = static_cast<std::uint32_t>(kept.cell[row] + sign * difference * stride);
      kept.excess[kept.cell[row]] += 1.0F;
    }
  }
  std::swap(states_[field][a], states_[field][b]);
  return true;
}

void RowEdits::run(int sweeps, PublicRng& rng) {
  const std::size_t rows = states_.front().size();
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (std::size_t field = 0; field < widths_.size(); ++field) {
      if (of_field_[field].empty()) continue;
      for (std::size_t a = 0; a < rows; ++a) {
        const auto b = static_cast<std::size_t>((static_cast<std::uint64_t>(rng.next_u32()) * rows) >> 32);
        try_exchange(field, a, b);
      }
    }
  }
}

}  // namespace sosia
