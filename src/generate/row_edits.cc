// SPDX-License-Identifier: Apache-2.0
#include "generate/row_edits.h"

#include <utility>

namespace sosia {

RowEdits::RowEdits(std::vector<std::vector<std::uint32_t>>& states) : states_(states), uses_(states.size()) {}

void RowEdits::keep(const std::vector<Part>& parts, std::span<const double> shares) {
  const std::size_t rows = states_.front().size();
  Kept kept{std::vector<float>(shares.size()), std::vector<std::uint32_t>(rows)};
  std::uint32_t stride = 1;
  for (std::size_t k = parts.size(); k-- > 0;) {
    const Part& part = parts[k];
    Use use{kept_.size(), part.group};
    for (std::uint32_t& offset : use.offset) offset *= stride;
    for (std::size_t r = 0; r < rows; ++r) kept.cell[r] += use.offset[states_[part.field][r]];
    uses_[part.field].push_back(std::move(use));
    stride *= part.width;
  }
  for (std::size_t i = 0; i < shares.size(); ++i) {
    kept.excess[i] = static_cast<float>(-shares[i] * static_cast<double>(rows));
  }
  for (const std::uint32_t cell : kept.cell) kept.excess[cell] += 1.0F;
  kept_.push_back(std::move(kept));
}

/// Moving one row from cell x to cell y changes the sum of squares by 2 (excess_y - excess_x + 1). The two moves of an
/// exchange touch four different cells, or none at all where the two rows agree in the rest of the cell.
void RowEdits::try_exchange(std::size_t field, std::size_t a, std::size_t b) {
  const std::uint32_t state_a = states_[field][a], state_b = states_[field][b];
  if (state_a == state_b) return;
  float change = 0.0F;
  for (const Use& use : uses_[field]) {
    const std::uint32_t up = use.offset[state_b] - use.offset[state_a];  // modulo 2^32, undone by the addition
    const Kept& kept = kept_[use.kept];
    const std::uint32_t from_a = kept.cell[a], from_b = kept.cell[b];
    if (up == 0 || from_a + up == from_b) continue;
    change += kept.excess[from_a + up] - kept.excess[from_a] + kept.excess[from_b - up] - kept.excess[from_b] + 2.0F;
  }
  if (!(change < 0.0F)) return;
  for (const Use& use : uses_[field]) {
    const std::uint32_t up = use.offset[state_b] - use.offset[state_a];
    Kept& kept = kept_[use.kept];
    kept.excess[kept.cell[a]] -= 1.0F;
    kept.excess[kept.cell[b]] -= 1.0F;
    kept.cell[a] += up;
    kept.cell[b] -= up;
    kept.excess[kept.cell[a]] += 1.0F;
    kept.excess[kept.cell[b]] += 1.0F;
  }
  std::swap(states_[field][a], states_[field][b]);
}

void RowEdits::run(int sweeps, PublicRng& rng) {
  const std::size_t rows = states_.front().size();
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (std::size_t field = 0; field < states_.size(); ++field) {
      if (uses_[field].empty()) continue;
      for (std::size_t a = 0; a < rows; ++a) {
        try_exchange(field, a, static_cast<std::size_t>((static_cast<std::uint64_t>(rng.next_u32()) * rows) >> 32));
      }
    }
  }
}

}  // namespace sosia
