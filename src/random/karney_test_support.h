// SPDX-License-Identifier: Apache-2.0
// Karney, "Sampling exactly from the normal distribution", ACM TOMS 42(1), 2016, algorithm N: exact, without tables,
// and fifteen times slower than BoxSampler. What tests hold that one against.
//
// Why the draw is exact. A uniform deviate is an infinite string of binary digits, of which only those are drawn that a
// decision needs: comparing two deviates looks at as many digits as it takes to find a difference. So every decision
// below has exactly the probability of the real-valued algorithm, up to the quality of the bits themselves:
//   1. k >= 0 with probability ~ e^(-k/2), kept with probability e^(-k(k-1)/2): together e^(-k^2/2).
//   2. x uniform in (0, 1), kept with probability e^(-x(2k+x)/2), as k+1 trials of e^(-x(2k+x)/(2k+2)).
//   3. (k, x) then has a density ~ e^(-(k+x)^2/2), the half-normal at k+x; a fair sign makes it normal.
// Rounding. Let 2^bits (k+x) = m + f with m an integer and 0 <= f < 1. Then floor(2^bits N + 1/2) is m + [f >= 1/2] for
// a positive sign and -(m + [f > 1/2]) for a negative one; f = 1/2 has probability 0, since x is a continuous deviate,
// and [f >= 1/2] is the digit of x that follows the leading `bits` ones. So bits + 1 digits of x decide the result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "random/secure_words.h"

namespace sosia {

/// Digits of kDigitBits bits each, up to 32. With few, equal digits are common.
template <int kDigitBits>
class Karney {
 public:
  Karney(int bits, SecureRng& rng, std::size_t bulk) : bits_(bits), words_(rng, bulk) {}

  std::int64_t draw() {
    while (true) {
      const int k = integer_part();
      x_.draw(*this);
      bool accepted = true;
      for (int trial = 0; accepted && trial <= k; ++trial) accepted = exp_minus_fraction(k);
      if (accepted) return rounded(k);
    }
  }

 private:
  std::uint32_t digit() { return static_cast<std::uint32_t>(words_.digits(kDigitBits)); }

  /// A uniform deviate: its first digit, and further ones as far as they were needed.
  struct Uniform {
    std::uint32_t head = 0;
    std::vector<std::uint32_t> tail = {};

    void draw(Karney& source) {
      head = source.digit();
      if (!tail.empty()) tail.clear();
    }
    std::uint32_t digit_after_head(std::size_t i, Karney& source) {
      while (tail.size() <= i) tail.push_back(source.digit());
      return tail[i];
    }
  };

  bool less(Uniform& a, Uniform& b) {
    if (a.head != b.head) [[likely]] {
      return a.head < b.head;
    }
    for (std::size_t i = 0;; ++i) {
      const std::uint32_t digit_a = a.digit_after_head(i, *this), digit_b = b.digit_after_head(i, *this);
      if (digit_a != digit_b) return digit_a < digit_b;
    }
  }

  // True with probability e^(-1/2): the length n of the longest run 1/2 > u_1 > ... > u_n is even (von Neumann 1951).
  bool exp_minus_half() {
    u_.draw(*this);
    if ((u_.head >> (kDigitBits - 1)) != 0) return true;
    while (true) {
      v_.draw(*this);
      if (!less(v_, u_)) return false;
      u_.draw(*this);
      if (!less(u_, v_)) return true;
    }
  }

  int integer_part() {
    while (true) {
      int k = 0;
      while (exp_minus_half()) ++k;
      bool accepted = true;
      for (int trial = 0; accepted && trial < k * (k - 1); ++trial) accepted = exp_minus_half();
      if (accepted) return k;
    }
  }

  // True with probability (2k + x) / (2k + 2).
  bool coin(int k) {
    const std::uint32_t i = words_.below(2 * static_cast<std::uint32_t>(k) + 2);
    if (i < 2 * static_cast<std::uint32_t>(k)) return true;
    if (i > 2 * static_cast<std::uint32_t>(k)) return false;
    r_.draw(*this);
    return less(r_, x_);
  }

  // True with probability e^(-x (2k+x) / (2k+2)): the length n of the longest run x > u_1 > ... > u_n in which each
  // step also wins a coin of (2k+x) / (2k+2) is even; P(length >= n) is the n-th term of the exponential series.
  bool exp_minus_fraction(int k) {
    u_.draw(*this);
    if (!less(u_, x_) || !coin(k)) return true;
    while (true) {
      v_.draw(*this);
      if (!less(v_, u_) || !coin(k)) return false;
      u_.draw(*this);
      if (!less(u_, v_) || !coin(k)) return true;
    }
  }

  std::int64_t rounded(int k) {
    std::uint64_t digits = x_.head;
    int have = kDigitBits;
    for (std::size_t i = 0; have < bits_ + 1; ++i, have += kDigitBits) {
      digits = digits << kDigitBits | x_.digit_after_head(i, *this);
    }
    const std::uint64_t fraction = ((digits >> (have - bits_ - 1)) + 1) >> 1;  // round half up
    const std::uint64_t magnitude = (static_cast<std::uint64_t>(k) << bits_) + fraction;
    const bool negative = words_.digits(1) != 0;
    return static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude);
  }

  int bits_;
  SecureWords words_;
  Uniform x_, u_, v_, r_;
};

}  // namespace sosia
