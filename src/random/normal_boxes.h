// SPDX-License-Identifier: Apache-2.0
// The area under e^(-x^2/2), covered by boxes whose sizes are whole numbers: what BoxSampler throws its points at.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/wide_int.h"

namespace sosia {

/// lower <= true value * 2^kPlaces <= upper. Arithmetic of numbers in [0, 1] that keeps this true.
struct Bracket {
  static constexpr int kPlaces = 62;
  std::uint64_t lower = 0, upper = 0;

  constexpr Bracket operator*(const Bracket& other) const {
    const u128 below = u128(lower) * other.lower, above = u128(upper) * other.upper;
    const u128 most = (u128(1) << kPlaces) - 1;
    return {static_cast<std::uint64_t>(below >> kPlaces), static_cast<std::uint64_t>((above + most) >> kPlaces)};
  }
  constexpr std::uint64_t floor_of(std::uint64_t scale) const {
    return static_cast<std::uint64_t>((u128(scale) * lower) >> kPlaces);
  }
  constexpr std::uint64_t ceiling_of(std::uint64_t scale) const {
    return static_cast<std::uint64_t>((u128(scale) * upper + (u128(1) << kPlaces) - 1) >> kPlaces);
  }
};

/// e^(-2^-k) for 1 <= k <= kPlaces. The series alternates and falls. A term is the one before it over 2^k i, cut: it
/// lacks less than 2 last digits. Fewer than 20 terms are not 0, and what follows them is less than 2.
constexpr Bracket exp_of_minus_power(int k) {
  std::uint64_t term = std::uint64_t{1} << Bracket::kPlaces, even = 0, odd = 0;
  for (std::uint64_t i = 1; term != 0; ++i) {
    (i % 2 == 1 ? even : odd) += term;
    term = (term >> k) / i;
  }
  return {even - odd - 64, even - odd + 64};
}

/// Columns of width 2^-kWidthBits stand side by side over [0, reach). Heights are counted in units of which the curve
/// has `scale` at x = 0; an area of one unit by the width of a column is a cell. In each column the cells up to `full`
/// lie below the curve, those between `full` and `height` may lie on it, those above `height` are over it: with
/// a = j 2^-kWidthBits,
///   full[j] <= scale e^(-(a + 2^-kWidthBits)^2/2)   and   height[j] >= scale e^(-a^2/2).
/// Over [reach + g, reach + g + 1), g = 0, 1, .., stands a box of height[kColumns] 2^-g: the curve falls faster there,
/// as (k^2 - reach^2)/2 >= (k - reach) log 2 for k >= reach >= 1. These boxes together are the tail; they have 2 *
/// 2^kWidthBits * height[kColumns] cells.
///
/// All cells are 2^(kColumnBits + kUnitBits) in number: the full ones, those of `doubtful`, and of these, beyond the
/// columns and the tail, some that stand nowhere.
template <int kColumnBitsOf, int kWidthBitsOf, int kUnitBitsOf>
struct NormalBoxes {
  static constexpr int kColumnBits = kColumnBitsOf, kWidthBits = kWidthBitsOf, kUnitBits = kUnitBitsOf;
  static constexpr std::size_t kColumns = std::size_t{1} << kColumnBits;
  static constexpr std::uint64_t kReach = std::uint64_t{1} << (kColumnBits - kWidthBits);
  static constexpr std::uint64_t kCells = std::uint64_t{1} << (kColumnBits + kUnitBits);
  static constexpr std::uint32_t kDoubtful = kColumns - 1;
  static_assert(kColumnBits >= kWidthBits && kColumnBits + kUnitBits < 32 && kUnitBits <= 16 && kWidthBits >= 1);

  /// A full cell is chosen by a slot and a number of kUnitBits digits: `own` column below `threshold`, else `other`.
  /// kDoubtful in the place of a column: the cell is none of the full ones.
  struct Slot {
    std::uint16_t threshold = 0, other = 0;
  };

  std::uint64_t scale = 0;
  std::array<Slot, kColumns> slots = {};
  std::array<std::uint32_t, kColumns> full = {};
  std::array<std::uint32_t, kColumns + 1> height = {};
  /// Doubtful cells in the columns before this one; the last: in all columns.
  std::array<std::uint32_t, kColumns + 1> doubtful_before = {};
  std::uint32_t doubtful = 0;  ///< in all: columns, tail, nowhere

  constexpr std::uint32_t tail_end() const { return doubtful_before[kColumns] + 2 * (height[kColumns] << kWidthBits); }

  constexpr NormalBoxes() {
    std::array<Bracket, kColumns + 1> curve = {};
    curve[0] = {std::uint64_t{1} << Bracket::kPlaces, std::uint64_t{1} << Bracket::kPlaces};
    // e^(-(j+1)^2 t) = e^(-j^2 t) e^(-(2j+1) t), t = 2^-(2 kWidthBits + 1).
    Bracket factor = exp_of_minus_power(2 * kWidthBits + 1);
    const Bracket square = factor * factor;
    for (std::size_t j = 0; j < kColumns; ++j, factor = factor * square) curve[j + 1] = curve[j] * factor;
    set_cells(curve);
    set_slots();
  }

 private:
  constexpr void set_cells(const std::array<Bracket, kColumns + 1>& curve) {
    // The largest scale for which all heights, each rounded up by less than 1, surely have room.
    const u128 tail = u128(2) << kWidthBits;
    u128 all = tail * curve[kColumns].upper;
    for (std::size_t j = 0; j < kColumns; ++j) all += curve[j].upper;
    scale = static_cast<std::uint64_t>(
        (u128(kCells - kColumns - static_cast<std::uint64_t>(tail)) << Bracket::kPlaces) / all);
    std::uint64_t full_cells = 0;
    for (std::size_t j = 0; j <= kColumns; ++j) {
      height[j] = static_cast<std::uint32_t>(curve[j].ceiling_of(scale));
      if (j == kColumns) break;
      // The last one has none, as its number says "doubtful".
      full[j] = j == kDoubtful ? 0 : static_cast<std::uint32_t>(curve[j + 1].floor_of(scale));
      full_cells += full[j];
      doubtful_before[j + 1] = doubtful_before[j] + height[j] - full[j];
    }
    doubtful = static_cast<std::uint32_t>(kCells - full_cells);
  }

  // The alias method of Walker (1977) in whole numbers: each slot is worth 2^kUnitBits cells, of its own column and of
  // one other that has more than its slot can hold.
  constexpr void set_slots() {
    constexpr std::uint32_t kWorth = std::uint32_t{1} << kUnitBits;
    std::array<std::uint32_t, kColumns> left = full, small = {}, large = {};
    left[kDoubtful] = doubtful;
    std::size_t smalls = 0, larges = 0;
    for (std::uint32_t j = 0; j < kColumns; ++j) (left[j] < kWorth ? small[smalls++] : large[larges++]) = j;
    while (smalls > 0) {
      const std::uint32_t own = small[--smalls], other = large[larges - 1];
      slots[own] = {static_cast<std::uint16_t>(left[own]), static_cast<std::uint16_t>(other)};
      left[other] -= kWorth - left[own];
      if (left[other] < kWorth) small[smalls++] = large[--larges];
    }
    // What is left fills its slot exactly.
    for (; larges > 0; --larges) slots[large[larges - 1]] = {0, static_cast<std::uint16_t>(large[larges - 1])};
  }
};

}  // namespace sosia
