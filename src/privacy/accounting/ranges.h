// SPDX-License-Identifier: Apache-2.0
// What the accountants are built and tested for. Beyond, a number is a slip or a joke, and its rounding errors would be
// no smaller than its price.
#pragma once

#include <cstdint>

namespace sosia::accounting {

struct Range {
  double least, most;
};

inline constexpr Range kNoise{1e-6, 1e12};
inline constexpr Range kRate{1e-9, 1.0};
inline constexpr Range kEpsilon{1e-9, 1e4};
/// A discrete Gaussian is tabulated; far wider noise is better drawn as a Gaussian, rounded to a grid.
inline constexpr Range kSigma{0.01, 2e4};
inline constexpr std::int64_t kMostCount = 1'000'000'000'000;

}  // namespace sosia::accounting
