// SPDX-License-Identifier: Apache-2.0
#include <sosia/evaluate.h>

#include <algorithm>
#include <optional>

#include <sosia/error.h>

#include "base/check.h"
#include "base/durable_file.h"
#include "base/json_reader.h"
#include "data/open_table.h"
#include "eval/metric.h"
#include "eval/read_rows.h"

namespace sosia {

namespace {

using eval::Comparison;
using eval::Finding;
using eval::Metric;
using eval::Rows;

/// The real rows, and those that everything is compared with.
struct Tables {
  Rows real, synthetic;
  std::optional<Rows> holdout;
};

/// One table that stands in the place of the synthetic one.
struct Stand {
  const char* name;
  double Score::* score;
};
constexpr Stand kSynthetic = {"synthetic", &Score::synthetic};
constexpr Stand kFloor = {"floor", &Score::floor};
constexpr Stand kCeiling = {"ceiling", &Score::ceiling};

void add(const Finding& found, const Stand& stand, MetricScores& scores) {
  if (scores.parts.empty()) {
    for (const eval::Part& part : found.parts) scores.parts.push_back({part.of, {}});
  }
  SOSIA_CHECK(scores.parts.size() == found.parts.size(), "the parts of a metric depend on the table");
  scores.score.*stand.score = found.value;
  for (std::size_t i = 0; i < found.parts.size(); ++i) scores.parts[i].score.*stand.score = found.parts[i].value;
}

void add_real(const Finding& found, MetricScores& scores) {
  SOSIA_CHECK(scores.parts.size() == found.parts.size(), "the parts of a metric depend on the table");
  for (std::size_t i = 0; i < found.parts.size(); ++i) scores.parts[i].score.real = found.parts[i].value;
}

class Evaluation {
 public:
  Evaluation(const eval::Outline& outline, const Tables& tables, std::optional<std::size_t> target,
             const EvaluateOptions& options, const EvaluateWatch& watch, ThreadPool& pool)
      : outline_(outline), tables_(tables), target_(target), options_(options), watch_(watch), pool_(pool) {}

  void run(Scores& scores) {
    std::vector<const Metric*> chosen;
    for (const Metric* metric : eval::find_metrics(options_.metrics)) {
      if (const char* need = needed(metric->info)) {
        scores.left_out.push_back({metric->info.name, need});
      } else {
        chosen.push_back(metric);
        scores.metrics.push_back({.metric = metric->info});
      }
    }
    const auto described = std::count_if(chosen.begin(), chosen.end(), [](const Metric* m) { return m->describes; });
    most_ = static_cast<int>(3 * chosen.size()) + static_cast<int>(described);
    const std::size_t count = tables_.synthetic.count;
    stand(chosen, kSynthetic, tables_.synthetic, scores);
    // One after the other, so that there is never more than one of them in memory.
    PublicRng floor_rng = rng_of(options_.seed, eval::Stream::bootstrap);
    stand(chosen, kFloor, eval::bootstrap(tables_.real, count, floor_rng), scores);
    PublicRng ceiling_rng = rng_of(options_.seed, eval::Stream::independent);
    stand(chosen, kCeiling, eval::independent_columns(tables_.real, count, ceiling_rng), scores);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      if (chosen[i]->describes) add_real(measure(*chosen[i], tables_.real, "real"), scores.metrics[i]);
    }
  }

 private:
  /// What the metric lacks; null if nothing.
  const char* needed(const MetricInfo& metric) const {
    const bool has_number = target_ && outline_[*target_].is_number(), has_classes = target_ && !has_number;
    if (metric.target == TargetNeed::classes && !has_classes) return "a target that has classes";
    if (metric.target == TargetNeed::number && !has_number) return "a target that is a number";
    if (metric.target != TargetNeed::none && outline_.size() < 2) return "a column beside the target";
    return metric.needs_holdout && !tables_.holdout ? "a holdout" : nullptr;
  }

  void stand(const std::vector<const Metric*>& chosen, const Stand& stand, const Rows& made, Scores& scores) {
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const Finding found = measure(*chosen[i], made, stand.name);
      add(found, stand, scores.metrics[i]);
      if (scores.metrics[i].counted.empty()) scores.metrics[i].counted = found.counted;
    }
  }

  Finding measure(const Metric& metric, const Rows& made, const char* table) {
    if (watch_) watch_({++step_, most_, metric.info.name, table});
    const Rows* holdout = tables_.holdout ? &*tables_.holdout : nullptr;
    return metric.measure(Comparison{outline_, tables_.real, made, holdout, target_, options_.seed, pool_});
  }

  const eval::Outline& outline_;
  const Tables& tables_;
  std::optional<std::size_t> target_;
  const EvaluateOptions& options_;
  const EvaluateWatch& watch_;
  ThreadPool& pool_;
  int step_ = 0, most_ = 0;
};

std::optional<std::size_t> target_of(const eval::Outline& outline, const std::string& name) {
  if (name.empty()) return {};
  std::vector<std::string> names;
  for (std::size_t c = 0; c < outline.size(); ++c) {
    if (outline[c].name == name) return c;
    names.push_back(outline[c].name);
  }
  throw Error(ErrorKind::usage, "no column " + shown(name) + " is compared", "the target",
              "choose one of: " + listed(names));
}

}  // namespace

Scores evaluate(const std::filesystem::path& synthetic, const std::filesystem::path& real, const Schema& schema,
                const EvaluateOptions& options, const EvaluateWatch& watch) {
  validate(schema);
  eval::find_metrics(options.metrics);  // a wrong name is told before a row is read
  const auto open = [&](const std::filesystem::path& path) { return open_table(path, schema, options.spelling); };
  const auto real_file = open(real), synthetic_file = open(synthetic);
  const auto holdout_file = options.holdout.empty() ? nullptr : open(options.holdout);
  ThreadPool pool(options.threads);
  const eval::RowReader reader(schema, *real_file, options.spelling, options.bins, pool);
  const auto target = target_of(reader.outline(), options.target.empty() ? schema.target : options.target);
  Tables tables{.real = reader.read(*real_file, pool), .synthetic = reader.read(*synthetic_file, pool), .holdout = {}};
  if (holdout_file) tables.holdout = reader.read(*holdout_file, pool);
  Scores scores{.synthetic_rows = static_cast<std::int64_t>(tables.synthetic.count),
                .real_rows = static_cast<std::int64_t>(tables.real.count),
                .holdout_rows = tables.holdout ? static_cast<std::int64_t>(tables.holdout->count) : 0,
                .seed = options.seed};
  Evaluation(reader.outline(), tables, target, options, watch, pool).run(scores);
  return scores;
}

void write_scores(const Scores& scores, const std::filesystem::path& path) {
  create_durable_file(path, to_json(scores));
}

}  // namespace sosia
