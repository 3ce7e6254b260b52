// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "privacy/count_map.h"

namespace sosia {

/// Some fields of an encoded row whose joint states are counted, in rising order.
using FieldSet = std::vector<int>;

/// States of each field, brought together in groups: state s of field f counts as groups[f][s].
struct Grouping {
  std::vector<std::vector<std::uint32_t>> groups;
  std::vector<std::uint32_t> widths;  ///< groups of each field

  /// Every state by itself.
  static Grouping identity(std::span<const std::uint32_t> widths);
};

/// The tensor product of the one-hot codes of the fields, flattened: its size is the product of their widths, the last
/// field running fastest.
std::size_t cells_of(const FieldSet& set, std::span<const std::uint32_t> widths);

/// Marginals: for each set of fields the histogram of their joint states. A row is in exactly one cell of each, so with
/// weights w its contribution has the norm sqrt(sum of w^2), exactly. Singles, pairs, declared k-way marginals, and,
/// with the label in every set, class-conditional ones are all of this kind.
class Marginals : public CountMap {
 public:
  struct Weighted {
    FieldSet fields;
    double weight = 1.0;
  };
  /// Encoded rows hold the state of field f as column f. A usage error for a set of 2^31 cells or more.
  Marginals(Grouping grouping, std::vector<Weighted> sets);

  std::span<const CountSlot> slots() const override { return slots_; }
  void forward(MatrixView<const float> rows, MatrixView<std::uint32_t> cells) const override;

 private:
  Grouping grouping_;
  std::vector<Weighted> sets_;
  std::vector<CountSlot> slots_;
};

}  // namespace sosia
