// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <set>

#include <fmt/format.h>

#include <sosia/error.h>
#include <sosia/report.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/report_text.h"
#include "cli/table.h"

namespace sosia::cli {

namespace {

constexpr char kExamples[] = R"(Examples:
  sosia compare scores1.json scores2.json
  sosia compare "epsilon 0.1=low.json" "epsilon 1=high.json" -o compare.html)";

struct Options {
  std::vector<std::string> runs;
  Argument output;
};

using Runs = std::vector<NamedScores>;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// NAME=FILE, or a file that lends its name.
NamedScores run_from(const std::string& text) {
  NamedScores run;
  std::string file = text;
  const std::size_t equals = text.find('=');
  if (equals != std::string::npos && !std::filesystem::exists(text)) {
    run.name = text.substr(0, equals);
    file = text.substr(equals + 1);
  } else {
    run.name = std::filesystem::path(text).stem().string();
  }
  if (run.name.empty()) {
    throw Error(ErrorKind::usage, fmt::format("the run \"{}\" has no name", text), "sosia compare",
                "write NAME=FILE, for example \"epsilon 1=scores.json\"");
  }
  run.scores = read_scores(file);
  return run;
}

Runs read_runs(const Options& options) {
  if (options.runs.empty()) {
    throw Error(ErrorKind::usage, "no scores are named", "sosia compare",
                "name files that `sosia evaluate -o` wrote, for example sosia compare scores1.json scores2.json");
  }
  Runs runs;
  std::set<std::string> names;
  for (const std::string& text : options.runs) {
    runs.push_back(run_from(text));
    if (names.insert(runs.back().name).second) continue;
    throw Error(ErrorKind::usage, fmt::format("two runs are called \"{}\"", runs.back().name), "sosia compare",
                "name them apart: NAME=FILE");
  }
  return runs;
}

const MetricScores* find(const Scores& scores, const std::string& name) {
  const auto found = std::find_if(scores.metrics.begin(), scores.metrics.end(),
                                  [&](const MetricScores& metric) { return metric.metric.name == name; });
  return found == scores.metrics.end() ? nullptr : &*found;
}

/// How far from good a score is: the smallest one is the best.
double badness(Better better, double value) {
  if (better == Better::half) return std::abs(value - 0.5);
  return better == Better::smaller ? value : -value;
}

/// One number where all runs have it, else from the least to the largest. Not defined ones are left out.
std::string range_text(std::vector<double> values) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  if (values.empty()) return score_text(kNone);
  const auto [least, largest] = std::minmax_element(values.begin(), values.end());
  const std::string low = score_text(*least), high = score_text(*largest);
  return low == high ? low : low + " to " + high;
}

std::vector<std::string> metric_row(const Runs& runs, const MetricInfo& metric) {
  std::vector<std::string> row = {metric.name, name_of(metric.better)};
  std::vector<double> values, bad, floors, ceilings;
  for (const NamedScores& run : runs) {
    const MetricScores* found = find(run.scores, metric.name);
    values.push_back(found != nullptr ? found->score.synthetic : kNone);
    if (!std::isnan(values.back())) bad.push_back(badness(metric.better, values.back()));
    if (found == nullptr) continue;
    floors.push_back(found->score.floor);
    ceilings.push_back(found->score.ceiling);
  }
  // One alone is not the best of anything.
  const double best = bad.size() > 1 ? *std::min_element(bad.begin(), bad.end()) : kNone;
  for (const double value : values) {
    row.push_back((badness(metric.better, value) == best ? "* " : "") + score_text(value));
  }
  row.push_back(range_text(floors));
  row.push_back(range_text(ceilings));
  return row;
}

std::string comparison_text(const Runs& runs) {
  std::vector<std::vector<std::string>> rows = {{"metric", "better"}};
  for (const NamedScores& run : runs) rows.front().push_back(">" + run.name);
  rows.front().insert(rows.front().end(), {">floor", ">ceiling"});
  std::set<std::string> seen;
  for (const NamedScores& run : runs) {
    for (const MetricScores& metric : run.scores.metrics) {
      if (seen.insert(metric.metric.name).second) rows.push_back(metric_row(runs, metric.metric));
    }
  }
  std::string text = table(rows) + "\n";
  if (runs.size() > 1) text += "*: the best of these runs. ";
  const bool are_images =
      std::all_of(runs.begin(), runs.end(), [](const auto& run) { return !run.scores.features.empty(); });
  text +=
      are_images
          ? "Floor: as many images drawn from the real ones. Ceiling: every pixel, and the class, drawn by itself.\n"
          : "Floor: as many rows drawn from the real ones. Ceiling: every column drawn by itself.\n";
  return text + kScoresAreInternal + "\n";
}

Outcome run_compare(const Options& options) {
  if (options.output) refuse_existing(*options.output);
  const Runs runs = read_runs(options);
  if (options.output) write_page(comparison_page(runs), *options.output);
  return {comparison_text(runs)};
}

}  // namespace

std::vector<Command> add_compare(const Declared& program) {
  const Declared command =
      program.command("compare", "Scores of several runs side by side; not for release", kExamples);
  const auto options = std::make_shared<Options>();
  command.all("SCORES", options->runs, "Files that `sosia evaluate -o` wrote, or NAME=FILE");
  command.option("-o,--output", options->output, "Also a page for a browser", "FILE");
  return {{command, [options] { return run_compare(*options); }}};
}

}  // namespace sosia::cli
