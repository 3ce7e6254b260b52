// SPDX-License-Identifier: Apache-2.0
// floor(2^bits N(0,1) + 1/2), exactly, from one word of random digits in 99 cases of 100.
//
// Why the draw is exact. A point is thrown uniformly at the boxes of NormalBoxes, which cover the area under the curve
// scale e^(-x^2/2), x >= 0, and do not overlap; it is thrown again if it does not hit that area. What is left is
// uniform under the curve, so that its abscissa is half-normal; a fair sign makes it normal.
//   1. A cell is chosen among all, each with the same probability 2^-(kColumnBits + kUnitBits): a slot of equal worth,
//      and a number that says which of its two columns (the alias method, in whole numbers). If it is full, it lies
//      under the curve: any place in its column will do, and its height is never asked for.
//   2. Else it is one of the doubtful cells, each equally likely, chosen by another word. A cell of a column has its
//      abscissa in that column, and a height from `level` to `level` + 1. One of the tail has been chosen together with
//      2 * 2^kWidthBits * h - 1 others, h = height[kColumns]: their number and coins give the box of reach + g with
//      probability 2^-(g+1), its share in the tail, and a place in it. One that stands nowhere is no hit.
//   3. Whether a doubtful point is a hit is first asked of the chord: from column to column the curve departs from a
//      straight line by less than scale 4^-kWidthBits / 8, as its second derivative lies between -scale and scale. What
//      is closer to the chord than that and the roundings is decided by below_curve, which is exact.
// So every decision has exactly the probability of the real-valued algorithm, up to the quality of the bits themselves;
// there is no floating point.
//
// Rounding. Let 2^bits x = m + f with m an integer and 0 <= f < 1. Then floor(2^bits N + 1/2) is m + [f >= 1/2] for a
// positive sign and -(m + [f > 1/2]) for a negative one; f = 1/2 has probability 0, since x is a continuous deviate,
// and [f >= 1/2] is the binary digit of x that follows the leading `bits` ones. So bits + 1 digits behind the point
// decide.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "random/normal_boxes.h"
#include "random/normal_curve.h"
#include "random/secure_words.h"

namespace sosia {

/// kPlaceDigits: of an abscissa within its column, of one word. `kStep`: digits that a close comparison draws at a
/// time. The library uses fine boxes; tests use coarse ones and few digits, so that what is rare there is common.
template <class Boxes, int kPlaceDigits, int kStep = 32>
class BoxSampler {
 public:
  /// Digits of x behind the point. The largest `bits` is one less.
  static constexpr int kDigits = Boxes::kWidthBits + kPlaceDigits;

  BoxSampler(int bits, SecureRng& rng, std::size_t bulk) : bits_(bits), words_(rng, bulk) {}

  enum class Verdict { below, above, close };
  /// What the chord says of all points of a column whose place begins with these digits and whose height lies between
  /// `level` and the next whole number.
  static Verdict by_chord(std::size_t column, std::uint64_t level, std::uint64_t place) {
    // Heights are above the curve by less than 2, and so is their chord; it falls from `place` to the next.
    const std::uint64_t top = kBoxes.height[column], fall = top - kBoxes.height[column + 1];
    if (level + 1 + kBend + 2 + 1 <= top - ((fall * (place + 1)) >> kPlaceDigits)) return Verdict::below;
    return level >= top - ((fall * place) >> kPlaceDigits) + kBend ? Verdict::above : Verdict::close;
  }

  std::int64_t draw() {
    while (true) {
      const std::uint64_t word = words_.next();
      const std::uint64_t own = word % Boxes::kColumns, number = (word >> Boxes::kColumnBits) & kUnitMask;
      const typename Boxes::Slot slot = kBoxes.slots[own];
      const std::uint64_t column = number < slot.threshold ? own : slot.other;
      const std::uint64_t place = word >> (64 - kPlaceDigits);
      const bool negative = ((word >> kCellDigits) & 1U) != 0;
      if (column != Boxes::kDoubtful) [[likely]]
        return rounded(column << kPlaceDigits | place, negative);
      std::uint64_t x = 0;
      if (doubtful_hit(place, x)) return rounded(x, negative);
    }
  }

 private:
  static constexpr Boxes kBoxes = {};
  static constexpr int kCellDigits = Boxes::kColumnBits + Boxes::kUnitBits;
  static constexpr std::uint64_t kUnitMask = (std::uint64_t{1} << Boxes::kUnitBits) - 1;
  // How far the curve departs from the chord of a column, at most, in units.
  static constexpr std::uint64_t kBend = (kBoxes.scale >> (2 * Boxes::kWidthBits + 3)) + 1;
  static_assert(kCellDigits + 1 + kPlaceDigits <= 64, "a word has digits for a cell, a sign and a place");

  /// A point in a doubtful cell: its leading digits if it is a hit.
  bool doubtful_hit(std::uint64_t place, std::uint64_t& x) {
    const std::uint32_t cell = words_.below(kBoxes.doubtful);
    const auto& before = kBoxes.doubtful_before;
    if (cell >= before[Boxes::kColumns]) return cell < kBoxes.tail_end() && tail_hit(cell - before[Boxes::kColumns], x);
    const std::size_t j = std::upper_bound(before.begin(), before.end(), cell) - before.begin() - 1;
    const std::uint64_t level = kBoxes.full[j] + (cell - before[j]);
    x = j << kPlaceDigits | place;
    const Verdict verdict = by_chord(j, level, place);
    if (verdict != Verdict::close) return verdict == Verdict::below;
    return below_curve({x, kDigits, level, 0}, kBoxes.scale, kStep, words_);
  }

  bool tail_hit(std::uint64_t cell, std::uint64_t& x) {
    int g = 0;
    while (words_.digits(1) != 0) ++g;
    const std::uint64_t level = cell >> (Boxes::kWidthBits + 1);
    x = (Boxes::kReach + static_cast<std::uint64_t>(g)) << kDigits | words_.digits(kDigits);
    return below_curve({x, kDigits, level, g}, kBoxes.scale, kStep, words_);
  }

  std::int64_t rounded(std::uint64_t x, bool negative) const {
    const std::uint64_t magnitude = ((x >> (kDigits - bits_ - 1)) + 1) >> 1;  // round half up
    return static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude);
  }

  int bits_;
  SecureWords words_;
};

}  // namespace sosia
