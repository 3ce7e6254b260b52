// SPDX-License-Identifier: Apache-2.0
// Rows as vectors, for metrics of geometry.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/matrix.h"
#include "eval/rows.h"

namespace sosia::eval {

/// A number less its real mean by its real standard deviation, 0 where it is missing. For every state of a category,
/// and for missing numbers, an indicator of 1 / sqrt(2): two rows that differ in it alone are 1 apart. Of categories
/// with more than 256 states, or 4096 by the number of columns, the commonest of the real rows have indicators.
class Features {
 public:
  /// `without`: a column that is left out.
  Features(const Outline& outline, const Rows& real, std::optional<std::size_t> without = {});

  std::size_t width() const { return width_; }
  /// The vectors of the rows with these indices.
  std::vector<float> vectors(const Rows& rows, std::span<const std::size_t> indices) const;

 private:
  struct Place {
    std::size_t column = 0;
    std::size_t first = 0;  ///< of its features
    bool is_number = false;
    double center = 0.0, scale = 1.0;
    std::vector<int> indicators = {};  ///< by state, counted from `first`; -1: none
  };
  void write(const Rows& rows, std::size_t row, std::span<float> out) const;

  std::size_t width_ = 0;
  std::vector<Place> places_;
};

}  // namespace sosia::eval
