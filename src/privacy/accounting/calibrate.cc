// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include <sosia/accounting.h>
#include <sosia/error.h>

#include "privacy/accounting/composition.h"
#include "privacy/accounting/contour.h"
#include "privacy/accounting/gaussian.h"
#include "privacy/accounting/numbers.h"
#include "privacy/accounting/pld.h"
#include "privacy/accounting/ranges.h"
#include "privacy/accounting/rdp.h"

namespace sosia {

namespace {

using namespace accounting;
/// Added to the noise, so that a ledger that adds up the costs of its events, rounding up, still accepts them all.
constexpr double kHeadroom = 1e-11;

[[noreturn]] void refuse(ErrorKind kind, const std::string& problem, const std::string& fix) {
  throw Error(kind, problem, "calibration", fix);
}

void check_target(double epsilon, double delta) {
  if (!(epsilon > 0.0 && std::isfinite(epsilon))) {
    refuse(ErrorKind::usage, fmt::format("epsilon is {}, outside its range", epsilon), "set epsilon above 0");
  }
  if (!(delta > 0.0 && delta < 1.0)) {
    refuse(ErrorKind::usage, fmt::format("delta is {}, outside its range", delta),
           "set delta to a number strictly between 0 and 1");
  }
}

void check_shares(const OpenPlan& open) {
  if (open.shares.size() != open.plan.events.size()) {
    refuse(ErrorKind::usage, fmt::format("{} shares for {} events", open.shares.size(), open.plan.events.size()),
           "give one share an event, 0 for events that are fixed");
  }
  const bool valid = std::all_of(open.shares.begin(), open.shares.end(),
                                 [](double share) { return share >= 0.0 && std::isfinite(share); });
  const bool any = std::any_of(open.shares.begin(), open.shares.end(), [](double share) { return share > 0.0; });
  if (!valid || !any) {
    refuse(ErrorKind::usage, valid ? "no event has a share" : "a share is negative or not a number",
           "give every event to be calibrated a share above 0");
  }
}

/// The mechanism with `factor` times the noise, within the range of what can be priced.
Mechanism scaled(const Mechanism& mechanism, double factor) {
  struct Scale {
    double factor;
    double noise(double x) const { return std::clamp(x * factor, kNoise.least, kNoise.most); }
    double sigma(double x) const { return std::clamp(x * factor, kSigma.least, kSigma.most); }
    double epsilon(double x) const { return std::clamp(x / factor, kEpsilon.least, kEpsilon.most); }
    Mechanism operator()(Gaussian m) const { return Gaussian{noise(m.noise)}; }
    Mechanism operator()(SampledGaussian m) const { return SampledGaussian{m.rate, noise(m.noise)}; }
    Mechanism operator()(GroupedGaussian m) const { return GroupedGaussian{m.rate, noise(m.noise)}; }
    Mechanism operator()(Laplace m) const { return Laplace{epsilon(m.epsilon)}; }
    Mechanism operator()(Geometric m) const { return Geometric{epsilon(m.epsilon), m.sensitivity}; }
    Mechanism operator()(DiscreteGaussian m) const { return DiscreteGaussian{sigma(m.sigma), m.sensitivity}; }
    Mechanism operator()(Exponential m) const { return Exponential{epsilon(m.epsilon)}; }
    Mechanism operator()(NoisyMax m) const { return NoisyMax{epsilon(m.epsilon)}; }
    Mechanism operator()(PartitionSelection m) const { return PartitionSelection{epsilon(m.epsilon), m.delta}; }
  };
  return std::visit(Scale{factor}, mechanism);
}

/// The mechanism with noise of the order of its sensitivity: where the search starts, whatever the placeholder.
Mechanism unit_noise(const Mechanism& mechanism) {
  struct Unit {
    Mechanism operator()(Gaussian) const { return Gaussian{1.0}; }
    Mechanism operator()(SampledGaussian m) const { return SampledGaussian{m.rate, 1.0}; }
    Mechanism operator()(GroupedGaussian m) const { return GroupedGaussian{m.rate, 1.0}; }
    Mechanism operator()(Laplace) const { return Laplace{1.0}; }
    Mechanism operator()(Geometric m) const { return Geometric{1.0, m.sensitivity}; }
    Mechanism operator()(DiscreteGaussian m) const {
      return DiscreteGaussian{static_cast<double>(m.sensitivity), m.sensitivity};
    }
    Mechanism operator()(Exponential) const { return Exponential{1.0}; }
    Mechanism operator()(NoisyMax) const { return NoisyMax{1.0}; }
    Mechanism operator()(PartitionSelection m) const { return PartitionSelection{1.0, m.delta}; }
  };
  return std::visit(Unit{}, mechanism);
}

/// How far a plan is above its target, in logarithms and quickly: of delta where the contour integral gives it, else of
/// epsilon. Only the search uses it; the result is priced in full.
double quick_excess(const Plan& plan, double epsilon, double delta) {
  const Composition composition = compose_models(plan);
  if (!std::isfinite(composition.total_mu())) return kInfinity;
  if (composition.all_gaussian()) return std::log(gaussian_delta(composition.total_mu(), epsilon) / delta);
  if (composition.tight() && epsilon < 100.0) {
    const auto remove = contour_delta(composition, epsilon, Direction::remove);
    const auto add = composition.symmetric() ? remove : contour_delta(composition, epsilon, Direction::add);
    if (remove && add) return std::log(std::max(*remove, *add) / delta);
  }
  double cost = pld_epsilon(composition, delta, {.tolerance = 1e-5, .most_points = 1 << 19}).epsilon;
  if (!composition.tight()) cost = std::min(cost, rdp_epsilon(composition, delta).epsilon);
  return std::log(cost / epsilon);
}

/// The factor on the noise at which a falling excess meets 0: by secants, kept inside a bracket. On the side below 0.
double find_factor(const std::function<double(double)>& excess, double tolerance) {
  const auto at = [&](double log_factor) {
    const double value = excess(std::exp(log_factor));
    return std::isnan(value) ? 50.0 : std::clamp(value, -50.0, 50.0);
  };
  double low = 0.0, at_low = at(0.0), high = 0.0, at_high = at_low;
  for (double stride = 0.1; at_high > 0.0 && high < 40.0; stride *= 2.0) {
    low = high, at_low = at_high, high += stride, at_high = at(high);
  }
  for (double stride = 0.1; at_low <= 0.0 && low > -40.0; stride *= 2.0) {
    high = low, at_high = at_low, low -= stride, at_low = at(low);
  }
  int same = 0;  // how often in a row the lower (negative) or upper end has moved
  for (int i = 0; i < 60 && high - low > tolerance; ++i) {
    const double secant = low + (high - low) * at_low / (at_low - at_high);
    const double edge = 0.1 * tolerance;
    // Two moves of one end: halve instead, so that the bracket shrinks from both.
    const bool halve = std::abs(same) >= 2;
    const double x = halve ? 0.5 * (low + high) : std::clamp(secant, low + edge, high - edge);
    const double value = at(x);
    if (value > 0.0) {
      low = x, at_low = value, same = halve ? 0 : std::min(same, 0) - 1;
    } else {
      high = x, at_high = value, same = halve ? 0 : std::max(same, 0) + 1;
    }
  }
  return std::exp(high);
}

/// The event with noise such that it alone would use its share of the budget. A share is one of mu^2; a mechanism that
/// is not Gaussian may cost what a Gaussian of that mu would.
Event with_share(const Event& event, double share, double mu, double delta, Neighbors relation) {
  Event result = event;
  const double own_mu = std::sqrt(share) * mu;
  if (std::holds_alternative<Gaussian>(event.mechanism)) {
    result.mechanism = Gaussian{std::sqrt(static_cast<double>(event.count)) / own_mu};
    return result;
  }
  const Mechanism unit = unit_noise(event.mechanism);
  const double target = std::max(gaussian_epsilon(own_mu, delta), 1e-9);
  const auto excess = [&](double factor) {
    return quick_excess({relation, {{scaled(unit, factor), event.count, ""}}}, target, delta);
  };
  result.mechanism = scaled(unit, find_factor(excess, 1e-3));
  return result;
}

Plan scaled_plan(const Plan& plan, const std::vector<double>& shares, double factor) {
  Plan result = plan;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i] > 0.0) result.events[i].mechanism = scaled(plan.events[i].mechanism, factor);
  }
  return result;
}

