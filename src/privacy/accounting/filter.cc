// SPDX-License-Identifier: Apache-2.0
#include "privacy/accounting/filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <sosia/accounting.h>
#include <sosia/error.h>

#include "base/number_text.h"
#include "privacy/accounting/gaussian.h"
#include "privacy/accounting/loss_model.h"
#include "privacy/accounting/numbers.h"
#include "privacy/accounting/rdp.h"

namespace sosia::accounting {

namespace {

/// Of the limit, kept back for the rounding of costs, sums and the limit itself; a tenth of it is let through, so that
/// events that are meant to use up the budget are not refused for their last bit.
constexpr double kHeadroom = 1e-12;
constexpr double kLetThrough = 0.1 * kHeadroom;
/// A delta is the chance that a promise does not hold. Above this it promises nothing worth the name.
constexpr double kMostDelta = 0.1;

void check(bool holds, const std::string& what, const std::string& fix) {
  if (!holds) throw Error(ErrorKind::usage, what, "the promise of the ledger", fix);
}

void validate(const Promise& p) {
  check(p.epsilon > 0.0 && std::isfinite(p.epsilon), fmt::format("epsilon is {}", p.epsilon),
        "give a finite epsilon above 0, for instance 1");
  check(p.delta >= kLeastDelta && p.delta <= kMostDelta, fmt::format("delta is {}", p.delta),
        fmt::format("give a delta from {} to {}, well below 1 / (number of records), for instance 1e-6", kLeastDelta,
                    kMostDelta));
  check(p.selection_delta >= 0.0 && p.selection_delta < p.delta,
        fmt::format("{} of delta {} is set aside for partition selection", p.selection_delta, p.delta),
        "set aside less than delta itself, for instance half of it");
  check(p.delta - p.selection_delta >= kLeastDelta,
        fmt::format("only {} of delta is left beside partition selection", p.delta - p.selection_delta),
        "set aside less, for instance half of it");
  check(p.unit.max_rows >= 1, fmt::format("a privacy unit may have {} rows", p.unit.max_rows), "allow at least 1 row");
  check(!p.unit.column.empty() || p.unit.max_rows == 1,
        fmt::format("{} rows a unit, but no column that tells units apart", p.unit.max_rows),
        "name the id column of the privacy unit");
}

/// The largest Renyi divergence of this order that the tight conversion turns into at most (epsilon, delta), its
/// inverse.
double rdp_budget(double order, double epsilon, double delta) {
  return epsilon - std::log1p(-1.0 / order) + (std::log(delta) + std::log(order)) / (order - 1.0);
}

/// The order at which Gaussian releases get the most out of (epsilon, delta): the largest rho with
/// rho * order <= the Renyi budget of that order.
double best_order(double epsilon, double delta) {
  double best = 2.0, best_rho = 0.0;
  for (double order = 1.01; order < 1e5; order *= 1.01) {
    const double rho = rdp_budget(order, epsilon, delta) / order;
    if (rho > best_rho) best = order, best_rho = rho;
  }
  return best;
}

bool same(const Event& a, const Event& b) {
  return a.mechanism.index() == b.mechanism.index() && std::visit(
                                                           [&](const auto& x) {
                                                             using T = std::decay_t<decltype(x)>;
                                                             return x == std::get<T>(b.mechanism);
                                                           },
                                                           a.mechanism);
}

[[noreturn]] void refuse(const Event& event, const std::string& what, const std::string& fix) {
  const std::string label = event.label.empty() ? "" : fmt::format(" \"{}\"", event.label);
  throw Error(ErrorKind::budget, what,
              fmt::format("the {} event{}; nothing was spent", name_of(event.mechanism), label), fix);
}

}  // namespace

Filter::Filter(const Promise& promise, Spending spending) : promise_(promise), spending_(spending) {
  validate(promise);
  const double delta = promise.delta - promise.selection_delta;
  if (spending == Spending::gaussian) {
    const double mu = gaussian_mu(promise.epsilon, delta);
    limit_ = mu * mu;
  } else if (spending == Spending::renyi) {
    order_ = best_order(promise.epsilon, delta);
    limit_ = rdp_budget(order_, promise.epsilon, delta);
  } else {
    check(false, "planned spending without a plan", "open the ledger with its plan");
  }
  limit_ *= 1.0 - kHeadroom;
}

Filter::Filter(const Promise& promise, const Plan& plan)
    : promise_(promise), spending_(Spending::planned), left_(plan.events) {
  validate(promise);
  if (plan.relation != promise.relation) {
    throw Error(
        ErrorKind::budget,
        fmt::format("the plan is under {}, the promise under {}", name_of(plan.relation), name_of(promise.relation)),
        "the ledger's plan", "use one neighbouring relation for both");
  }
  plan_epsilon_ = account(plan, promise.delta).epsilon;
  if (plan_epsilon_ > promise.epsilon) {
    throw Error(
        ErrorKind::budget,
        fmt::format("the plan costs epsilon {:.6g}, more than the promised {:.6g}", plan_epsilon_, promise.epsilon),
        fmt::format("the ledger's plan, at delta {}; nothing was spent", exact_or_up_text(promise.delta)),
        "add noise or leave out events: `sosia account --plan` finds noise that fits");
  }
}

Filter::Cost Filter::cost(const Event& event) const {
  sosia::validate(event);
  const auto model = make_loss_model(event.mechanism, promise_.relation);
  const auto count = static_cast<double>(event.count);
  const Cost none{kInfinity, 0.0};
  const double delta = count * model->infinity_mass();
  if (spending_ == Spending::renyi) {
    const double divergence = model->renyi(order_);
    // A numerical failure must not give budget back.
    return {divergence >= 0.0 ? count * divergence : kInfinity, delta};
  }
  if (const auto* exponential = std::get_if<Exponential>(&event.mechanism)) {
    const double mu = gaussian_mu_of_range(exponential->epsilon);
    return {count * mu * mu, delta};
  }
  if (const double pure = model->pure_epsilon(); std::isfinite(pure)) {
    const double mu = pure > 0.0 ? gaussian_mu_of_pure(pure) : 0.0;
    return {count * mu * mu, delta};
  }
  // A sampled or discrete Gaussian is not mu-GDP for a useful mu; only the plain one, or one of rate 1.
  if (const auto* gaussian = std::get_if<Gaussian>(&event.mechanism)) {
    return {count / (gaussian->noise * gaussian->noise), delta};
  }
  const auto* sampled = std::get_if<SampledGaussian>(&event.mechanism);
  return sampled != nullptr && sampled->rate == 1.0 ? Cost{count * 2.0 * *model->rho(), delta} : none;
}

double Filter::epsilon_of(double amount, double total_delta) const {
  const double delta = total_delta - promise_.selection_delta;
  if (amount <= 0.0) return 0.0;
  if (delta <= 0.0) return kInfinity;
  if (spending_ == Spending::gaussian) return gaussian_epsilon(std::sqrt(amount), delta);
  return rdp_to_epsilon(order_, amount, delta, Conversion::tight);
}

double Filter::take_from_plan(const Event& event, std::vector<Event>& left) const {
  const auto found =
      std::find_if(left.begin(), left.end(), [&](const Event& e) { return same(e, event) && e.count >= event.count; });
  if (found == left.end()) return kInfinity;
  found->count -= event.count;
  if (found->count == 0) left.erase(found);
  return plan_epsilon_;
}

double Filter::price(const Event& event) const {
  if (spending_ == Spending::planned) {
    std::vector<Event> left = left_;
    return take_from_plan(event, left);
  }
  const Cost c = cost(event);
  if (c.delta > 0.0 && spent_delta_ + c.delta > promise_.selection_delta) return kInfinity;
  return epsilon_of(spent_ + c.amount, promise_.delta);
}

void Filter::charge(const Event& event) {
  sosia::validate(event);
  if (spending_ == Spending::planned) {
    std::vector<Event> left = left_;
    if (std::isinf(take_from_plan(event, left))) {
      refuse(event, "this event is not in the ledger's plan, or all of its kind have been spent",
             "put it into the plan before the ledger is opened");
    }
    left_ = std::move(left);
    return;
  }
  const Cost c = cost(event);
  if (!(c.amount >= 0.0 && std::isfinite(c.amount))) {
    refuse(event,
           fmt::format("a ledger with {} spending cannot take this {} event",
                       spending_ == Spending::gaussian ? "Gaussian" : "Renyi", name_of(event.mechanism)),
           "open the ledger with a plan, or with renyi spending");
  }
  if (c.delta > 0.0 && spent_delta_ + c.delta > promise_.selection_delta) {
    refuse(event,
           fmt::format("it needs delta {}, and {} of the {} set aside for partition selection is spent",
                       exact_or_up_text(c.delta), exact_or_up_text(spent_delta_),
                       exact_or_up_text(promise_.selection_delta)),
           "set aside more when the ledger is made: sosia ledger create --selection-delta");
  }
  if (spent_ + c.amount > limit_ * (1.0 + kLetThrough)) {
    refuse(event,
           fmt::format("the budget does not allow it: epsilon would be {:.6g}, the promise is {:.6g}",
                       epsilon_of(spent_ + c.amount, promise_.delta), promise_.epsilon),
           fmt::format("use more noise; epsilon {:.6g} is spent so far", spent_epsilon()));
  }
  // Rounded up, so that the sum of many small costs is never below the true one.
  spent_ = std::nextafter(spent_ + c.amount, kInfinity);
  if (c.delta > 0.0) spent_delta_ = std::nextafter(spent_delta_ + c.delta, kInfinity);
}

double Filter::spent_epsilon() const {
  return spending_ == Spending::planned ? plan_epsilon_ : epsilon_of(spent_, promise_.delta);
}

double Filter::epsilon_at(double delta) const { return epsilon_of(limit_, delta); }

double Filter::remaining_mu2() const { return spending_ == Spending::gaussian ? std::max(0.0, limit_ - spent_) : 0.0; }

double Filter::reserve_mu2() {
  const double left = remaining_mu2();
  limit_ -= 2.0 * kLetThrough * left;
  return left;
}

}  // namespace sosia::accounting
