// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include <sosia/draft.h>
#include <sosia/error.h>
#include <sosia/evaluate.h>
#include <sosia/report.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/spelling.h"
#include "cli/table.h"

namespace sosia::cli {

namespace {

constexpr char kExamples[] = R"(Examples:
  sosia evaluate synthetic.csv --real clinic.csv --schema clinic.schema.json -o scores.json
  sosia evaluate synthetic.csv --real train.csv --holdout test.csv --schema clinic.schema.json --metrics privacy
  sosia evaluate synthetic.parquet --real clinic.csv --schema clinic.schema.json --metrics tvd_2,tvd_3,pca
  sosia evaluate made.npz --real train-images-idx3-ubyte.gz --holdout t10k-images-idx3-ubyte.gz --schema digits.json
  sosia evaluate --list)";

struct Options {
  Argument synthetic, real, holdout, schema, model, target, metrics, bins, features, seed, threads, output;
  Argument synthetic_labels, holdout_labels;
  SpellingOptions spelling;
  ImageArguments images;
  bool quiet = false, list = false;
};

std::string list_text(const char* of, const std::vector<MetricInfo>& metrics) {
  std::vector<std::vector<std::string>> rows = {{of, "group", "better", "says"}};
  for (const MetricInfo& metric : metrics) {
    const std::string needs = metric.needs_holdout ? " (needs a holdout)" : "";
    rows.push_back({metric.name, name_of(metric.group), name_of(metric.better), metric.summary + needs});
  }
  return table(rows);
}

std::string scores_text(const Scores& scores) {
  std::vector<std::vector<std::string>> rows = {{"metric", "better", ">synthetic", ">floor", ">ceiling"}};
  bool has_privacy = false;
  for (const MetricScores& metric : scores.metrics) {
    const Score& score = metric.score;
    rows.push_back({metric.metric.name, name_of(metric.metric.better), score_text(score.synthetic),
                    score_text(score.floor), score_text(score.ceiling)});
    has_privacy = has_privacy || metric.metric.group == MetricGroup::privacy;
  }
  const bool is_table = scores.features.empty();
  const char* what = is_table ? "rows" : "images";
  std::string text = table(rows) + fmt::format("\n{} synthetic {} against {} real ones", scores.synthetic_rows, what,
                                               scores.real_rows);
  if (scores.holdout_rows > 0) text += fmt::format(", {} held out", scores.holdout_rows);
  text += fmt::format(".\nFloor: as many {} drawn from the real ones. Ceiling: every {} drawn by itself.\n", what,
                      is_table ? "column" : "pixel, and the class,");
  if (!is_table) text += fmt::format("Distances between images are those of their {}.\n", scores.features);
  if (has_privacy) text += "Metrics of privacy look for signs of copying and guarantee nothing; the floor is a copy.\n";
  for (const auto& [metric, need] : scores.left_out)
    text += fmt::format("Left out: {}, which needs {}.\n", metric, need);
  return text + kScoresAreInternal + "\n";
}

EvaluateOptions evaluate_options(const Options& options) {
  EvaluateOptions how{.spelling = spelling_of(options.spelling)};
  if (options.holdout) how.holdout = *options.holdout;
  if (options.target) how.target = *options.target;
  if (options.metrics) how.metrics = comma_parts(*options.metrics);
  if (options.bins) how.bins = small_count("--bins", *options.bins);
  if (options.features) how.features = *options.features;
  how.real_images = image_options_of(options.images);
  how.holdout_images = how.real_images;  // as for arrays, but of labels each set has its own
  how.holdout_images.labels = options.holdout_labels.value_or("");
  how.synthetic_images.labels = options.synthetic_labels.value_or("");
  if (options.seed) how.seed = static_cast<std::uint64_t>(count_value("--seed", *options.seed));
  if (options.threads) how.threads = small_count("--threads", *options.threads);
  return how;
}

/// Scores are for the owner alone, so that a draft will do.
Schema schema_of(const std::string& path) {
  Draft draft = read_draft(path);
  draft.confirm();
  return draft.private_facts();
}

Outcome run_evaluate(const Options& options) {
  if (options.list) return {list_text("of tables", metrics()) + "\n" + list_text("of images", image_metrics())};
  if (!options.synthetic) {
    throw Error(ErrorKind::usage, "the synthetic table is missing", "sosia evaluate",
                "name it after the command, for example sosia evaluate synthetic.csv --real clinic.csv --schema "
                "clinic.schema.json");
  }
  const std::string& real = required("--real", options.real, "clinic.csv");
  std::optional<Model> model;
  if (options.model) model = Model::load(*options.model);
  const Schema schema = model && !options.schema
                            ? model->schema()
                            : schema_of(required("--schema", options.schema, "clinic.schema.json"));
  if (schema.images && (options.target || options.bins)) {
    throw Error(ErrorKind::usage, "images have neither a target nor bins", "sosia evaluate",
                "leave --target and --bins out: the class is the target");
  }
  if (!schema.images && options.features) {
    throw Error(ErrorKind::usage, "only images are compared by a feature net", "--features", "leave it out");
  }
  const ImageArguments& images = options.images;
  if (!schema.images && (images.labels || images.arrays || options.synthetic_labels || options.holdout_labels)) {
    throw Error(ErrorKind::usage, "only images have labels in a file of their own", "sosia evaluate",
                "leave --labels and its like out: the label of a table is a column");
  }
  const bool to_file = options.output && *options.output != "-";
  if (to_file && std::filesystem::exists(*options.output)) {
    throw Error(ErrorKind::io, "there is a file of this name already", *options.output,
                "choose another name, or remove it");
  }
  Scores scores;
  {
    StatusLine line(options.quiet);
    EvaluateOptions how = evaluate_options(options);
    if (model) how.model = fingerprint_of(*model);
    scores = evaluate(*options.synthetic, real, schema, how, std::ref(line));
  }
  if (to_file) write_scores(scores, *options.output);
  if (options.output && !to_file) return {to_json(scores), scores_text(scores)};
  return {scores_text(scores)};
}

}  // namespace

