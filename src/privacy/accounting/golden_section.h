// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <numbers>

namespace sosia::accounting {

/// Where a function of one variable that first falls and then rises is smallest, between low and high. Each iteration
/// evaluates it once and shrinks the interval to 0.618 of its length.
template <class Function>
double minimise(double low, double high, int iterations, Function function) {
  constexpr double kGolden = 1.0 / std::numbers::phi;
  double left = high - kGolden * (high - low), right = low + kGolden * (high - low);
  double at_left = function(left), at_right = function(right);
  for (int i = 0; i < iterations; ++i) {
    if (at_left <= at_right) {
      high = right, right = left, at_right = at_left;
      left = high - kGolden * (high - low), at_left = function(left);
    } else {
      low = left, left = right, at_left = at_right;
      right = low + kGolden * (high - low), at_right = function(right);
    }
  }
  return at_left <= at_right ? left : right;
}

}  // namespace sosia::accounting