/// What the events without a share cost by themselves. Throws if that leaves nothing.
void check_fixed(const OpenPlan& open, double epsilon, double delta) {
  Plan fixed{open.plan.relation, {}};
  for (std::size_t i = 0; i < open.shares.size(); ++i) {
    if (open.shares[i] == 0.0) fixed.events.push_back(open.plan.events[i]);
  }
  const double cost = account(fixed, delta).epsilon;
  if (cost < epsilon) return;
  refuse(ErrorKind::budget, fmt::format("the fixed events alone cost epsilon {:.6g} of {:.6g}", cost, epsilon),
         "raise epsilon, or give the fixed events more noise");
}

/// The plan with the least noise near `factor` whose full price is within epsilon. The price falls like a power of the
/// factor, between the first and the second as a rule: a few corrections meet the target to 1e-6.
Plan priced_in_full(const Plan& reference, const std::vector<double>& shares, double factor, double epsilon,
                    double delta) {
  constexpr double kClose = 1e-6;
  std::optional<Plan> best;
  double power = 1.5, last_log = 0.0, last_excess = 0.0;
  for (int i = 0; i < 40; ++i) {
    Plan plan = scaled_plan(reference, shares, factor);
    const double priced = account(plan, delta).epsilon;
    const double excess = std::isfinite(priced) ? std::log(priced / epsilon) : 1.0;
    if (priced <= epsilon) best = std::move(plan);
    if (best && (excess > -kClose || i >= 4)) return *best;
    const double here = std::log(factor);
    if (i > 0 && here != last_log) power = std::clamp((last_excess - excess) / (here - last_log), 0.2, 3.0);
    last_log = here, last_excess = excess;
    // A little to the safe side; more of it the longer it takes.
    const double margin = std::clamp(0.1 * std::abs(excess), 1e-13, 0.2 * kClose);
    factor = std::exp(here + std::clamp(excess / power, -1.0, 1.0) + std::ldexp(margin, i));
  }
  refuse(ErrorKind::budget, fmt::format("no amount of noise brings the plan to epsilon {:.6g}", epsilon),
         "raise epsilon or delta: the fixed events or the deltas of partition selections leave too little");
}

}  // namespace

