// SPDX-License-Identifier: Apache-2.0
#include "eval/scoreboard.h"

#include <algorithm>
#include <set>
#include <utility>

#include <sosia/error.h>

#include "base/check.h"
#include "base/json_reader.h"

namespace sosia::eval {

namespace {

const char* name_of(Stand who) {
  constexpr const char* kNames[] = {"synthetic", "floor", "ceiling", "real"};
  return kNames[static_cast<std::size_t>(who)];
}

void set(Stand who, double value, Score& score) {
  if (who == Stand::synthetic) {
    score.synthetic = value;
  } else if (who == Stand::floor) {
    score.floor = value;
  } else if (who == Stand::ceiling) {
    score.ceiling = value;
  } else {
    score.real = value;
  }
}

void add(const Finding& found, Stand who, MetricScores& scores) {
  if (scores.parts.empty()) {
    for (const Part& part : found.parts) scores.parts.push_back({part.of, {}});
  }
  SOSIA_CHECK(scores.parts.size() == found.parts.size(), "the parts of a metric depend on the table");
  if (who != Stand::real) set(who, found.value, scores.score);
  for (std::size_t i = 0; i < found.parts.size(); ++i) set(who, found.parts[i].value, scores.parts[i].score);
  if (scores.counted.empty()) scores.counted = found.counted;
}

}  // namespace

std::vector<std::size_t> places_of(const std::vector<MetricInfo>& list, const std::vector<std::string>& names) {
  const std::set<std::string> wanted(names.begin(), names.end());
  std::set<std::string> unknown = wanted;
  std::vector<std::size_t> places;
  std::vector<std::string> known;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string group = sosia::name_of(list[i].group);
    if (names.empty() || wanted.contains(list[i].name) || wanted.contains(group)) places.push_back(i);
    unknown.erase(list[i].name);
    unknown.erase(group);
    if (std::find(known.begin(), known.end(), group) == known.end()) known.push_back(group);
  }
  for (const MetricInfo& metric : list) known.push_back(metric.name);
  if (unknown.empty()) return places;
  throw Error(ErrorKind::usage, "there is no metric " + shown(*unknown.begin()), "--metrics",
              "choose from: " + listed(known));
}

Scoreboard::Scoreboard(std::vector<Line> lines, const EvaluateWatch& watch, Scores& scores)
    : lines_(std::move(lines)), watch_(watch), scores_(scores) {
  most_ = static_cast<int>(3 * lines_.size());
  for (const Line& line : lines_) {
    scores.metrics.push_back({.metric = line.info});
    most_ += line.describes ? 1 : 0;
  }
}

void Scoreboard::stand(Stand who, const std::function<Finding(std::size_t)>& measure) {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (who == Stand::real && !lines_[i].describes) continue;
    if (watch_) watch_({++step_, most_, lines_[i].info.name, name_of(who)});
    add(measure(i), who, scores_.metrics[i]);
  }
}

}  // namespace sosia::eval
