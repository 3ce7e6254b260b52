// SPDX-License-Identifier: Apache-2.0
#include "audit_bounds.h"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <numbers>
#include <string>

#include <sosia/error.h>

#include "privacy/accounting/normal.h"

namespace sosia::accounting {

namespace {

void require(bool holds, const std::string& problem, const std::string& fix) {
  if (!holds) throw Error(ErrorKind::usage, problem, "audit", fix);
}

void check_trials(std::int64_t hits, std::int64_t trials, double alpha) {
  require(trials >= 1 && hits >= 0 && hits <= trials, "hits and trials do not fit together",
          "give at least one trial and at most as many hits");
  require(alpha > 0.0 && alpha < 1.0, "alpha is outside (0, 1)", "give a probability of error such as 0.05");
}

/// log((rate - delta) / error), 0 if that is not positive.
double separation(double rate, double error, double delta) {
  return rate > delta + error ? std::log((rate - delta) / error) : 0.0;
}

}  // namespace

double clopper_pearson_lower(std::int64_t hits, std::int64_t trials, double alpha) {
  check_trials(hits, trials, alpha);
  if (hits == 0) return 0.0;
  const auto k = static_cast<double>(hits), n = static_cast<double>(trials);
  return boost::math::ibeta_inv(k, n - k + 1.0, alpha);
}

double clopper_pearson_upper(std::int64_t hits, std::int64_t trials, double alpha) {
  check_trials(hits, trials, alpha);
  if (hits == trials) return 1.0;
  const auto k = static_cast<double>(hits), n = static_cast<double>(trials);
  return boost::math::ibetac_inv(k + 1.0, n - k, alpha);
}

double audit_epsilon(const AttackScore& score, double delta, double alpha) {
  require(delta >= 0.0 && delta < 1.0, "delta is outside [0, 1)", "give the delta of the claim");
  const double side = 0.5 * alpha;
  const double true_positive = clopper_pearson_lower(score.true_positives, score.positives, side);
  const double false_positive = clopper_pearson_upper(score.false_positives, score.negatives, side);
  const double true_negative = clopper_pearson_lower(score.negatives - score.false_positives, score.negatives, side);
  const double false_negative = clopper_pearson_upper(score.positives - score.true_positives, score.positives, side);
  return std::max(separation(true_positive, false_positive, delta), separation(true_negative, false_negative, delta));
}

double best_attack_rate(double mu, double false_positive_rate) {
  if (false_positive_rate <= 0.0 || false_positive_rate >= 1.0) return std::clamp(false_positive_rate, 0.0, 1.0);
  return normal_cdf(normal_quantile(false_positive_rate) + mu);
}

double best_attack_area(double mu) { return normal_cdf(mu / std::numbers::sqrt2); }

}  // namespace sosia::accounting
