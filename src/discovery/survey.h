// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <sosia/ledger.h>
#include <sosia/schema.h>

#include "discovery/count_tree.h"
#include "discovery/search.h"
#include "privacy/count_map.h"

namespace sosia {

/// Histograms of several columns in one release. A row adds one to one cell of each histogram, or of each level of a
/// tree, so the norm of its contribution is the square root of their number.
class Survey {
 public:
  /// The number of rows.
  void ask_rows();
  /// All states of the column, as the codec numbers them; returns the question's number.
  std::size_t ask(const Column& column);
  /// The bins of the column, in a tree; other states are in none of its nodes.
  std::size_t ask_tree(const Column& column, const TreeShape& shape);

  bool empty() const { return slots_.empty(); }
  std::size_t slots() const { return slots_.size(); }
  std::size_t cells() const;

  /// A column that is read and not asked about: a survey of the number of rows alone needs one.
  void carry(const Column& column) { columns_.push_back(column); }

  /// Makes the release.
  void hold(const Source& source, const Search& search, const NoisySum& how);

  double rows() const;
  std::span<const double> answer(std::size_t question) const;
  double sigma() const { return release_->sigma(); }

 private:
  struct Slot {
    std::size_t field;
    std::uint32_t span;   ///< states of the field that share a cell
    std::uint32_t limit;  ///< states from here on are in no cell
  };
  class Map;
  void add_slot(const Slot& slot);

  std::vector<Column> columns_;
  std::vector<Slot> slots_;
  std::vector<CountSlot> widths_;
  std::vector<std::pair<std::size_t, std::size_t>> answers_;  ///< by question: first cell and number of cells
  std::optional<Release> release_;
};

}  // namespace sosia
