// SPDX-License-Identifier: Apache-2.0
// A plan as the accountants see it: loss models with repetition counts.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <sosia/plan.h>

#include "privacy/accounting/loss_model.h"

namespace sosia::accounting {

/// One loss model, composed `count` times with itself.
struct Part {
  std::unique_ptr<LossModel> model;
  std::int64_t count;
};

/// The adaptive composition of independent noises, in as few parts as exact rules allow: all Gaussian releases are
/// one Gaussian of mu = sqrt(sum of mu_i^2) (Dong, Roth, Su 2022, Corollary 3.3), and equal mechanisms are one part.
class Composition {
 public:
  Composition(std::vector<Part> parts, double total_mu);

  const std::vector<Part>& parts() const { return parts_; }
  bool empty() const { return parts_.empty(); }

  /// True if the Gaussian is the only part, so that `total_mu` says everything. False for an empty composition.
  bool all_gaussian() const { return total_mu_ > 0.0 && parts_.size() == 1; }
  /// mu of all Gaussian releases together; 0 if there are none.
  double total_mu() const { return total_mu_; }

  /// 1 - prod (1 - infinity_mass_i)^count_i, rounded up: the delta that no epsilon covers.
  double infinity_mass() const { return infinity_mass_; }
  /// The number of mechanisms run, all counts together.
  double steps() const;
  /// The sum of all largest losses, rounded up: no finite loss of the whole is larger.
  double largest_loss(Direction direction) const;
  /// True if both directions of every part have the same loss distribution.
  bool symmetric() const;
  /// True if at least one part has a smooth loss density: the contour integral converges.
  bool smooth() const;
  /// True if every dominating pair is attained by its mechanism: then the value found by composing pairs is exact.
  bool tight() const;

  /// sum of count * log E_P[e^(s L)], the exponent of the composed loss (see LossModel::log_moment).
  std::complex<double> log_moment(std::complex<double> s, Direction direction) const;
  /// The Renyi divergence of the whole at this order: the sum over all parts (Mironov 2017, Proposition 1).
  double renyi(double order) const;

 private:
  std::vector<Part> parts_;
  double total_mu_;
  double infinity_mass_;
};

/// Validates the plan and builds its composition. A sampled Gaussian of rate 1 is a Gaussian.
Composition compose_models(const Plan& plan);

}  // namespace sosia::accounting
