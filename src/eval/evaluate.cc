// SPDX-License-Identifier: Apache-2.0
#include <sosia/evaluate.h>

#include <optional>
#include <utility>

#include <sosia/error.h>

#include "base/durable_file.h"
#include "base/json_reader.h"
#include "data/open_table.h"
#include "eval/images/evaluate_images.h"
#include "eval/metric.h"
#include "eval/read_rows.h"
#include "eval/scoreboard.h"

namespace sosia {

namespace {

using eval::Comparison;
using eval::Metric;
using eval::Rows;
using eval::Scoreboard;
using eval::Stand;

/// The real rows, and those that everything is compared with.
struct Tables {
  Rows real, synthetic;
  std::optional<Rows> holdout;
};

/// What the metric lacks; null if nothing.
const char* needed(const MetricInfo& metric, const eval::Outline& outline, std::optional<std::size_t> target,
                   bool has_holdout) {
  const bool has_number = target && outline[*target].is_number(), has_classes = target && !has_number;
  if (metric.target == TargetNeed::classes && !has_classes) return "a target that has classes";
  if (metric.target == TargetNeed::number && !has_number) return "a target that is a number";
  if (metric.target != TargetNeed::none && outline.size() < 2) return "a column beside the target";
  return metric.needs_holdout && !has_holdout ? "a holdout" : nullptr;
}

void compare(const eval::Outline& outline, const Tables& tables, std::optional<std::size_t> target,
             const EvaluateOptions& options, const EvaluateWatch& watch, ThreadPool& pool, Scores& scores) {
  std::vector<const Metric*> chosen;
  std::vector<Scoreboard::Line> lines;
  for (const Metric* metric : eval::find_metrics(options.metrics)) {
    if (const char* need = needed(metric->info, outline, target, tables.holdout.has_value())) {
      scores.left_out.push_back({metric->info.name, need});
    } else {
      chosen.push_back(metric);
      lines.push_back({metric->info, metric->describes});
    }
  }
  Scoreboard board(std::move(lines), watch, scores);
  const auto stand = [&](Stand who, const Rows& made) {
    const Rows* holdout = tables.holdout ? &*tables.holdout : nullptr;
    board.stand(who, [&](std::size_t i) {
      return chosen[i]->measure(Comparison{outline, tables.real, made, holdout, target, options.seed, pool});
    });
  };
  const std::size_t count = tables.synthetic.count;
  stand(Stand::synthetic, tables.synthetic);
  PublicRng floor_rng = rng_of(options.seed, eval::Stream::bootstrap);
  stand(Stand::floor, eval::bootstrap(tables.real, count, floor_rng));
  PublicRng ceiling_rng = rng_of(options.seed, eval::Stream::independent);
  stand(Stand::ceiling, eval::independent_columns(tables.real, count, ceiling_rng));
  stand(Stand::real, tables.real);
}

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

/// Synthetic tables are written with quotes of the usual kind, whatever those of the real table are.
TableSpelling as_written(TableSpelling spelling) {
  spelling.quotes = Quotes::doubled;
  spelling.multiline = true;
  return spelling;
}

}  // namespace

Scores evaluate(const std::filesystem::path& synthetic, const std::filesystem::path& real, const Schema& schema,
                const EvaluateOptions& options, const EvaluateWatch& watch) {
  validate(schema);
  if (schema.images) return eval::evaluate_images(synthetic, real, *schema.images, options, watch);
  eval::find_metrics(options.metrics);  // a wrong name is told before a row is read
  const auto open = [&](const std::filesystem::path& path) { return open_table(path, schema, options.spelling); };
  const auto real_file = open(real);
  const auto synthetic_file = open_table(synthetic, schema, as_written(options.spelling));
  const auto holdout_file = options.holdout.empty() ? nullptr : open(options.holdout);
  ThreadPool pool(options.threads);
  const eval::RowReader reader(schema, *real_file, options.spelling, options.bins, pool);
  const auto target = target_of(reader.outline(), options.target.empty() ? schema.target : options.target);
  Tables tables{.real = reader.read(*real_file, pool), .synthetic = reader.read(*synthetic_file, pool), .holdout = {}};
  if (holdout_file) tables.holdout = reader.read(*holdout_file, pool);
  Scores scores{.synthetic_rows = static_cast<std::int64_t>(tables.synthetic.count),
                .real_rows = static_cast<std::int64_t>(tables.real.count),
                .holdout_rows = tables.holdout ? static_cast<std::int64_t>(tables.holdout->count) : 0,
                .seed = options.seed,
                .model = options.model};
  compare(reader.outline(), tables, target, options, watch, pool, scores);
  return scores;
}

void write_scores(const Scores& scores, const std::filesystem::path& path) {
  create_durable_file(path, to_json(scores));
}

}  // namespace sosia
