// SPDX-License-Identifier: Apache-2.0
// The privacy loss of one mechanism: all that the accountants ask of it.
#pragma once

#include <complex>
#include <limits>
#include <memory>
#include <optional>

#include <sosia/plan.h>

namespace sosia::accounting {

/// The two orders of a dominating pair (P, Q). They are composed separately; delta is the larger one at the end.
enum class Direction { remove, add };

/// A dominating pair (P, Q) of a mechanism (Zhu, Dong, Wang 2022), seen through its privacy loss L = log dP/dQ
/// with x drawn from P; for `Direction::add` the roles of P and Q are exchanged.
class LossModel {
 public:
  virtual ~LossModel() = default;

  /// The hockey-stick divergence E_P[(1 - e^(epsilon - L))_+], any sign of epsilon. Includes `infinity_mass`.
  virtual double delta(double epsilon, Direction direction) const = 0;

  /// log E_P[e^(s L); L finite] for a complex s with real part in (-1, infinity): for real s = alpha - 1 this is
  /// (alpha - 1) times the Renyi divergence of order alpha.
  virtual std::complex<double> log_moment(std::complex<double> s, Direction direction) const = 0;

  /// The Renyi divergence of this order, the larger of both directions; a mechanism with a bound tighter than
  /// that of its dominating pair gives it here.
  virtual double renyi(double order) const;

  /// The loss range outside of which less than `tail` of the mass lies: [lowest, highest].
  struct Range {
    double lowest, highest;
  };
  virtual Range range(double tail, Direction direction) const = 0;

  /// rho such that the mechanism is rho-zCDP, if there is one.
  virtual std::optional<double> rho() const { return std::nullopt; }

  /// epsilon such that the mechanism is (epsilon, infinity_mass)-DP; infinite where there is none.
  virtual double pure_epsilon() const { return std::numeric_limits<double>::infinity(); }

  /// The largest finite loss in this direction; infinite where there is none.
  virtual double largest_loss(Direction /*direction*/) const { return pure_epsilon(); }

  /// P(L = infinity): what no epsilon covers.
  virtual double infinity_mass() const { return 0.0; }

  /// A loss value of which all atoms of L are multiples, 0 if there is none: the grid of the PLD is aligned with it.
  virtual double atom() const { return 0.0; }

  /// True if the pair is attained by the mechanism, so that its delta is exact and not only an upper bound.
  virtual bool tight() const { return true; }

  /// True if both directions have the same loss distribution.
  virtual bool symmetric() const { return true; }

  /// True if the loss has a smooth density, so that its characteristic function decays: the contour integral
  /// needs at least one such part.
  virtual bool smooth() const { return false; }
};

/// The model of a mechanism under this relation. The mechanism has been validated.
std::unique_ptr<LossModel> make_loss_model(const Mechanism& mechanism, Neighbors relation);

}  // namespace sosia::accounting
