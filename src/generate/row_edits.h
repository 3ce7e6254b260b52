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
  RowEdits(std::span<const std::uint32_t> widths, std::vector<std::vector<std::uint32_t>>& states);

  /// The marginal of these fields shall be that, in shares. Two fields or more.
  void keep(const FieldSet& fields, std::span<const double> shares);

  /// Tries `sweeps` exchanges for each cell and keeps those that bring the marginals nearer, in squared counts.
  void run(int sweeps, PublicRng& rng);

 private:
  struct Kept {
    FieldSet fields;
    std::vector<float> excess;          ///< rows in a cell, less what the model says
    std::vector<std::uint32_t> cell;    ///< of each row
    std::vector<std::uint32_t> stride;  ///< by place of the field in the set
  };
  bool try_exchange(std::size_t field, std::size_t a, std::size_t b);

  std::vector<std::uint32_t> widths_;
  std::vector<std::vector<std::uint32_t>>& states_;
  std::vector<Kept> kept_;
  std::vector<std::vector<std::pair<std::size_t, std::uint32_t>>> of_field_;  ///< kept set and stride
};

}  // namespace sosia
