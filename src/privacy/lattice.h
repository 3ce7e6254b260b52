// SPDX-License-Identifier: Apache-2.0
// The integer grid of one release, chosen from public numbers only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <sosia/plan.h>

#include "privacy/count_map.h"

namespace sosia {

struct Promise;  // sosia/ledger.h

/// All that a grid depends on. Equal requests give equal grids, on every machine.
struct GridRequest {
  double noise = 0.0;         ///< the multiplier of the event that is charged
  double norm_bound = 0.0;    ///< the largest L2 norm of one row's vector
  double count_weight = 0.0;  ///< above 0: what a row adds to the count of its part, beside its vector
  bool nonnegative = false;   ///< no entry of a vector is negative
  bool sampled = false;       ///< the event is a SampledGaussian: its multiplier ignores the relation
  bool signed_count = false;  ///< a row may add the weight of a count or take it away
  Neighbors relation = Neighbors::add_remove;
  std::int64_t max_rows = 1;  ///< rows of one privacy unit
  std::int64_t row_limit = 1;

  bool operator==(const GridRequest&) const = default;
};

/// A row's vector is cut to integers, multiples of `step`, whose norm is at most `norm`, and adds `count`, at most
/// count_weight / norm_bound * norm, to the count of its part; noise of standard deviation 2^bits is added to the sums.
///
/// Sensitivity. Let t = count_weight / norm_bound. A row adds at most norm * sqrt(1 + t^2), and a unit at most max_rows
/// rows. Two neighbouring sums differ by at most
///     Delta = geometry * max_rows * norm,
///     geometry = sqrt(1 + t^2) (add-remove, zero-out: the contribution itself, or, for a sampled event, by the
///                definition of its multiplier); for replace
///                sqrt(2 (1 + t^2)) if no entry is negative: the inner product of two contributions is then not
///                negative, and |a - b|^2 <= |a|^2 + |b|^2;
///                max(2, sqrt(2 (1 + t^2))) if a unit is one row and counts have no signs: in the same part the counts
///                cancel, and in different parts the contributions are orthogonal;
///                2 sqrt(1 + t^2) else, by the triangle inequality.
/// The grid guarantees Delta / 2^bits <= 1 / noise without any rounding slack, so the event that is charged is true
/// to the letter: the release is a post-processing of the Gaussian mechanism of multiplier `noise`.
///
/// Overflow. row_limit * max(norm, count) < 2^62, and no entry of a vector exceeds its norm, so the sums of any rows
/// fit.
struct Lattice {
  int bits = 0;
  double step = 0.0;
  std::int64_t norm = 0;
  std::int64_t count = 0;

  double sigma() const;
  bool operator==(const Lattice&) const = default;
};

/// As many bits as fit, kMostBits at most. Cutting moves a sum of n rows by less than n / 2^bits of sigma.
/// Throws a usage error for a request out of range or one that leaves fewer than kLeastBits.
Lattice make_lattice(const GridRequest& request);
inline constexpr int kMostBits = 35;
inline constexpr int kLeastBits = 20;

/// The standard deviation of the noise on counts, of which a row adds 1 to one in each of `slots` histograms.
double count_sigma(double noise, std::size_t slots, const Promise& promise);

/// sqrt(sum of weight^2), the norm bound of a row's counts. Throws a usage error for slots that make no sense.
double norm_of_slots(std::span<const CountSlot> slots);

/// What a count in each slot is worth on the grid: about weight / step, with sum of squares <= lattice.norm^2 exactly.
std::vector<std::int64_t> grid_weights(std::span<const CountSlot> slots, const Lattice& lattice);

}  // namespace sosia
