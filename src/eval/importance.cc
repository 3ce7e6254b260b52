// SPDX-License-Identifier: Apache-2.0
// Do models find the same columns important? Logistic regression on up to 10,000 made rows guesses the target of as
// many rows of the holdout; the importance of a column is the accuracy that is lost when its cells are shuffled among
// them. The parts are these, for 50 drawn columns of a wide table; the score is Pearson's correlation with those of a
// model of the real rows.
#include <limits>
#include <numeric>

#include "eval/learners/learner.h"
#include "eval/learners/success.h"
#include "eval/metrics.h"
#include "eval/order_statistics.h"
#include "eval/target_rows.h"

namespace sosia::eval {

namespace {

constexpr std::size_t kMostRows = 10000, kMostColumns = 50;

/// The holdout with the cells of one column in another order.
Rows shuffled(const Rows& rows, std::size_t column, PublicRng& rng) {
  Rows mixed = rows;
  const std::vector<std::size_t> order = draw_rows(rows.count, rows.count, rng);
  for (std::size_t i = 0; i < rows.count; ++i) {
    mixed.codes[column][i] = rows.codes[column][order[i]];
    if (!rows.numbers[column].empty()) mixed.numbers[column][i] = rows.numbers[column][order[i]];
  }
  return mixed;
}

/// Columns that are shuffled, in their order.
std::vector<std::size_t> columns_of(const Comparison& comparison) {
  PublicRng rng = rng_of(comparison.seed, Stream::importance_columns);
  std::vector<std::size_t> columns = draw_columns(comparison.outline.size() - 1, kMostColumns, rng);
  for (std::size_t& c : columns) c += c >= *comparison.target ? 1 : 0;
  return columns;
}

/// By column: what shuffling it costs a model that is trained on these rows.
std::vector<double> importances(const Rows& rows, const std::vector<std::size_t>& columns, const Comparison& comparison,
                                const Features& features) {
  const std::size_t target = *comparison.target, classes = comparison.outline[target].values;
  PublicRng rng = rng_of(comparison.seed, Stream::importance_rows),
            test_rng = rng_of(comparison.seed, Stream::test_rows);
  const TargetRows train = target_rows(rows, comparison.outline, target, features, kMostRows, rng);
  // The same test rows, shuffled in the same way, for every model.
  const TargetRows test = target_rows(*comparison.holdout, comparison.outline, target, features, kMostRows, test_rng);
  std::vector<double> costs;
  if (train.empty() || test.empty()) return costs;
  const auto learner = logistic_regression();
  learner->fit({train.x(), train.labels, classes}, comparison.pool);
  const auto success = [&](MatrixView<const float> x) {
    return accuracy(guesses_of(learner->scores(x, comparison.pool), classes), test.labels);
  };
  const double whole = success(test.x());
  const Rows tested = take(*comparison.holdout, test.indices);
  std::vector<std::size_t> all(tested.count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  for (const std::size_t c : columns) {
    const std::vector<float> vectors = features.vectors(shuffled(tested, c, test_rng), all);
    costs.push_back(whole - success({vectors.data(), all.size(), features.width()}));
  }
  return costs;
}

Finding measure(const Comparison& comparison) {
  const Features features(comparison.outline, comparison.real, comparison.target);
  const std::vector<std::size_t> columns = columns_of(comparison);
  const std::vector<double> real = importances(comparison.real, columns, comparison, features);
  const std::vector<double> made = importances(comparison.made, columns, comparison, features);
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  Finding found{.value = real.size() == made.size() ? correlation(real, made) : kNone};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    found.parts.push_back({{comparison.outline[columns[i]].name}, made.empty() ? kNone : made[i]});
  }
  found.counted = {{"columns", static_cast<double>(columns.size())}};
  return found;
}

}  // namespace

Metric importance_metric() {
  return {.info = {.name = "importance",
                   .summary = "columns that matter to a model of the target: correlation with a model of the real rows",
                   .group = MetricGroup::use,
                   .better = Better::larger,
                   .needs_holdout = true,
                   .target = TargetNeed::classes},
          .measure = measure,
          .describes = true};
}

}  // namespace sosia::eval
