// SPDX-License-Identifier: Apache-2.0
// The inner loops of the door for vectors given by factors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "privacy/factor_room.h"
#include "privacy/lattice.h"

namespace sosia {

/// What Quantizer is for vectors that are written down: each row adds an integer vector whose exact norm is at most
/// lattice.norm, and, where signs are asked for, plus or minus lattice.count to one more number. A row with an infinite
/// or undefined factor adds nothing at all. One for each thread: it holds the factors of a stretch of rows.
///
/// Claim. A row's vector v, a sum of outer products (a, 1) x g by blocks, adds integers of norm at most N.
/// Proof. Let u = 2^-53, n the number of factors of a row, T its terms, P the sum of (|a|^2 + 1) |g|^2 over blocks and
/// terms. Squares and products of floats are exact in doubles. So |v|^2, which is P for one term and P plus
/// 2 (a.b + 1) (g.h) for each block of two, is computed up to 4 (n + 16) u P: the error of a sum of products is at most
/// their number times u times the sum of their magnitudes, and by the inequality of Cauchy and Schwarz no cross term
/// exceeds what it stands beside in P. With m = 8 (n + 16) u, U = computed |v|^2 + m P is an upper bound of |v|^2.
/// An entry is made of g s, rounded and cut to 29 digits, times a: exact products. Without the cut it would be that of
/// s v; with it, it is off by at most (2^-28 + u) s times the sum of the magnitudes of its terms, and all entries
/// together by at most 2^-27 s sqrt(P), as (2^-28 + u) sqrt(T) < 2^-27. So these entries have a norm of at most s L,
/// with L = sqrt(U) + (m + 2^-27) sqrt(P), and m s sqrt(P) to spare. Adding a product to a whole number rounds to the
/// nearest one, by 1/2 at most, or, where products of two terms are so large that whole numbers are not told apart, by
/// 2^-51 of the product: all D entries move by at most R = T/2 sqrt(D), and by 2^-51 s sqrt(T P), which is to spare.
/// The factor s is one step's, or if s L would exceed N - R, (N - R) / L, in both cases less 2^-49, which is more than
/// the roundings of L, R and s; where N <= R it is 0. QED
class FactorQuantizer {
 public:
  FactorQuantizer(const Lattice& lattice, std::span<const FactorShape> shapes, std::size_t terms);

  /// Room for the factors of so many rows, filled with zeros.
  std::span<const FactorPair<float>> room(std::size_t rows);
  /// Adds what is in the room. `sums` holds all blocks, and then the sum of signs, if the lattice has a count.
  void add(std::span<std::int64_t> sums);

 private:
  /// The factor s of a row; 0: it adds nothing. `is_whole`: it is within the bound.
  double scale_of(std::size_t row, bool& is_whole) const;
  void scale_row(std::size_t row, double scale);

  Lattice lattice_;
  FactorRoom room_;
  std::size_t rows_ = 0;
  double per_step_, margin_, bound_;
  std::vector<double> wide_;  ///< the left factors and 1; the right factors times s
  std::vector<FactorPair<double>> scaled_;
};

}  // namespace sosia
