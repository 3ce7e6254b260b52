// SPDX-License-Identifier: Apache-2.0
// Train on made rows, test on the holdout: classifiers (learners/learner.h) are fitted to made rows and guess the
// target of rows of the holdout, as many of each as target_rows.h can afford. Rows whose target is missing or none of
// the declared values are left out. The score is the mean over classifiers: of the area under the ROC curve for two
// classes, of macro-F1 for more. Its parts are these, average precision and accuracy, by classifier.
#include <limits>

#include "eval/learners/learner.h"
#include "eval/learners/success.h"
#include "eval/metrics.h"
#include "eval/target_rows.h"

namespace sosia::eval {

namespace {

Finding measure(const Comparison& comparison) {
  const std::size_t classes = comparison.outline[*comparison.target].values;
  const Features features(comparison.outline, comparison.real, comparison.target);
  const std::size_t most = affordable_rows(features, comparison.outline[*comparison.target]);
  PublicRng rng = rng_of(comparison.seed, Stream::training_rows);
  const auto rows_of = [&](const Rows& rows) {
    return target_rows(rows, comparison.outline, *comparison.target, features, most, rng);
  };
  const TargetRows test = rows_of(*comparison.holdout), train = rows_of(comparison.made);
  const bool is_empty = train.empty() || test.empty();
  Finding found;
  double sum = 0.0;
  const std::vector<NamedLearner> learners = all_learners(comparison.seed);
  for (const auto& [name, learner] : learners) {
    double main = std::numeric_limits<double>::quiet_NaN(), second = main, right = main;
    if (!is_empty) {
      learner->fit({train.x(), train.labels, classes}, comparison.pool);
      const std::vector<double> scores = learner->scores(test.x(), comparison.pool);
      const std::vector<std::uint32_t> guesses = guesses_of(scores, classes);
      right = accuracy(guesses, test.labels);
      main = macro_f1(guesses, test.labels, classes);
      if (classes == 2) {
        const Ranking ranking = ranking_of(scores, test.labels);
        main = ranking.area;
        second = ranking.precision;
      }
    }
    sum += main;
    found.parts.push_back({{name, classes == 2 ? "area under roc" : "macro f1"}, main});
    if (classes == 2) found.parts.push_back({{name, "average precision"}, second});
    found.parts.push_back({{name, "accuracy"}, right});
  }
  found.value = sum / static_cast<double>(learners.size());
  found.counted = {{"training rows", static_cast<double>(train.labels.size())},
                   {"test rows", static_cast<double>(test.labels.size())}};
  return found;
}

}  // namespace

Metric transfer_metric() {
  return {.info = {.name = "transfer",
                   .summary = "train on synthetic, test on the holdout: mean over classifiers",
                   .group = MetricGroup::use,
                   .better = Better::larger,
                   .needs_holdout = true,
                   .target = TargetNeed::classes},
          .measure = measure,
          .describes = true};
}

}  // namespace sosia::eval
