// SPDX-License-Identifier: Apache-2.0
// Can a classifier tell real from made rows? A small net (learners/learner.h) is fitted to one half of up to 10,000
// rows of each table, equally many, and guesses the other half, and the other way round. The score is the area under
// the ROC curve; its part is pMSE (Snoke et al. 2018): the mean squared difference between the chance that it gives to
// `made` and one half, at most 0.25.
#include <algorithm>
#include <cmath>

#include "eval/features.h"
#include "eval/learners/learner.h"
#include "eval/learners/success.h"
#include "eval/metrics.h"

namespace sosia::eval {

namespace {

constexpr std::size_t kMostRows = 10000;

/// Vectors of some rows of both tables, shuffled; the label of a made row is 1.
struct Mixture {
  std::vector<float> vectors;
  std::vector<std::uint32_t> labels;
};

Mixture mixture_of(const Comparison& comparison, const Features& features, PublicRng& rng) {
  const std::size_t count = std::min({kMostRows, comparison.real.count, comparison.made.count});
  const auto real = features.vectors(comparison.real, draw_rows(comparison.real.count, count, rng));
  const auto made = features.vectors(comparison.made, draw_rows(comparison.made.count, count, rng));
  Mixture mixture;
  for (const std::size_t i : draw_rows(2 * count, 2 * count, rng)) {
    const bool is_made = i >= count;
    const auto first = (is_made ? made : real).begin() + static_cast<std::ptrdiff_t>((i % count) * features.width());
    mixture.vectors.insert(mixture.vectors.end(), first, first + static_cast<std::ptrdiff_t>(features.width()));
    mixture.labels.push_back(is_made ? 1 : 0);
  }
  return mixture;
}

/// Scores of the rows from `first` to `last` by a net that has seen all others of the two halves.
std::vector<double> cross_scores(const Mixture& mixture, std::size_t width, const Comparison& comparison) {
  const std::size_t rows = mixture.labels.size(), half = rows / 2;
  const MatrixView<const float> all(mixture.vectors.data(), rows, width);
  const MatrixView<const float> low(all.data, half, width), high(all.data + half * width, rows - half, width);
  const std::span labels(mixture.labels);
  const auto learner = small_net(comparison.seed);
  learner->fit({high, labels.subspan(half)}, comparison.pool);
  std::vector<double> scores = learner->scores(low, comparison.pool);
  learner->fit({low, labels.first(half)}, comparison.pool);
  const std::vector<double> rest = learner->scores(high, comparison.pool);
  scores.insert(scores.end(), rest.begin(), rest.end());
  return scores;
}

Finding measure(const Comparison& comparison) {
  const Features features(comparison.outline, comparison.real);
  PublicRng rng = rng_of(comparison.seed, Stream::propensity_rows);
  const Mixture mixture = mixture_of(comparison, features, rng);
  const std::vector<double> scores = cross_scores(mixture, features.width(), comparison);
  double squares = 0.0;
  for (std::size_t i = 0; i < mixture.labels.size(); ++i) {
    const double chance = 1.0 / (1.0 + std::exp(scores[2 * i] - scores[2 * i + 1]));
    squares += (chance - 0.5) * (chance - 0.5);
  }
  const auto rows = static_cast<double>(mixture.labels.size());
  Finding found{.value = ranking_of(scores, mixture.labels).area};
  found.parts = {{{"pmse"}, squares / rows}};
  found.counted = {{"rows", rows}};
  return found;
}

}  // namespace

Metric propensity_metric() {
  return {{.name = "propensity",
           .summary = "can a net tell real from synthetic? Area under the ROC curve",
           .group = MetricGroup::use,
           .better = Better::half},
          measure};
}

}  // namespace sosia::eval
