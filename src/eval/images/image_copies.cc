// SPDX-License-Identifier: Apache-2.0
// Signs of copying, by Euclidean distances of the features of images: what closest.h and distance_attack.cc are for
// tables. Up to 5,000 made images and suspects of each kind are looked at.
#include <algorithm>

#include "eval/attack.h"
#include "eval/closest.h"
#include "eval/images/image_metric.h"
#include "eval/images/neighbours.h"

namespace sosia::eval {

namespace {

constexpr std::size_t kMostQueries = 5000, kMostReferences = 10000;

ClosestDistances closest_images(const ImageComparison& comparison) {
  const ImageSet* holdout = comparison.holdout;
  const std::size_t most = holdout != nullptr ? std::min(kMostReferences, holdout->drawn.size()) : kMostReferences;
  const auto made = comparison.made.feature_rows(kMostQueries), real = comparison.real.feature_rows(most);
  ClosestDistances closest{
      closest_distances(made, real, comparison.pool),
      {},
      {{"made images", static_cast<double>(made.rows)}, {"real images", static_cast<double>(real.rows)}}};
  if (holdout == nullptr) return closest;
  const auto others = holdout->feature_rows(real.rows);
  closest.to_holdout = closest_distances(made, others, comparison.pool);
  closest.counted.emplace_back("holdout images", static_cast<double>(others.rows));
  return closest;
}

Finding closest(const ImageComparison& comparison) { return closest_finding(closest_images(comparison)); }

Finding share(const ImageComparison& comparison) { return closer_share(closest_images(comparison)); }

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