Plan calibrate(const OpenPlan& open, double epsilon, double delta) {
  check_target(epsilon, delta);
  check_shares(open);
  validate(open.plan);
  check_fixed(open, epsilon, delta);
  double total = 0.0;
  for (const double share : open.shares) total += share;
  const double mu = gaussian_mu(epsilon, delta);
  Plan reference = open.plan;
  for (std::size_t i = 0; i < open.shares.size(); ++i) {
    if (open.shares[i] == 0.0) continue;
    reference.events[i] = with_share(open.plan.events[i], open.shares[i] / total, mu, delta, open.plan.relation);
  }
  const auto excess = [&](double factor) {
    return quick_excess(scaled_plan(reference, open.shares, factor), epsilon, delta);
  };
  // Where the quick value is exact, to the last digits; else the full price decides them.
  double factor = find_factor(excess, compose_models(reference).all_gaussian() ? 1e-14 : 1e-8);
  return priced_in_full(reference, open.shares, factor * (1.0 + kHeadroom), epsilon, delta);
}

double gaussian_noise(double epsilon, double delta) {
  if (epsilon != 0.0) check_target(epsilon, delta);
  check_target(1.0, delta);
  double noise = (1.0 + kHeadroom) / gaussian_mu(epsilon, delta);
  // The reciprocal is rounded: what counts is that the noise returned is enough.
  while (!(gaussian_delta(1.0 / noise, epsilon) <= delta)) noise = std::nextafter(noise, kInfinity);
  return noise;
}

}  // namespace sosia
