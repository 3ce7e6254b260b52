// SPDX-License-Identifier: Apache-2.0
// The command `run`: all steps from a table to a synthetic one and a page about it.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include <sosia/error.h>
#include <sosia/fit.h>
#include <sosia/report.h>
#include <sosia/table.h>

#include "cli/before_charge.h"
#include "cli/command.h"
#include "cli/fit_options.h"
#include "cli/progress.h"
#include "cli/report_text.h"

namespace sosia::cli {

namespace {

namespace fs = std::filesystem;

constexpr char kExamples[] = R"(Examples:
  sosia run clinic.csv --schema clinic.schema.json --epsilon 1 -o out
  sosia run clinic.parquet --schema clinic.schema.json --epsilon 1 --ledger clinic.ledger -n 100000 -o out)";

struct Options {
  FitArguments fit;
  Argument output, rows;
  bool no_report = false;
};

/// Metrics that a report draws, and that take seconds and no holdout.
std::vector<std::string> reported_metrics(const Schema& schema) {
  if (schema.images) return {"distributions", "coverage", "closest_record"};
  std::vector<std::string> names = {"tvd_1", "tvd_2", "tvd_3", "ks", "wasserstein", "probability", "pca", "minorities"};
  constexpr std::size_t kManyColumns = 100;  // of which all pairs would take minutes
  if (schema.columns.size() <= kManyColumns) names.insert(names.end(), {"correlation", "mutual_information"});
  return names;
}

/// Everything for release lies in the folder itself, everything else in here.
constexpr char kInternal[] = "internal";
constexpr int kGridColumns = 10;
struct Interrupted {};

/// The format of the private table, by a name out of a few: nothing of its own name is published. Images are stored in
/// one file, or in a folder where the private ones are.
std::string synthetic_name(const fs::path& data, const Schema& schema) {
  if (schema.images) return fs::is_directory(data) ? "synthetic" : "synthetic.npz";
  if (data == "-") return "synthetic.csv";
  if (fs::is_directory(data)) return "synthetic.parquet";
  std::string name = data.filename().string();
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  for (const char* ending : {".csv", ".tsv", ".txt", ".parquet", ".arrow", ".feather", ".ipc"}) {
    for (const char* packing : {"", ".gz", ".zst"}) {
      if (name.ends_with(std::string(ending) + packing)) return std::string("synthetic") + ending + packing;
    }
  }
  return "synthetic.csv";
}

void write_text(const fs::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw Error(ErrorKind::io, "the file cannot be written", path.string(), "check the folder and the disk");
}

/// Scores the rows against the table they were made from, and writes what is not for release. What goes wrong here
/// costs the run nothing but this: the budget is spent, and all that it bought is on the disk.
std::string report_on(const Model& model, const FitTask& task, const fs::path& folder, const std::string& synthetic,
                      const FitArguments& arguments) {
  const std::string later = "make it by `sosia evaluate` and `sosia report --scores`\n";
  if (!task.options.spelling.header)
    return "No report: of the two tables, only the synthetic one has a line of names\n";
  const EvaluateOptions how{.metrics = reported_metrics(model.schema()),
                            .seed = task.options.seed,
                            .threads = task.options.threads,
                            .spelling = task.options.spelling,
                            .model = fingerprint_of(model),
                            .real_images = task.options.images};
  const fs::path internal = folder / kInternal;
  try {
    StatusLine line(arguments.quiet);
    const auto watch = [&](const EvaluateStep& step) {
      if (Progress::is_interrupted()) throw Interrupted();
      line(step);
    };
    const Scores scores = evaluate(folder / synthetic, task.data, model.schema(), how, watch);
    fs::create_directory(internal);
    fs::permissions(internal, fs::perms::owner_all);
    write_scores(scores, internal / "scores.json");
    std::optional<ImageSamples> real;
    if (model.schema().images)
      real = first_images(task.data, *model.schema().images, kGridColumns, task.options.images);
    write_page(internal_page(model, scores, real ? &*real : nullptr), internal / "report.html");
    return fmt::format("{}\nNot for release: {}, {}.\n", verdict_text(scores), (internal / "report.html").string(),
                       (internal / "scores.json").string());
  } catch (const Interrupted&) {
    return "Interrupted: no report; " + later;
  } catch (const Error& error) {
    return fmt::format("No report: {}; {}", error.problem(), later);
  } catch (const std::exception& error) {  // no memory, no room on the disk
    return fmt::format("No report: {}; {}", error.what(), later);
  }
}

/// The page that goes with the synthetic table. Without noise there is none.
std::string publish(const Model& model, const FitTask& task, const fs::path& folder) {
  if (std::isinf(task.options.epsilon)) return "";
  write_page(publishable_page(model), folder / "report.html");
  return ", report.html";
}

Outcome run_all(const Options& options) {
  const FitTask task = fit_task(options.fit, "sosia run");
  const fs::path folder = required("--output", options.output, "out");
  SampleOptions how{
      .seed = task.options.seed, .threads = task.options.threads, .delimiter = task.options.spelling.delimiter};
  if (options.rows) how.rows = count_value("--rows", *options.rows);
  check_new_folder(folder);
  check_room(folder, bytes_of(task.data));
  const FitPlan plan = plan_fit(task.data, task.schema, task.options);
  check_data(task, options.fit);
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) throw Error(ErrorKind::io, "the folder cannot be made", folder.string(), "check the path");
  Progress progress(options.fit.quiet);
  if (!options.fit.quiet) notify(plan_text(plan, task) + "\n");
  const Model released = release_watched(task, progress);
  released.save(folder / "model.sosia");
  const Model model = train_watched(released, options.fit, progress);
  model.save(folder / "model.sosia", true);
  write_schema(model.schema(), folder / "schema.json");
  write_text(folder / "certificate.json", model.certificate() + "\n");
  const std::string name = synthetic_name(task.data, task.schema);
  const std::int64_t rows = model.sample(folder / name, how);
  if (task.schema.images) model.sample_grid(folder / "grid.png", kGridColumns, how);
  const std::string page = options.no_report ? "" : publish(model, task, folder);
  std::string text =
      fmt::format("{}\n\n{} synthetic {} in {}; beside it {}schema.json, certificate.json, model.sosia{}\n",
                  model.statement(), rows, task.schema.images ? "images" : "rows", (folder / name).string(),
                  task.schema.images ? "grid.png, " : "", page);
  if (!options.no_report) text += "\n" + report_on(model, task, folder, name, options.fit);
  return {"", text};
}

}  // namespace

std::vector<Command> add_run(const Declared& program) {
  const Declared command =
      program.command("run", "From private data to synthetic data: fit, sample, certificate, report", kExamples);
  const auto options = std::make_shared<Options>();
  add_fit_options(command, options->fit);
  command.option("-n,--rows", options->rows, "Rows to make (default: about as many as the table had)", "N");
  command.option("-o,--output", options->output, "A new folder for everything", "DIR");
  command.flag("--no-report", options->no_report, "No scores and no pages");
  return {{command, [options] { return run_all(*options); }}};
}

}  // namespace sosia::cli
