// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <nlohmann/json.hpp>

#include <sosia/evaluate.h>

namespace sosia {

namespace {

using nlohmann::ordered_json;

ordered_json defined(double value) { return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr); }

ordered_json score_json(const Score& score) {
  ordered_json out = {
      {"synthetic", defined(score.synthetic)}, {"floor", defined(score.floor)}, {"ceiling", defined(score.ceiling)}};
  if (score.real) out["real"] = defined(*score.real);
  return out;
}

ordered_json part_json(const NamedScore& part) {
  ordered_json out = {{"of", part.of}};
  out.update(score_json(part.score));
  return out;
}

/// All but the parts, which are many.
ordered_json head_json(const MetricScores& scores) {
  const MetricInfo& metric = scores.metric;
  ordered_json out = {{"name", metric.name},
                      {"group", name_of(metric.group)},
                      {"says", metric.summary},
                      {"better", name_of(metric.better)}};
  out.update(score_json(scores.score));
  for (const auto& [what, count] : scores.counted) out["counted"][what] = defined(count);
  return out;
}

/// A line for the metric, and one for each part.
std::string metric_text(const MetricScores& scores) {
  std::string text = head_json(scores).dump();
  if (scores.parts.empty()) return text;
  text.pop_back();
  text += ", \"parts\": [";
  for (std::size_t i = 0; i < scores.parts.size(); ++i) {
    text += (i == 0 ? "\n  " : ",\n  ") + part_json(scores.parts[i]).dump();
  }
  return text + "]}";
}

}  // namespace

const char kScoresAreInternal[] =
    "Scores are computed on the real rows without noise. They are for the eyes of those who may see the real table, "
    "and no part of what a certificate covers.";

std::string to_json(const Scores& scores) {
  const ordered_json rows = {
      {"synthetic", scores.synthetic_rows}, {"real", scores.real_rows}, {"holdout", scores.holdout_rows}};
  ordered_json left_out = ordered_json::object();
  for (const auto& [metric, why] : scores.left_out) left_out[metric] = why;
  const std::string features =
      scores.features.empty() ? "" : ",\n \"features\": " + ordered_json(scores.features).dump();
  const std::string model = scores.model.empty() ? "" : ",\n \"model\": " + ordered_json(scores.model).dump();
  std::string text = "{\"sosia-scores\": 1,\n \"internal\": " + ordered_json(kScoresAreInternal).dump() +
                     ",\n \"seed\": " + std::to_string(scores.seed) + ",\n \"rows\": " + rows.dump() + features +
                     model + ",\n \"left_out\": " + left_out.dump() + ",\n \"metrics\": [";
  for (std::size_t i = 0; i < scores.metrics.size(); ++i) {
    text += (i == 0 ? "\n " : ",\n ") + metric_text(scores.metrics[i]);
  }
  return text + "\n]}\n";
}

const char* name_of(Better better) noexcept {
  switch (better) {
    case Better::smaller:
      return "smaller";
    case Better::larger:
      return "larger";
    default:
      return "half";
  }
}

const char* name_of(MetricGroup group) noexcept {
  switch (group) {
    case MetricGroup::distributions:
      return "distributions";
    case MetricGroup::use:
      return "use";
    case MetricGroup::coverage:
      return "coverage";
    default:
      return "privacy";
  }
}

}  // namespace sosia
