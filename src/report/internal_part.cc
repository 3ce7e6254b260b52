// SPDX-License-Identifier: Apache-2.0
#include "report/internal_part.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "report/samples_json.h"

namespace sosia::report {

namespace {

using nlohmann::ordered_json;

/// A matrix of more columns is no picture, and a page of all pairs of 600 columns no page.
constexpr std::size_t kMostPairColumns = 40;
constexpr std::array kPairMetrics = {"tvd_2", "correlation", "mutual_information"};

/// How far a part is from where it should be.
double error_of(const Score& score) {
  const double error = std::abs(score.synthetic - score.real.value_or(0.0));
  return std::isfinite(error) ? error : 0.0;
}

/// The columns of a metric's pairs whose pairs are worst in the mean.
std::set<std::string> worst_columns(const std::vector<NamedScore>& pairs) {
  std::map<std::string, std::pair<double, double>> errors;  // sum and count
  for (const NamedScore& pair : pairs) {
    for (const std::string& column : pair.of) {
      errors[column].first += error_of(pair.score);
      errors[column].second += 1.0;
    }
  }
  std::vector<std::pair<double, std::string>> order;
  for (const auto& [column, sum] : errors) order.emplace_back(-sum.first / sum.second, column);
  std::sort(order.begin(), order.end());
  if (order.size() > kMostPairColumns) order.resize(kMostPairColumns);
  std::set<std::string> worst;
  for (const auto& [error, column] : order) worst.insert(column);
  return worst;
}

void keep_worst(std::vector<NamedScore>& pairs) {
  const std::set<std::string> worst = worst_columns(pairs);
  std::erase_if(pairs, [&](const NamedScore& pair) {
    return std::any_of(pair.of.begin(), pair.of.end(), [&](const std::string& name) { return !worst.contains(name); });
  });
}

ordered_json verdict_json(const Verdict& verdict) {
  ordered_json out = {
      {"grade", name_of(verdict.grade)}, {"sentence", verdict.sentence}, {"answers", ordered_json::array()}};
  for (const Verdict::Answer& answer : verdict.answers) {
    out["answers"].push_back({{"question", answer.question},
                              {"grade", name_of(answer.grade)},
                              {"sentence", answer.sentence},
                              {"metrics", answer.metrics}});
  }
  return out;
}

/// Without line ends: they are for people, and a page has none to read them.
std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace

InternalPart::InternalPart(const Scores& scores, const ImageSamples* real_images) {
  Scores kept = scores;
  for (MetricScores& metric : kept.metrics) {
    const auto is_it = [&](const char* name) { return metric.metric.name == name; };
    if (std::any_of(kPairMetrics.begin(), kPairMetrics.end(), is_it)) keep_worst(metric.parts);
  }
  json_ = "{\"verdict\":" + verdict_json(verdict_of(scores)).dump() + ",\"scores\":" + one_line(to_json(kept));
  if (real_images != nullptr) json_ += ",\"images\":" + samples_json(*real_images).dump();
  json_ += "}";
}

InternalPart::InternalPart(std::span<const NamedScores> runs) {
  json_ = "{\"runs\":[";
  for (const NamedScores& run : runs) {
    Scores heads = run.scores;
    for (MetricScores& metric : heads.metrics) metric.parts.clear();
    json_ += (json_.back() == '[' ? "" : ",");
    json_ += "{\"name\":" + ordered_json(run.name).dump() +
             ",\"verdict\":" + verdict_json(verdict_of(run.scores)).dump() + ",\"scores\":" + one_line(to_json(heads)) +
             "}";
  }
  json_ += "]}";
}

}  // namespace sosia::report
