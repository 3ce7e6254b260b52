// SPDX-License-Identifier: Apache-2.0
// Dimension-wise prediction: every column, or 5 to 50 drawn ones of a wide table, is guessed from all others, by a
// model that is trained on made rows and tested on the holdout. Categories: accuracy of linear discriminants; numbers:
// R2 of linear regression, at least -1, since a model may be wrong without bound. Up to 5,000 rows each. The parts are
// these; the score is their mean absolute difference from those of models that are trained on real rows.
#include <algorithm>
#include <cmath>
#include <limits>

#include "eval/learners/learner.h"
#include "eval/learners/ridge.h"
#include "eval/learners/success.h"
#include "eval/metrics.h"
#include "eval/target_rows.h"

namespace sosia::eval {

namespace {

constexpr std::size_t kMostRows = 5000, kMostColumns = 50, kLeastColumns = 5;
constexpr std::size_t kMostFeatures = 5000;  // of all models together: the time grows with the cube of each one's
constexpr double kWorst = -1.0;

/// How well a model that is trained on these rows guesses the column.
double success_of(const TargetRows& train, const TargetRows& test, const ColumnOutline& column, ThreadPool& pool) {
  if (train.empty() || test.empty()) return std::numeric_limits<double>::quiet_NaN();
  if (column.is_number()) {
    // A column that is constant in the holdout is no test: NaN goes through.
    const double share = explained_share(Ridge(train.x(), train.numbers, pool).predict(test.x()), test.numbers);
    return share < kWorst ? kWorst : share;
  }
  const auto learner = linear_discriminant();
  learner->fit({train.x(), train.labels, column.values}, pool);
  return accuracy(guesses_of(learner->scores(test.x(), pool), column.values), test.labels);
}

Finding measure(const Comparison& comparison) {
  Finding found;
  double sum = 0.0, defined = 0.0;
  PublicRng choice = rng_of(comparison.seed, Stream::prediction_columns);
  const std::size_t affordable = kMostFeatures / Features(comparison.outline, comparison.real).width();
  const std::size_t most = std::clamp(affordable, kLeastColumns, kMostColumns);
  std::vector<std::size_t> columns = draw_columns(comparison.outline.size(), most, choice);
  if (comparison.outline.size() == 1) columns.clear();  // nothing to guess it from
  for (const std::size_t c : columns) {
    const Features features(comparison.outline, comparison.real, c);
    PublicRng rng = rng_of(comparison.seed, Stream::prediction_rows);
    const auto rows_of = [&](const Rows& rows) {
      return target_rows(rows, comparison.outline, c, features, kMostRows, rng);
    };
    const TargetRows test = rows_of(*comparison.holdout), real = rows_of(comparison.real);
    const TargetRows made = rows_of(comparison.made);
    const double by_made = success_of(made, test, comparison.outline[c], comparison.pool);
    const double difference = by_made - success_of(real, test, comparison.outline[c], comparison.pool);
    found.parts.push_back({{comparison.outline[c].name}, by_made});
    if (std::isnan(difference)) continue;
    sum += std::abs(difference);
    defined += 1.0;
  }
  found.value = sum / defined;
  found.counted = {{"columns", static_cast<double>(columns.size())}};
  return found;
}

}  // namespace

Metric prediction_metric() {
  return {.info = {.name = "prediction",
                   .summary = "every column guessed from the others: mean difference to a model of the real rows",
                   .group = MetricGroup::use,
                   .needs_holdout = true},
          .measure = measure,
          .describes = true};
}

}  // namespace sosia::eval
