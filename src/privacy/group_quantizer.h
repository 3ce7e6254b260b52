// SPDX-License-Identifier: Apache-2.0
// The inner loops of the door for groups of rows whose vectors are given by factors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "privacy/factor_room.h"
#include "privacy/quantize.h"

namespace sosia {

/// Writes the vector of a group down, the sum of those of its rows, and hands it to a Quantizer, which adds an integer
/// vector of norm at most lattice.norm whatever the numbers are. So nothing is claimed of the sum but that it depends
/// on the factors of the group's rows alone. One for each thread.
class GroupQuantizer {
 public:
  GroupQuantizer(const Lattice& lattice, std::span<const FactorShape> shapes, std::size_t terms);

  /// Room for the factors of so many rows, filled with zeros.
  std::span<const FactorPair<float>> room(std::size_t rows);
  /// Adds the group of the rows first .. first + count - 1 in the room.
  void add(std::size_t first, std::size_t count, std::span<std::int64_t> sums);

 private:
  FactorRoom room_;
  std::vector<float> vector_;
  Quantizer quantizer_;
};

}  // namespace sosia
