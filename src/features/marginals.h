// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "privacy/count_map.h"

namespace sosia {

/// A field of an encoded row, seen more or less finely: state s counts as group[s].
struct View {
  int field = 0;
  std::uint32_t width = 0;  ///< number of groups
  std::vector<std::uint32_t> group;

  /// Every state by itself.
  static View finest(int field, std::uint32_t states);
};

/// Views whose joint groups are counted, by number, in rising order, of different fields.
using ViewSet = std::vector<int>;

/// The number of joint groups: the product of the widths. A usage error for 2^31 or more.
std::size_t cells_of(const ViewSet& set, std::span<const View> views);

/// Marginals: for each set of views the histogram of their joint groups, the last view running fastest: the tensor
/// product of their one-hot codes, flattened. A row is in exactly one cell of each, so with weights w its contribution
/// has the norm sqrt(sum of w^2), exactly. Singles, pairs, declared k-way marginals, and, with the label in every set,
/// class-conditional ones are all of this kind.
class Marginals : public CountMap {
 public:
  struct Weighted {
    ViewSet views;
    double weight = 1.0;
  };
  /// Encoded rows hold the state of field f as column f.
  Marginals(std::vector<View> views, std::vector<Weighted> sets);

  std::span<const CountSlot> slots() const override { return slots_; }
  void forward(MatrixView<const float> rows, MatrixView<std::uint32_t> cells) const override;

 private:
  std::vector<View> views_;
  std::vector<Weighted> sets_;
  std::vector<CountSlot> slots_;
};

}  // namespace sosia
