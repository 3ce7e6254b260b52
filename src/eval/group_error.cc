// SPDX-License-Identifier: Apache-2.0
// Who bears the errors? Logistic regression on up to 20,000 made rows guesses the target of as many rows of the
// holdout; the parts are its error rates among the rows that have a value of a category, for all with at least 30. The
// score is the mean absolute difference from the error rates of a model that is trained on the real rows.
#include <cmath>
#include <limits>

#include "eval/learners/learner.h"
#include "eval/learners/success.h"
#include "eval/metrics.h"
#include "eval/target_rows.h"

namespace sosia::eval {

namespace {

constexpr std::size_t kMostRows = 20000;
constexpr double kLeastGroup = 30.0;  // rows

/// For each row of the test, 1 if a model that is trained on these rows guesses it wrong; NaN without rows.
std::vector<double> errors_of(const Rows& rows, const TargetRows& test, const Comparison& comparison,
                              const Features& features) {
  const std::size_t classes = comparison.outline[*comparison.target].values;
  PublicRng rng = rng_of(comparison.seed, Stream::group_rows);
  const TargetRows train = target_rows(rows, comparison.outline, *comparison.target, features, kMostRows, rng);
  std::vector<double> errors(test.indices.size(), std::numeric_limits<double>::quiet_NaN());
  if (train.empty() || test.empty()) return errors;
  const auto learner = logistic_regression();
  learner->fit({train.x(), train.labels, classes}, comparison.pool);
  const std::vector<std::uint32_t> guesses = guesses_of(learner->scores(test.x(), comparison.pool), classes);
  for (std::size_t i = 0; i < guesses.size(); ++i) errors[i] = guesses[i] != test.labels[i] ? 1.0 : 0.0;
  return errors;
}

Finding measure(const Comparison& comparison) {
  const Outline& outline = comparison.outline;
  const Features features(outline, comparison.real, comparison.target);
  PublicRng rng = rng_of(comparison.seed, Stream::test_rows);
  const TargetRows test = target_rows(*comparison.holdout, outline, *comparison.target, features, kMostRows, rng);
  const std::vector<double> real = errors_of(comparison.real, test, comparison, features);
  const std::vector<double> made = errors_of(comparison.made, test, comparison, features);
  Finding found;
  double sum = 0.0;
  for (std::size_t c = 0; c < outline.size(); ++c) {
    if (outline[c].is_number() || c == *comparison.target) continue;
    std::vector<double> rows(outline[c].states, 0.0), real_errors = rows, made_errors = rows;
    for (std::size_t i = 0; i < test.indices.size(); ++i) {
      const std::uint32_t state = comparison.holdout->codes[c][test.indices[i]];
      rows[state] += 1.0;
      real_errors[state] += real[i];
      made_errors[state] += made[i];
    }
    for (std::size_t s = 0; s < outline[c].values; ++s) {
      if (rows[s] < kLeastGroup) continue;
      found.parts.push_back({{outline[c].name, outline[c].labels[s]}, made_errors[s] / rows[s]});
      sum += std::abs(made_errors[s] - real_errors[s]) / rows[s];
    }
  }
  found.value = sum / static_cast<double>(found.parts.size());
  return found;
}

}  // namespace

Metric group_error_metric() {
  return {.info = {.name = "group_error",
                   .summary = "errors of a model of the target by group: mean difference to a model of the real rows",
                   .group = MetricGroup::coverage,
                   .needs_holdout = true,
                   .target = TargetNeed::classes},
          .measure = measure,
          .describes = true};
}

}  // namespace sosia::eval
