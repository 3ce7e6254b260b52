// SPDX-License-Identifier: Apache-2.0
// What formulas of all accountants are written in.
#pragma once

#include <complex>
#include <limits>

namespace sosia::accounting {

using Complex = std::complex<double>;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The least delta that the accountants are tested for; promises and prices with a smaller one are refused.
inline constexpr double kLeastDelta = 1e-100;

}  // namespace sosia::accounting
