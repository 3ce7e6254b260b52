// SPDX-License-Identifier: Apache-2.0
// Train on made rows, test on the holdout, for a target that is a number: linear regression (learners/ridge.h) on up to
// 50,000 made rows predicts it for up to 50,000 rows of the holdout, rows without it left out. The score is R2: 1 less
// the squared errors by those of the mean.
#include <limits>

#include "eval/learners/ridge.h"
#include "eval/metrics.h"
#include "eval/target_rows.h"

namespace sosia::eval {

namespace {

constexpr std::size_t kMostRows = 50000;

Finding measure(const Comparison& comparison) {
  const Features features(comparison.outline, comparison.real, comparison.target);
  PublicRng rng = rng_of(comparison.seed, Stream::training_rows);
  const auto rows_of = [&](const Rows& rows) {
    return target_rows(rows, comparison.outline, *comparison.target, features, kMostRows, rng);
  };
  const TargetRows test = rows_of(*comparison.holdout), train = rows_of(comparison.made);
  Finding found{.value = std::numeric_limits<double>::quiet_NaN()};
  found.counted = {{"training rows", static_cast<double>(train.indices.size())},
                   {"test rows", static_cast<double>(test.indices.size())}};
  if (train.empty() || test.empty()) return found;
  found.value = explained_share(Ridge(train.x(), train.numbers, comparison.pool).predict(test.x()), test.numbers);
  return found;
}

}  // namespace

Metric regression_metric() {
  return {{.name = "regression",
           .summary = "train on synthetic, test on the holdout, for a number: R2 of linear regression",
           .group = MetricGroup::use,
           .better = Better::larger,
           .needs_holdout = true,
           .target = TargetNeed::number},
          measure};
}

}  // namespace sosia::eval
