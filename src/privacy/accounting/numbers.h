// SPDX-License-Identifier: Apache-2.0
// What formulas of all accountants are written in.
#pragma once

#include <complex>
#include <limits>

namespace sosia::accounting {

using Complex = std::complex<double>;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace sosia::accounting
