// SPDX-License-Identifier: Apache-2.0
#include "eval/images/evaluate_images.h"

#include <optional>
#include <utility>

#include "eval/images/image_metric.h"
#include "eval/scoreboard.h"

namespace sosia::eval {

namespace {

/// What the metric lacks; null if nothing.
const char* needed(const MetricInfo& metric, const ImageSchema& schema, bool has_holdout) {
  if (metric.target == TargetNeed::classes && schema.classes.size() < 2) return "classes in the schema";
  return metric.needs_holdout && !has_holdout ? "a holdout" : nullptr;
}

}  // namespace

Scores evaluate_images(const std::filesystem::path& synthetic, const std::filesystem::path& real,
                       const ImageSchema& schema, const EvaluateOptions& options, const EvaluateWatch& watch) {
  const std::vector<std::size_t> places = places_of(image_metrics(), options.metrics);  // told before an image is read
  ThreadPool pool(options.threads);
  const std::unique_ptr<ImageFeatures> features =
      options.features.empty() ? pixel_features() : net_features(options.features, schema.shape);
  const auto with_features = [&](ImageSet set) {
    add_features(*features, options.seed, pool, set);
    return set;
  };
  const auto read = [&](const std::filesystem::path& path, const ImageOptions& where) {
    return with_features(read_image_set(path, schema, pool, where));
  };
  const ImageSet real_set = read(real, options.real_images), synthetic_set = read(synthetic, options.synthetic_images);
  std::optional<ImageSet> holdout;
  if (!options.holdout.empty()) holdout = read(options.holdout, options.holdout_images);
  Scores scores{.synthetic_rows = static_cast<std::int64_t>(synthetic_set.count),
                .real_rows = static_cast<std::int64_t>(real_set.count),
                .holdout_rows = holdout ? static_cast<std::int64_t>(holdout->count) : 0,
                .seed = options.seed,
                .features = features->name(),
                .model = options.model};
  std::vector<const ImageMetric*> chosen;
  std::vector<Scoreboard::Line> lines;
  for (const std::size_t place : places) {
    const ImageMetric& metric = all_image_metrics()[place];
    if (const char* need = needed(metric.info, schema, holdout.has_value())) {
      scores.left_out.push_back({metric.info.name, need});
    } else {
      chosen.push_back(&metric);
      lines.push_back({metric.info, metric.describes});
    }
  }
  Scoreboard board(std::move(lines), watch, scores);
  const auto stand = [&](Stand who, const ImageSet& made) {
    board.stand(who, [&](std::size_t i) {
      return chosen[i]->measure({schema, real_set, made, holdout ? &*holdout : nullptr, options.seed, pool});
    });
  };
  stand(Stand::synthetic, synthetic_set);
  PublicRng floor_rng = rng_of(options.seed, Stream::bootstrap);
  stand(Stand::floor, with_features(bootstrap(real_set, synthetic_set.count, floor_rng)));
  PublicRng ceiling_rng = rng_of(options.seed, Stream::independent);
  stand(Stand::ceiling, with_features(independent_pixels(real_set, synthetic_set.count, ceiling_rng)));
  stand(Stand::real, real_set);
  return scores;
}

}  // namespace sosia::eval
