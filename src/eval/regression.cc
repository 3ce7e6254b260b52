// SPDX-License-Identifier: Apache-2.0
// Train on made rows, test on the holdout, for a target that is a number: linear regression (learners/ridge.h) and
// gradient boosting (learners/boosted_regression.h) are fitted to made rows and predict it for rows of the holdout, as
// many of each as target_rows.h can afford, rows without it left out. The score is the mean of their R2: 1 less the
// squared errors by those of the mean. Its parts are these.
#include <limits>

#include "eval/learners/boosted_regression.h"
#include "eval/learners/ridge.h"
#include "eval/metrics.h"
#include "eval/target_rows.h"

namespace sosia::eval {

namespace {

Finding measure(const Comparison& comparison) {
  const Features features(comparison.outline, comparison.real, comparison.target);
  const std::size_t most = affordable_rows(features, comparison.outline[*comparison.target]);
  PublicRng rng = rng_of(comparison.seed, Stream::training_rows);
  const auto rows_of = [&](const Rows& rows) {
    return target_rows(rows, comparison.outline, *comparison.target, features, most, rng);
  };
  const TargetRows test = rows_of(*comparison.holdout), train = rows_of(comparison.made);
  double linear = std::numeric_limits<double>::quiet_NaN(), boosted = linear;
  if (!train.empty() && !test.empty()) {
    const Ridge ridge(train.x(), train.numbers, comparison.pool);
    const BoostedRegression trees(train.x(), train.numbers, comparison.pool);
    linear = explained_share(ridge.predict(test.x()), test.numbers);
    boosted = explained_share(trees.predict(test.x(), comparison.pool), test.numbers);
  }
  Finding found{.value = (linear + boosted) / 2.0};
  found.parts = {{{"linear regression", "r2"}, linear}, {{"gradient boosting", "r2"}, boosted}};
  found.counted = {{"training rows", static_cast<double>(train.indices.size())},
                   {"test rows", static_cast<double>(test.indices.size())}};
  return found;
}

}  // namespace

Metric regression_metric() {
  return {.info = {.name = "regression",
                   .summary = "train on synthetic, test on the holdout, for a number: mean R2 over regressions",
                   .group = MetricGroup::use,
                   .better = Better::larger,
                   .needs_holdout = true,
                   .target = TargetNeed::number},
          .measure = measure,
          .describes = true};
}

}  // namespace sosia::eval
