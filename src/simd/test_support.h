// SPDX-License-Identifier: Apache-2.0
// What the kernels' tests share: random arrays, lengths and misalignments to sweep, and every CPU target in turn.
#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "random/public_rng.h"

namespace sosia::simd {

/// Runs check() once for each CPU target that was compiled and that this CPU has. Restores the best one in the end.
template <class Check>
void for_each_target(const Check& check) {
  const std::vector<std::int64_t> targets = hwy::SupportedAndGeneratedTargets();
  ASSERT_FALSE(targets.empty());
  for (const std::int64_t target : targets) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(target);
    check();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

/// Lengths around every vector width up to 16 and its multiples by four, and some of no special form.
inline const std::vector<std::size_t> kLengths = {0,  1,  2,  3,  4,  5,  7,  8,  9,   15,  16,   17,   31,   32,
                                                  33, 47, 63, 64, 65, 70, 79, 99, 127, 128, 1023, 1024, 1025, 2500};

/// Numbers in [low, high), starting `offset` floats after an aligned address.
class TestArray {
 public:
  TestArray(std::size_t size, std::size_t offset, float low, float high, std::uint64_t seed)
      : size_(size), offset_(offset), numbers_(size + offset) {
    PublicRng rng(seed);
    for (float& x : numbers_) x = low + (high - low) * static_cast<float>(rng.uniform());
  }
  std::span<float> span() { return {numbers_.data() + offset_, size_}; }

 private:
  std::size_t size_, offset_;
  std::vector<float> numbers_;
};

inline std::vector<float> random_floats(std::size_t size, float low, float high, std::uint64_t seed) {
  TestArray array(size, 0, low, high, seed);
  return {array.span().begin(), array.span().end()};
}

/// Distance in units of the last place; equal signs or zeros only.
inline std::int64_t ulps_between(float a, float b) {
  std::int32_t x = 0, y = 0;
  std::memcpy(&x, &a, sizeof x);
  std::memcpy(&y, &b, sizeof y);
  const auto ordered = [](std::int32_t i) { return i < 0 ? -std::int64_t{i & 0x7FFFFFFF} : std::int64_t{i}; };
  return std::abs(ordered(x) - ordered(y));
}

}  // namespace sosia::simd
