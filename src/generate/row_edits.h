// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "features/marginals.h"
#include "random/public_rng.h"

namespace sosia {

/// Rows of a model that are not drawn independently: cells are exchanged between rows until the rows' own marginals are
/// as close to the model's as rounding allows. Exchanges keep the counts of single fields as they are.
class RowEdits {
 public:
  /// `states`: one vector for each field, one state a row.
  explicit RowEdits(std::vector<std::vector<std::uint32_t>>& states);

  /// A column of a marginal: of the field's states, which are counted together.
  struct Part {
    std::size_t field;
    std::uint32_t width;
    std::vector<std::uint32_t> group;
  };
  /// The marginal of these parts shall be that, in shares.
  void keep(const std::vector<Part>& parts, std::span<const double> shares);

  /// Tries `sweeps` exchanges for each cell and keeps those that bring the marginals nearer, in squared counts.
  void run(int sweeps, PublicRng& rng);

 private:
  struct Kept {
    std::vector<float> excess;        ///< rows in a cell, less what the model says
    std::vector<std::uint32_t> cell;  ///< of each row
  };
  struct Use {
    std::size_t kept;
    std::vector<std::uint32_t> offset;  ///< of each state of the field, in the cell's number
  };
  void try_exchange(std::size_t field, std::size_t a, std::size_t b);

  std::vector<std::vector<std::uint32_t>>& states_;
  std::vector<Kept> kept_;
  std::vector<std::vector<Use>> uses_;  ///< by field
};

}  // namespace sosia
