// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace sosia::simd {

/// Numbers 0 .. count-1 in groups of at most `most` and of about equal size.
struct Groups {
  Groups(std::size_t count_, std::size_t most) : count(count_), groups((count_ + most - 1) / most) {}
  std::size_t begin(std::size_t group) const { return group * count / groups; }
  std::size_t size(std::size_t group) const { return begin(group + 1) - begin(group); }

  std::size_t count, groups;
};

}  // namespace sosia::simd
