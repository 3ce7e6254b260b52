// SPDX-License-Identifier: Apache-2.0
// How good is a synthetic table, or set of images? Every score stands beside those of two tables that anybody could
// make from the real rows. All are computed on real rows without noise: internal, not for release.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sosia/schema.h>
#include <sosia/table.h>

namespace sosia {

/// Which values of a metric are good ones.
enum class Better {
  smaller,
  larger,
  half  ///< 0.5: an attack that can only guess
};
const char* name_of(Better better) noexcept;

enum class MetricGroup {
  distributions,  ///< do the rows look alike?
  use,            ///< do models that are trained on them work?
  coverage,       ///< who is left out?
  privacy         ///< is there a sign of copying? Never a guarantee: that is the certificate's
};
const char* name_of(MetricGroup group) noexcept;

/// Which target a metric takes.
enum class TargetNeed { none, classes, number };

struct MetricInfo {
  std::string name;
  std::string summary;
  MetricGroup group = MetricGroup::distributions;
  Better better = Better::smaller;
  bool needs_holdout = false;
  TargetNeed target = TargetNeed::none;  ///< classes: boolean, categorical or ordinal
};

/// All metrics of tables, and of sets of images; docs/evaluation.md defines each.
std::vector<MetricInfo> metrics();
std::vector<MetricInfo> image_metrics();

struct EvaluateOptions {
  std::filesystem::path holdout = {};     ///< real rows that the model has not seen; empty: what needs them is left out
  std::string target = {};                ///< the label; empty: the schema's
  std::vector<std::string> metrics = {};  ///< names of metrics or groups; empty: all
  int bins = 32;                          ///< of numbers with more than 128 values and without edges in the schema
  std::uint64_t seed = 1;                 ///< of the two tables beside, and of everything that is sampled
  int threads = 0;                        ///< 0: one per core; no score depends on it
  TableSpelling spelling = {};            ///< of all files; `quotes` and `multiline` of the real ones
  std::string model = {};                 ///< the fingerprint of the model that made the data, to be kept with scores
  std::filesystem::path features = {};    ///< images: a feature net to compare them by; empty: by their pixels
  /// Images: where these sets have their labels, if not where they are expected.
  ImageOptions real_images = {}, synthetic_images = {}, holdout_images = {};
};

/// One number of a metric for each table. NaN where it is not defined.
struct Score {
  double synthetic = 0.0;
  double floor = 0.0;    ///< for a bootstrap of the real rows: what sampling alone does
  double ceiling = 0.0;  ///< for columns drawn independently of each other: what ignoring their relations does
  std::optional<double> real = {};  ///< where the number describes a table by itself
};

struct NamedScore {
  std::vector<std::string> of;  ///< columns, a column and a state, or words
  Score score;
};

struct MetricScores {
  MetricInfo metric;
  Score score = {};
  std::vector<NamedScore> parts = {};                        ///< what the score is made of; may be empty
  std::vector<std::pair<std::string, double>> counted = {};  ///< how much was looked at: sets, rows, queries
};

struct LeftOut {
  std::string metric, why;
};

struct Scores {
  std::int64_t synthetic_rows = 0, real_rows = 0, holdout_rows = 0;
  std::uint64_t seed = 1;
  std::string features = {};  ///< images: what they are compared by, where a metric asks for distances; tables: empty
  std::string model = {};     ///< the fingerprint of the model that made the data; empty: not said
  std::vector<MetricScores> metrics = {};
  std::vector<LeftOut> left_out = {};  ///< metrics that were asked for and need what is not there
};

/// What is being worked on: step of so many.
struct EvaluateStep {
  int step = 0, most = 0;
  std::string metric, table;  ///< the table: "synthetic", "floor", "ceiling" or "real"
};
using EvaluateWatch = std::function<void(const EvaluateStep&)>;

/// Of images where the schema says so: then `target`, `bins` and `spelling` mean nothing, and metrics are those of
/// image_metrics. Throws a data error if a table lacks a column of the schema or holds cells that are not of its type;
/// a usage error for a metric or a target that there is not. Holds the tables in memory: about 12 bytes a cell, three
/// tables at a time; of images 4 bytes a pixel.
Scores evaluate(const std::filesystem::path& synthetic, const std::filesystem::path& real, const Schema& schema,
                const EvaluateOptions& options = {}, const EvaluateWatch& watch = {});

/// As JSON; the grammar is in docs/evaluation.md. Numbers are exact, null stands for what is not defined.
std::string to_json(const Scores& scores);
/// Writes it for its owner's eyes only: it tells about the real rows. An existing file is never touched.
void write_scores(const Scores& scores, const std::filesystem::path& path);
/// Back from the JSON; `where` names the source in errors. Keys that are not known are left alone; whatever else is not
/// as the grammar has it is a schema error.
Scores parse_scores(std::string_view json, const std::string& where);
Scores read_scores(const std::filesystem::path& path);

/// What has to be said wherever scores are shown.
extern const char kScoresAreInternal[];

}  // namespace sosia
