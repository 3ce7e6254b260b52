// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/matrix.h"

namespace sosia {

/// States that some fields must have: (field, state).
using Condition = std::vector<std::pair<int, std::uint32_t>>;

/// Makes encoded rows. Knows no private data: everything in it came out of releases.
class Generator {
 public:
  virtual ~Generator() = default;
  /// States of each field of a row.
  virtual const std::vector<std::uint32_t>& widths() const = 0;
  /// Writes a block of rows, which depends on seed, block number, size and condition alone. Blocks are independent of
  /// each other; rows of one block together follow the model more closely than independent ones would. Thread-safe.
  virtual void sample(std::uint64_t seed, std::uint64_t block, const Condition& condition,
                      MatrixView<float> rows) const = 0;
};

}  // namespace sosia
