// SPDX-License-Identifier: Apache-2.0
// The command `run`: all steps from a table to a synthetic one and a page about it.
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include <sosia/error.h>
#include <sosia/fit.h>
#include <sosia/report.h>
#include <sosia/run_file.h>
#include <sosia/table.h>
#include <sosia/verify.h>

#include "cli/before_charge.h"
#include "cli/command.h"
#include "cli/fit_options.h"
#include "cli/progress.h"
#include "cli/report_text.h"
#include "cli/resume.h"
#include "cli/run_folder.h"

namespace sosia::cli {

namespace {

namespace fs = std::filesystem;

constexpr char kExamples[] = R"(Examples:
  sosia run clinic.csv --schema clinic.schema.json --epsilon 1 -o out
  sosia run clinic.parquet --schema clinic.schema.json --epsilon 1 --ledger clinic.ledger -n 100000 -o out
  sosia run --resume out)";

struct Options {
  FitArguments fit;
  Argument output, rows, resume;
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

constexpr int kGridColumns = 10;
struct Interrupted {};

/// Scores the rows against the table they were made from, and writes what is not for release. What goes wrong here
/// costs the run nothing but this: the budget is spent, and all that it bought is on the disk.
std::string report_on(const Model& model, const FitTask& task, const RunFolder& folder, bool is_quiet) {
  const std::string later = "make it by `sosia evaluate` and `sosia report --scores`\n";
  if (!task.options.spelling.header)
    return "No report: of the two tables, only the synthetic one has a line of names\n";
  const EvaluateOptions how{.metrics = reported_metrics(model.schema()),
                            .seed = task.options.seed,
                            .threads = task.options.threads,
                            .spelling = task.options.spelling,
                            .model = fingerprint_of(model),
                            .real_images = task.options.images};
  try {
    StatusLine line(is_quiet);
    const auto watch = [&](const EvaluateStep& step) {
      if (Progress::is_interrupted()) throw Interrupted();
      line(step);
    };
    const Scores scores = evaluate(folder.synthetic, task.data, model.schema(), how, watch);
    folder.make_internal();
    write_scores(scores, folder.scores);
    std::optional<ImageSamples> real;
    if (model.schema().images)
      real = first_images(task.data, *model.schema().images, kGridColumns, task.options.images);
    write_page(internal_page(model, scores, real ? &*real : nullptr), folder.internal_page);
    return fmt::format("{}\nNot for release: {}, {}.\n", verdict_text(scores), folder.internal_page.string(),
                       folder.scores.string());
  } catch (const Interrupted&) {
    return "Interrupted: no report; " + later;
  } catch (const Error& error) {
    return fmt::format("No report: {}; {}", error.problem(), later);
  } catch (const std::exception& error) {  // no memory, no room on the disk
    return fmt::format("No report: {}; {}", error.what(), later);
  }
}

/// What was asked for, checked.
struct WholeRun {
  FitTask task;
  RunFolder folder;
  SampleOptions sample;
};

WholeRun whole_run(const Options& options) {
  FitTask task = fit_task(options.fit, "sosia run");
  const std::string& output = required("--output", options.output, "out");
  SampleOptions sample{
      .seed = task.options.seed, .threads = task.options.threads, .delimiter = task.options.spelling.delimiter};
  if (options.rows) sample.rows = count_value("--rows", *options.rows);
  task.options.run_file = run_file_of(output);
  task.options.command = options.fit.command;
  RunFolder folder(output, task.data, task.schema);
  return {std::move(task), std::move(folder), sample};
}

/// Releases: those on the disk, or new ones, which are there on return. From then on nothing private is needed.
Model released_model(const WholeRun& run, Progress& progress) {
  const bool is_there = fs::exists(run.folder.model);
  Model released = is_there ? Model::load(run.folder.model) : release_watched(run.task, progress);
  if (!is_there) released.save(run.folder.model);
  if (fs::exists(run.task.options.run_file)) RunFile::open(run.task.options.run_file).forget_key();
  return released;
}

Outcome make_all(const WholeRun& run, const Options& options, const std::string& plan) {
  const RunFolder& folder = run.folder;
  Progress progress(options.fit.quiet, note_of_way_on(how_to_go_on("sosia run", *options.output),
                                                      run.task.options.epsilon, run.task.options.ledger));
  if (!options.fit.quiet) notify(plan);
  const Model released = released_model(run, progress);
  const Model model = released.is_trained() ? released : train_watched(released, options.fit, progress);
  model.save(folder.model, true);
  write_schema(model.schema(), folder.schema);
  const std::int64_t rows = model.sample(folder.synthetic, run.sample);
  const bool has_images = run.task.schema.images.has_value();
  if (has_images) model.sample_grid(folder.grid, kGridColumns, run.sample);
  // Without noise there is no page to publish.
  const bool has_page = !options.no_report && !std::isinf(run.task.options.epsilon);
  if (has_page) write_page(publishable_page(model), folder.page);
  write_certificate_of(model, folder.root, folder.released());
  std::string text =
      fmt::format("{}\n\n{} synthetic {} in {}; beside it {}schema.json, certificate.json, model.sosia{}\n",
                  model.statement(), rows, has_images ? "images" : "rows", folder.synthetic.string(),
                  has_images ? "grid.png, " : "", has_page ? ", report.html" : "");
  if (!options.no_report) text += "\n" + report_on(model, run.task, folder, options.fit.quiet);
  if (fs::exists(run.task.options.run_file)) RunFile::open(run.task.options.run_file).remove();
  return {"", text};
}

Outcome run_all(const Options& options) {
  if (options.resume && !options.fit.file) return go_on(*options.resume);
  const WholeRun run = whole_run(options);
  std::string plan;
  if (options.resume) {
    check_interrupted(*options.output);
    run.folder.clear();
  } else {
    check_no_run("sosia run", *options.output);
    check_new_folder(*options.output);
    check_new_folder(run.folder.internal.string());
    check_room(*options.output, bytes_of(run.task.data));
    plan = plan_text(plan_fit(run.task.data, run.task.schema, run.task.options), run.task) + "\n";
    check_data(run.task, options.fit);
  }
  run.folder.make();
  return with_way_on({"sosia run", *options.output, run.folder.model, run.task.options.epsilon},
                     [&] { return make_all(run, options, plan); });
}

}  // namespace

std::vector<Command> add_run(const Declared& program) {
  const Declared command =
      program.command("run", "From private data to synthetic data: fit, sample, certificate, report", kExamples);
  const auto options = std::make_shared<Options>();
  add_fit_options(command, options->fit);
  command.option("-n,--rows", options->rows, "Rows to make (default: about as many as the table had)", "N");
  command.option("-o,--output", options->output, "A new folder for everything", "DIR");
  command.option("--resume", options->resume, "Go on with the run that was interrupted; spends nothing more", "DIR");
  command.flag("--no-report", options->no_report, "No scores and no pages");
  return {{command, [options] { return run_all(*options); }}};
}

}  // namespace sosia::cli
