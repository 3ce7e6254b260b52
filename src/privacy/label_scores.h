// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include <sosia/plan.h>

#include "privacy/count_map.h"

namespace sosia {

/// How much the value of a row says about its class, for slots whose cells c(y, x) are the classes y times the values
/// x, the value running fastest. c(x), n(y) and n are sums over classes, values, and both. Two forms, in units of
/// 2^-16:
///
/// *Given shares*, public whole numbers P_y above 0 that add up to 2^16:
///     sum over y and x of | 2^16 c(y, x) - P_y c(x) |.
/// Sensitivity. A row of class y adds 2^16 - P_y to one term of its value and at most P_z to those of the other classes
/// z: it moves a score by at most 2 (2^16 - P_y) <= 2 (2^16 - least P). A row that is replaced moves it by at most
/// twice that, and a unit of m rows by m times as much.
///
/// *Own shares*, those of the slot's rows:
///     2^16 times the largest over y of C_y,    C_y = sum over x of max(0, c(y, x) - n(y) c(x) / n),
/// rounded down. It is the most rows of one class that a set of values has beyond that class's share.
/// Sensitivity. Added, removed or replaced, a row moves a score by at most 2^16 + 1, the 1 for rounding; a unit of m
/// rows by m times as much, as that takes at most m such steps. Proof. C_y is the largest over sets A of values of
///     C(A) = sum over rows i of (u_i - mean u) (a_i - mean a) = (1/n) sum over pairs i < k of (u_i - u_k) (a_i - a_k),
/// where u is 1 in class y, else 0, and a is 1 in A, else 0. It is enough that no C(A) moves by more than 1. Added to n
/// rows, a row adds n / (n + 1) (u - mean u) (a - mean a). Replaced, it changes n - 1 terms of the pairs, each by at
/// most 1: a term is not 0 only if the two rows differ in both u and a, and then its other row determines (u, a) of
/// this one, so that the term is 0 before or after, or does not change. QED
///
/// Both are 0 where each value has the classes in these shares. Under `replace` a score of binary classes has 4 C in
/// the first form, at a sensitivity of nearly 4 in units of 2^16, so that both forms see as well, and the second need
/// not know the shares. Else the first, if they are known, has half the sensitivity.
class LabelScores {
 public:
  static constexpr int kShareBits = 16;
  /// A number of rows as a score.
  static std::int64_t of_rows(double rows) { return std::llround(std::ldexp(rows, kShareBits)); }
  /// Of shares that are not negative; those that are next to nothing count as one in 2^16. All 0: own shares.
  explicit LabelScores(std::span<const double> class_shares);

  std::size_t classes() const { return shares_.size(); }
  bool has_own_shares() const { return has_own_shares_; }
  std::int64_t sensitivity(Neighbors relation, std::int64_t max_rows) const;
  /// `counts`: of all slots, each cell a multiple of its slot's weight on the grid.
  std::vector<std::int64_t> of(std::span<const CountSlot> slots, std::span<const std::int64_t> grid_weights,
                               std::span<const std::int64_t> counts) const;

 private:
  /// Of the counts of one slot, in rows.
  std::int64_t by_given_shares(std::span<const std::int64_t> counts) const;
  std::int64_t by_own_shares(std::span<const std::int64_t> counts) const;

  std::vector<std::int64_t> shares_;
  bool has_own_shares_;
};

}  // namespace sosia
