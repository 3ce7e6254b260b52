// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <sosia/accounting.h>
#include <sosia/error.h>

#include "privacy/accounting/composition.h"
#include "privacy/accounting/contour.h"
#include "privacy/accounting/gaussian.h"
#include "privacy/accounting/numbers.h"
#include "privacy/accounting/pld.h"
#include "privacy/accounting/rdp.h"
#include "privacy/accounting/zcdp.h"

namespace sosia {

namespace {

using namespace accounting;
constexpr double kPldGoal = 1e-4;        // how far the PLD may lie above the exact value, relative
constexpr double kContourLimit = 100.0;  // epsilons above this are not checked by the contour integral

void check_delta(double delta) {
  if (delta >= kLeastDelta && delta < 1.0) return;
  throw Error(ErrorKind::usage, fmt::format("delta is {}, outside its range", delta), "accountant",
              "set delta to a number strictly between 0 and 1, well below 1 / (number of units)");
}

/// A single mechanism, run once: its hockey-stick divergence is known in closed form.
double invert_delta(const LossModel& model, double delta) {
  const auto enough = [&](double epsilon) {
    // Two comparisons, so that no NaN passes for a small delta.
    return model.delta(epsilon, Direction::remove) <= delta && model.delta(epsilon, Direction::add) <= delta;
  };
  if (enough(0.0)) return 0.0;
  double low = 0.0, high = 1.0;
  while (!enough(high)) {
    low = high;
    high *= 2.0;
    if (high > 1e15) return kInfinity;
  }
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    if (middle == low || middle == high) break;
    (enough(middle) ? high : low) = middle;
  }
  return high;
}

/// One mechanism, run once, that is not a Gaussian.
bool single_run(const Composition& composition) {
  return composition.parts().size() == 1 && composition.parts().front().count == 1 && !composition.all_gaussian();
}

/// The value without any discretisation, where there is one. `proved` is a bound on it: where that is beyond all use,
/// the contour integral, dear for little noise, is not worth its time.
std::optional<double> exact_epsilon(const Composition& composition, double delta, double proved) {
  if (!composition.tight()) return std::nullopt;
  if (composition.all_gaussian()) return gaussian_epsilon(composition.total_mu(), delta);
  if (single_run(composition)) return invert_delta(*composition.parts().front().model, delta);
  return proved < kContourLimit ? contour_epsilon(composition, delta) : std::nullopt;
}

std::optional<Bound> by_gdp(const Composition& composition, double delta) {
  if (!composition.all_gaussian()) return std::nullopt;
  return Bound{"gdp", gaussian_epsilon(composition.total_mu(), delta), 0.0,
               fmt::format("mu = {:.6g}, exact", composition.total_mu())};
}

/// Also sets `exact`.
Bound by_pld(const Composition& composition, double delta, std::optional<double>& exact) {
  if (single_run(composition)) {
    exact = exact_epsilon(composition, delta, 0.0);
    const double epsilon = invert_delta(*composition.parts().front().model, delta);
    if (std::isinf(epsilon)) return {"pld", epsilon, std::nullopt, "no epsilon covers this delta"};
    return {"pld", epsilon * (1.0 + 1e-12), 1e-12 * epsilon, "a single run: closed form, no grid"};
  }
  PldOptions options;
  PldResult best = pld_epsilon(composition, delta, options);
  exact = exact_epsilon(composition, delta, best.epsilon);
  for (int i = 0; i < 3 && exact && best.epsilon > *exact * (1.0 + kPldGoal); ++i) {
    options.tolerance *= 0.1;
    const PldResult finer = pld_epsilon(composition, delta, options);
    if (!(finer.step < best.step)) break;
    if (finer.epsilon < best.epsilon) best = finer;
  }
  if (std::isinf(best.epsilon)) return {"pld", best.epsilon, std::nullopt, "no grid holds these losses"};
  // Connect-the-dots is never above rounding every loss up to the grid, which costs a step a run.
  const double error = exact ? std::max(0.0, best.epsilon - *exact) : composition.steps() * best.step;
  return {"pld", best.epsilon, error,
          fmt::format("grid step {:.3g}, {} points; {:.1e} of delta for truncation, {:.1e} for rounding", best.step,
                      best.grid, best.truncation, best.roundoff)};
}

Bound by_rdp(const Composition& composition, double delta) {
  const RdpResult result = rdp_epsilon(composition, delta);
  return {"rdp", result.epsilon, std::nullopt, fmt::format("order {:.5g}", result.order)};
}

std::optional<Bound> by_zcdp(const Composition& composition, double delta) {
  const auto rho = total_rho(composition);
  if (!rho) return std::nullopt;
  return Bound{"zcdp", zcdp_epsilon(*rho, delta - composition.infinity_mass()), std::nullopt,
               fmt::format("rho = {:.6g}", *rho)};
}

/// Every bound is proved, so none may lie below the exact value: if one does, there is a bug, and no number can be
/// trusted.
void check_agreement(const std::vector<Bound>& bounds, std::optional<double> exact) {
  for (const Bound& bound : bounds) {
    const bool sound = !std::isnan(bound.epsilon) && bound.epsilon >= 0.0 &&
                       (!exact || bound.epsilon >= *exact * (1.0 - 1e-9) - 1e-12);
    if (sound) continue;
    throw Error(ErrorKind::internal,
                fmt::format("the {} accountant gives {} where the exact value is {}", bound.accountant, bound.epsilon,
                            exact ? fmt::format("{}", *exact) : "unknown"),
                "accountant", "this is a bug in sosia: please report it with the plan that led here");
  }
}

Account free_of_charge(double delta) { return {delta, 0.0, "gdp", 0.0, {{"gdp", 0.0, 0.0, "nothing is released"}}}; }

Account without_limit(double delta) {
  return {delta, kInfinity, "gdp", std::nullopt, {{"gdp", kInfinity, std::nullopt, "the noise is negligible"}}};
}

[[noreturn]] void refuse(std::string_view accountant, const char* why) {
  throw Error(ErrorKind::usage, fmt::format("the {} accountant does not apply: {}", accountant, why), "accountant",
              "choose pld or rdp, which apply to every plan");
}

}  // namespace

