// SPDX-License-Identifier: Apache-2.0
// Comparisons with e^(-x^2/2) in whole numbers of any length, for what must be decided exactly.
#pragma once

#include <cstdint>

#include "random/secure_words.h"

namespace sosia {

/// A point of the plane whose coordinates are known by their leading binary digits:
/// x / 2^x_digits <= abscissa < (x + 1) / 2^x_digits, and so the height by v. The digits that follow are uniform, and
/// are drawn when they are needed.
struct PlanePoint {
  std::uint64_t x = 0;
  int x_digits = 0;
  std::uint64_t v = 0;
  int v_digits = 0;
};

/// Whether height < scale * e^(-abscissa^2/2). Both coordinates get `step` more digits (1 to 64) at a time until
/// whatever follows them makes no difference; they are continuous deviates, so this ends with probability 1, and the
/// answer is the true one. A few microseconds.
bool below_curve(const PlanePoint& point, std::uint64_t scale, int step, SecureWords& words);

/// Whether height <= scale * e^(-abscissa^2/2), and whether >=, for numbers with finitely many digits: those of the
/// point. May deny both where they are closer than 2^-precision of each other, never affirms what is not so.
bool surely_below(const PlanePoint& point, std::uint64_t scale, int precision);
bool surely_above(const PlanePoint& point, std::uint64_t scale, int precision);

}  // namespace sosia
