// SPDX-License-Identifier: Apache-2.0
#include "random/normal_curve.h"

#include <boost/multiprecision/cpp_int.hpp>

namespace sosia {

namespace {

using Integer = boost::multiprecision::cpp_int;

enum class Rounding { down, up };

Integer shifted(const Integer& number, int digits, Rounding rounding) {
  const Integer floor = number >> digits;
  return rounding == Rounding::up && (floor << digits) != number ? Integer(floor + 1) : floor;
}

Integer quotient(const Integer& number, unsigned divisor, Rounding rounding) {
  return rounding == Rounding::up ? Integer((number + divisor - 1) / divisor) : Integer(number / divisor);
}

// A bound on e^(x^2/2) 2^precision for x = number / 2^digits, from the side that `rounding` says.
//
// With 2^n > x^2, z = x^2/2 / 2^n is at most 1/2, and e^(x^2/2) is e^z squared n times. All terms of the series of e^z
// are positive, so rounding each step to one side rounds the whole to that side. Rounded down, the series may stop
// anywhere. Rounded up, it stops at a term of one last digit: each later one is at most half of the one before it, so
// together they are at most as large as this one.
Integer exp_half_square(const Integer& number, int digits, int precision, Rounding rounding) {
  const Integer square = number * number;
  int halvings = 0;
  while ((square >> (2 * digits + halvings)) != 0) ++halvings;
  const Integer z = shifted(square << precision, 2 * digits + 1 + halvings, rounding);
  Integer term = Integer(1) << precision, sum = 0;
  const unsigned smallest = rounding == Rounding::up ? 1 : 0;
  for (unsigned i = 1; term > smallest; ++i) {
    sum += term;
    term = quotient(shifted(term * z, precision, rounding), i, rounding);
  }
  sum += 2 * smallest;
  for (; halvings > 0; --halvings) sum = shifted(sum * sum, precision, rounding);
  return sum;
}

// height <= scale e^(-x^2/2) iff height e^(x^2/2) <= scale: nothing is divided.
bool surely_below(const Integer& x, int x_digits, const Integer& v, int v_digits, std::uint64_t scale, int precision) {
  return v * exp_half_square(x, x_digits, precision, Rounding::up) <= Integer(scale) << (v_digits + precision);
}

bool surely_above(const Integer& x, int x_digits, const Integer& v, int v_digits, std::uint64_t scale, int precision) {
  return v * exp_half_square(x, x_digits, precision, Rounding::down) >= Integer(scale) << (v_digits + precision);
}

}  // namespace

bool surely_below(const PlanePoint& point, std::uint64_t scale, int precision) {
  return surely_below(Integer(point.x), point.x_digits, Integer(point.v), point.v_digits, scale, precision);
}

bool surely_above(const PlanePoint& point, std::uint64_t scale, int precision) {
  return surely_above(Integer(point.x), point.x_digits, Integer(point.v), point.v_digits, scale, precision);
}

bool below_curve(const PlanePoint& point, std::uint64_t scale, int step, SecureWords& words) {
  Integer x = point.x, v = point.v;
  int x_digits = point.x_digits, v_digits = point.v_digits;
  while (true) {
    v = v << step | words.digits(step);
    v_digits += step;
    // Of the rectangle of all points that begin with these digits, the corner farthest out decides for "below", the one
    // farthest in for "above": the curve falls.
    const int precision = x_digits + v_digits;
    if (surely_below(x + 1, x_digits, v + 1, v_digits, scale, precision)) return true;
    if (surely_above(x, x_digits, v, v_digits, scale, precision)) return false;
    x = x << step | words.digits(step);
    x_digits += step;
  }
}

}  // namespace sosia