Account account(const Plan& plan, double delta) {
  check_delta(delta);
  const Composition composition = compose_models(plan);
  if (composition.empty()) return free_of_charge(delta);
  if (!std::isfinite(composition.total_mu())) return without_limit(delta);
  Account result{delta, kInfinity, "", std::nullopt, {}};
  if (auto bound = by_gdp(composition, delta)) result.bounds.push_back(std::move(*bound));
  result.bounds.push_back(by_pld(composition, delta, result.exact));
  result.bounds.push_back(by_rdp(composition, delta));
  if (auto bound = by_zcdp(composition, delta)) result.bounds.push_back(std::move(*bound));
  check_agreement(result.bounds, result.exact);
  std::sort(result.bounds.begin(), result.bounds.end(),
            [](const Bound& a, const Bound& b) { return a.epsilon < b.epsilon; });
  // Gaussian DP is exact: another accountant can only seem to be below it, by rounding.
  const auto best = composition.all_gaussian()
                        ? std::find_if(result.bounds.begin(), result.bounds.end(),
                                       [](const Bound& bound) { return bound.accountant == "gdp"; })
                        : result.bounds.begin();
  result.epsilon = best->epsilon;
  result.proved_by = best->accountant;
  return result;
}

Bound bound_by(const Plan& plan, double delta, std::string_view accountant) {
  check_delta(delta);
  const Composition composition = compose_models(plan);
  const bool trivial = composition.empty() || !std::isfinite(composition.total_mu());
  const auto bound = [&]() -> std::optional<Bound> {
    if (trivial) return Bound{std::string(accountant), composition.empty() ? 0.0 : kInfinity, std::nullopt, ""};
    if (accountant == "gdp") return by_gdp(composition, delta);
    std::optional<double> exact;
    if (accountant == "pld") return by_pld(composition, delta, exact);
    if (accountant == "rdp") return by_rdp(composition, delta);
    if (accountant == "zcdp") return by_zcdp(composition, delta);
    const RdpResult result = rdp_epsilon(composition, delta, integer_orders(), Conversion::mironov);
    return Bound{"rdp-mironov", result.epsilon, std::nullopt, fmt::format("order {:.0f}", result.order)};
  };
  const std::string_view known[] = {"gdp", "pld", "rdp", "rdp-mironov", "zcdp"};
  if (std::find(std::begin(known), std::end(known), accountant) == std::end(known)) {
    throw Error(ErrorKind::usage, fmt::format("there is no accountant \"{}\"", accountant), "accountant",
                "choose one of: gdp, pld, rdp, rdp-mironov, zcdp");
  }
  const auto result = bound();
  if (!result) refuse(accountant, accountant == "gdp" ? "the plan is not only Gaussian" : "an event has no rho");
  return *result;
}

std::vector<std::pair<double, double>> curve(const Plan& plan, const std::vector<double>& deltas) {
  std::vector<std::pair<double, double>> points;
  for (const double delta : deltas) points.emplace_back(delta, account(plan, delta).epsilon);
  return points;
}

}  // namespace sosia