std::vector<Command> add_evaluate(const Declared& program) {
  const Declared command = program.command(
      "evaluate", "Score a synthetic table, or images, against the real ones; not for release", kExamples);
  const auto options = std::make_shared<Options>();
  command.option("SYNTHETIC", options->synthetic,
                 "The synthetic table: CSV, TSV, Parquet or Arrow, - for standard input; or images", "");
  command.option("--real", options->real, "The real table or images", "FILE");
  command.option("--holdout", options->holdout, "Real rows or images that the model has not seen", "FILE");
  command.option("--schema", options->schema, "The schema that all have in common", "FILE");
  command.option("--model", options->model,
                 "The model that made them: its schema is used, and `sosia report` takes no other", "FILE");
  command.option("--target", options->target, "The label, in the place of the schema's", "COLUMN");
  command.option("--metrics", options->metrics, "Only these metrics or groups, separated by commas (default: all)",
                 "NAMES");
  command.option("--bins", options->bins, "Bins of numbers with more than 128 values (default 32)", "N");
  command.option("--features", options->features,
                 "Images: compare them by this net of `sosia features train`, not by pixels", "NET");
  command.option("--labels", options->images.labels, "Images: the labels of the real ones, if not beside them", "FILE");
  command.option("--synthetic-labels", options->synthetic_labels, "The same of the synthetic ones", "FILE");
  command.option("--holdout-labels", options->holdout_labels, "The same of those held out", "FILE");
  command.option("--arrays", options->images.arrays,
                 "Real images in .npz, also those held out: arrays of images and labels", "NAME,NAME");
  command.option("--seed", options->seed, "Of all that is drawn (default 1)", "S");
  add_spelling(command, options->spelling);
  command.option("--threads", options->threads, "Threads (default: one a core); no score depends on it", "N");
  command.option("-o,--output", options->output, "Write the scores as JSON to this file; - for standard output",
                 "FILE");
  command.flag("--list", options->list, "List the metrics");
  command.flag("--quiet", options->quiet, "No progress");
  return {{command, [options] { return run_evaluate(*options); }}};
}

}  // namespace sosia::cli
