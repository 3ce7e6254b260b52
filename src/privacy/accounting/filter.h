// SPDX-License-Identifier: Apache-2.0
// Decides whether one more event is affordable, when events may have been chosen by looking at earlier releases.
#pragma once

#include <memory>
#include <vector>

#include <sosia/ledger.h>

namespace sosia::accounting {

/// A privacy filter: stops before the promise would be broken. Which events come next, their parameters and their
/// number may depend on all earlier releases (for `planned`: on nothing).
///  gaussian: sum of mu_i^2 against the mu^2 of the promise (Smith and Thakurta 2022; Koskela et al. 2023). A pure
///            epsilon-DP event counts as mu = 2 Phi^-1(e^epsilon / (1 + e^epsilon)), which dominates it; an exponential
///            mechanism, whose loss has range epsilon, as one of half its epsilon.
///  renyi:    sum of the Renyi divergences at one order, fixed when the filter is made (Feldman and Zrnic 2021).
///  planned:  the events of the plan in any order, none twice; the price is that of the whole plan from the start.
/// Both adaptive filters keep `selection_delta` apart: deltas of partition selections add up against it alone.
class Filter {
 public:
  /// Throws a usage error for a promise out of range, a budget error for a plan above its promise.
  Filter(const Promise& promise, Spending spending);
  Filter(const Promise& promise, const Plan& plan);

  /// The epsilon spent, at the promise's delta, after charging this event: above the promise if it does not fit in,
  /// infinite if the filter cannot take it at all.
  double price(const Event& event) const;
  /// Charges the event, or throws a budget error and changes nothing.
  void charge(const Event& event);
  double spent_epsilon() const;
  /// The epsilon that the whole budget amounts to at another delta (above selection_delta; not for `planned`). Events
  /// may have been chosen by looking at releases, so what was spent in the end proves less than what might have been.
  double epsilon_at(double delta) const;

  /// What is left of mu^2 (gaussian only, else 0).
  double remaining_mu2() const;
  /// The same, to be reserved elsewhere as one Gaussian event: from here on no more than that can be spent, whatever
  /// the rounding of costs.
  double reserve_mu2();
  const Promise& promise() const { return promise_; }
  Spending spending() const { return spending_; }

 private:
  struct Cost {
    double amount;  ///< mu^2 or Renyi divergence; infinite if the filter cannot take the event
    double delta;
  };
  Cost cost(const Event& event) const;
  double epsilon_of(double amount, double delta) const;
  double take_from_plan(const Event& event, std::vector<Event>& left) const;

  Promise promise_;
  Spending spending_;
  double order_ = 0.0;  ///< renyi: the fixed order
  double limit_ = 0.0;  ///< the most `spent_` may become
  double spent_ = 0.0;
  double spent_delta_ = 0.0;
  std::vector<Event> left_;  ///< planned: what has not been charged yet
  double plan_epsilon_ = 0.0;
};

}  // namespace sosia::accounting
