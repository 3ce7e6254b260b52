// SPDX-License-Identifier: Apache-2.0
// Tables as metrics see them: in memory, column by column, as codes and as numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <sosia/schema.h>

#include "random/public_rng.h"

namespace sosia::eval {

/// What is known of a column before any row of it.
struct ColumnOutline {
  std::string name;
  ColumnType type = ColumnType::categorical;
  std::uint32_t states = 1;              ///< of its codes
  std::uint32_t values = 0;              ///< categories: the first so many states are declared values
  std::vector<std::string> labels = {};  ///< categories: of every state
  bool may_be_missing = false;
  double range = 1.0;  ///< numbers: between the declared bounds

  bool is_number() const { return has_bounds(type); }
  /// Whether its states or numbers stand in an order.
  bool is_ordered() const { return is_number() || type == ColumnType::ordinal || type == ColumnType::boolean; }
};
using Outline = std::vector<ColumnOutline>;

struct Rows {
  std::size_t count = 0;
  std::vector<std::vector<std::uint32_t>> codes;  ///< by column: the state of each row, numbers in bins
  std::vector<std::vector<double>> numbers;       ///< by column: NaN where missing; empty for categories
};

/// The rows with these indices, in this order.
Rows take(const Rows& rows, std::span<const std::size_t> indices);

/// `count` rows drawn with replacement.
Rows bootstrap(const Rows& rows, std::size_t count, PublicRng& rng);
/// `count` rows whose cells are drawn with replacement, each column by itself.
Rows independent_columns(const Rows& rows, std::size_t count, PublicRng& rng);

/// A uniform index below `count`.
std::size_t draw_below(std::size_t count, PublicRng& rng);
/// At most `most` of the indices below `count`, drawn without replacement, in random order.
std::vector<std::size_t> draw_rows(std::size_t count, std::size_t most, PublicRng& rng);
/// The same in rising order, for columns of a table that may be wide.
std::vector<std::size_t> draw_columns(std::size_t count, std::size_t most, PublicRng& rng);

}  // namespace sosia::eval
