// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "generate/measurement.h"

namespace sosia {

inline constexpr std::uint32_t kMostClasses = 16;  ///< of the label, told apart in the counts of a set

/// Each field at several degrees of fineness: all its groups, half as many, a quarter, ... down to two.
class ViewLadder {
 public:
  /// Adds the coarser views to `measured`, whose finest views and shares are given. `ordered`: how many of the groups
  /// of each field stand in an order.
  ViewLadder(Measurements& measured, const std::vector<std::vector<double>>& shares,
             const std::vector<std::uint32_t>& ordered);

  /// Views of these fields with at most `most` cells in all, the widest made coarser first; as few as can be otherwise.
  ViewSet fitting(const std::vector<int>& fields, double most) const;
  /// The set and the finest view of another field that has at most `most` groups.
  ViewSet with(ViewSet set, int field, std::uint32_t most) const;

 private:
  const Measurements& measured_;
  std::vector<std::vector<int>> views_;  ///< by field, the finest first
};

}  // namespace sosia
