// SPDX-License-Identifier: Apache-2.0
// Signs of copying, by Euclidean distances of the features of images. What is said of tables in closest_record.cc,
// closest_share.cc and distance_attack.cc holds here: distances shrink with the number of images that one may be close
// to, so as many of the real ones as of the holdout are looked at; up to 5,000 made images and suspects of each kind.
#include <algorithm>

#include "eval/attack.h"
#include "eval/images/image_metric.h"
#include "eval/images/neighbours.h"
#include "eval/order_statistics.h"

namespace sosia::eval {

namespace {

constexpr std::size_t kMostQueries = 5000, kMostReferences = 10000;
constexpr double kNear = 0.05, kMiddle = 0.5;

struct ClosestImages {
  std::vector<double> to_real, to_holdout;
  std::vector<std::pair<std::string, double>> counted;

  explicit ClosestImages(const ImageComparison& comparison) {
    const ImageSet* holdout = comparison.holdout;
    const std::size_t most = holdout != nullptr ? std::min(kMostReferences, holdout->drawn.size()) : kMostReferences;
    const auto made = comparison.made.feature_rows(kMostQueries), real = comparison.real.feature_rows(most);
    to_real = closest_distances(made, real, comparison.pool);
    counted = {{"made images", static_cast<double>(made.rows)}, {"real images", static_cast<double>(real.rows)}};
    if (holdout == nullptr) return;
    const auto others = holdout->feature_rows(real.rows);
    to_holdout = closest_distances(made, others, comparison.pool);
    counted.emplace_back("holdout images", static_cast<double>(others.rows));
  }
};

Finding closest(const ImageComparison& comparison) {
  const ClosestImages images(comparison);
  const std::vector<double> real = sorted_numbers(images.to_real);
  Finding found{.value = quantile(real, kMiddle), .counted = images.counted};
  found.parts.push_back({{"5 % quantile"}, quantile(real, kNear)});
  if (comparison.holdout == nullptr) return found;
  const std::vector<double> holdout = sorted_numbers(images.to_holdout);
  found.parts.push_back({{"median to the holdout"}, quantile(holdout, kMiddle)});
  found.parts.push_back({{"5 % quantile to the holdout"}, quantile(holdout, kNear)});
  return found;
}

Finding share(const ImageComparison& comparison) {
  const ClosestImages images(comparison);
  double closer = 0.0;
  for (std::size_t i = 0; i < images.to_real.size(); ++i) {
    const double real = images.to_real[i], holdout = images.to_holdout[i];
    closer += real < holdout ? 1.0 : real == holdout ? 0.5 : 0.0;
  }
  return {.value = closer / static_cast<double>(images.to_real.size()), .counted = images.counted};
}

Finding attack(const ImageComparison& comparison) {
  const std::size_t count = std::min({kMostQueries, comparison.real.drawn.size(), comparison.holdout->drawn.size()});
  const auto made = comparison.made.feature_rows(kMostReferences);
  const auto closeness = [&](const ImageSet& suspects) {
    std::vector<double> scores = closest_distances(suspects.feature_rows(count), made, comparison.pool);
    std::transform(scores.begin(), scores.end(), scores.begin(), std::negate<>());
    return scores;
  };
  return success(closeness(comparison.real), closeness(*comparison.holdout));
}

MetricInfo info(const char* name, const char* summary, Better better, bool needs_holdout) {
  return {.name = name,
          .summary = summary,
          .group = MetricGroup::privacy,
          .better = better,
          .needs_holdout = needs_holdout};
}

}  // namespace

ImageMetric closest_image_metric() {
  return {.info = info("closest_record", "median distance to the closest real image; to be held against the holdout's",
                       Better::larger, false),
          .measure = closest};
}

ImageMetric closest_image_share_metric() {
  return {.info = info("closest_share", "share of images that are closer to the real ones than to the holdout",
                       Better::half, true),
          .measure = share};
}

ImageMetric image_attack_metric() {
  return {.info = info("distance_attack",
                       "who was a real image, by the distance to the closest made one: area under the ROC curve",
                       Better::half, true),
          .measure = attack};
}

}  // namespace sosia::eval
