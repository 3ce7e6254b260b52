// SPDX-License-Identifier: Apache-2.0
// The accountant: from a plan to (epsilon, delta), and back. Knows no data.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sosia/plan.h>

namespace sosia {

/// An epsilon that one accountant proves for a plan at a given delta.
struct Bound {
  std::string accountant;       ///< "gdp", "pld", "rdp" or "zcdp"
  double epsilon;               ///< proved: the plan is (epsilon, delta)-DP
  std::optional<double> error;  ///< a bound on how far this lies above the accountant's own exact value, if known
  std::string note;             ///< order, grid, or why the bound is loose
};

/// What all accountants say of one plan.
struct Account {
  double delta;
  double epsilon;               ///< the smallest proved epsilon, what is printed
  std::string proved_by;        ///< the accountant that proves it
  std::optional<double> exact;  ///< the discretisation-free value (contour integral), a cross-check, never the claim
  std::vector<Bound> bounds;    ///< every accountant that applies, tightest first
};

/// Prices a plan. An accountant below the exact value is an internal error: nothing is reported then.
/// delta must lie in (0, 1). An empty plan costs nothing.
Account account(const Plan& plan, double delta);

/// The epsilon of one accountant alone: "gdp" (Gaussian events only), "pld", "rdp", "rdp-mironov" (integer orders and
/// the first conversion, as older papers report it) or "zcdp". A usage error if the name is unknown or it does not
/// apply.
Bound bound_by(const Plan& plan, double delta, std::string_view accountant);

/// The smallest proved epsilon at each delta, in the order given.
std::vector<std::pair<double, double>> curve(const Plan& plan, const std::vector<double>& deltas);

/// An event of a plan whose noise is still open: its share of the budget, or none if the event is fixed.
struct OpenPlan {
  Plan plan;                   ///< the noise of events with a share is a placeholder
  std::vector<double> shares;  ///< one per event: > 0 to be calibrated, 0 to be kept as it is
};

/// The plan with the least noise that stays within (epsilon, delta). The events with shares get noise in these
/// proportions: for Gaussian events a share is one of mu^2. The returned plan has been priced again, and its
/// epsilon never exceeds the target. Throws a budget error if the fixed events alone exceed it.
Plan calibrate(const OpenPlan& open, double epsilon, double delta);

/// The Gaussian multiplier sigma / sensitivity for (epsilon, delta), exact (Balle and Wang 2018), rounded up.
double gaussian_noise(double epsilon, double delta);

}  // namespace sosia
