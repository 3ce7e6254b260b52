// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include <sosia/error.h>
#include <sosia/fit.h>
#include <sosia/run_file.h>

#include "cli/before_charge.h"
#include "cli/command.h"
#include "cli/fit_options.h"
#include "cli/progress.h"
#include "cli/resume.h"

namespace sosia::cli {

namespace {

constexpr char kExamples[] = R"(Examples:
  sosia fit clinic.csv --schema clinic.schema.json --epsilon 1 -o clinic.sosia
  sosia fit clinic.csv --schema clinic.schema.json --epsilon 1 --target readmitted --dry-run
  sosia fit clinic.csv --schema draft.json --confirm type,precision,pattern --discover 0.2 --epsilon 2 -o clinic.sosia
  sosia fit train-images-idx3-ubyte.gz --schema digits.json --epsilon 1 --delta 1e-5 -o digits.sosia
  sosia fit --resume clinic.sosia)";

struct Options {
  FitArguments fit;
  Argument output, resume;
  bool dry_run = false;
};

Outcome run_resume(const Options& options) {
  if (options.dry_run) {
    throw Error(ErrorKind::usage, "--resume does not go with --dry-run", "sosia fit",
                "going on costs nothing: pass --resume MODEL alone, or with -o");
  }
  if (std::filesystem::exists(run_file_of(*options.resume))) return go_on(*options.resume);
  Progress progress(options.fit.quiet);
  const Model model = train_watched(Model::load(*options.resume), options.fit, progress);
  model.save(options.output.value_or(*options.resume), !options.output);
  return {"", model.statement() + "\n"};
}

/// With the releases on the disk, the run file has done its duty: from there on, the model itself can go on.
Outcome release_and_train(const FitTask& task, const FitArguments& arguments, const std::string& output,
                          const std::string& plan) {
  Progress progress(arguments.quiet,
                    note_of_way_on(how_to_go_on("sosia fit", output), task.options.epsilon, task.options.ledger));
  if (!arguments.quiet) notify(plan);
  const bool is_there = std::filesystem::exists(output);
  const Model released = is_there ? Model::load(output) : release_watched(task, progress);
  if (!is_there) released.save(output);
  if (std::filesystem::exists(task.options.run_file)) RunFile::open(task.options.run_file).remove();
  const Model model = train_watched(released, arguments, progress);
  model.save(output, true);
  return {"", model.statement() + "\n"};
}

Outcome run_fit(const Options& options) {
  if (options.resume && !options.fit.file) return run_resume(options);
  FitTask task = fit_task(options.fit, "sosia fit");
  std::string plan;
  if (!options.resume || options.dry_run) {
    plan = plan_text(plan_fit(task.data, task.schema, task.options), task);
    if (options.dry_run) return {plan + "No row was read, and nothing was spent.\n"};
    check_no_run("sosia fit", required("--output", options.output, "clinic.sosia"));
    check_new_file(*options.output);
    check_room(*options.output, 0);
    check_data(task, options.fit);
    plan += "\n";
  }
  const std::string& output = required("--output", options.output, "clinic.sosia");
  if (options.resume) check_interrupted(output);
  task.options.run_file = run_file_of(output);
  task.options.command = options.fit.command;
  return with_way_on({"sosia fit", output, output, task.options.epsilon},
                     [&] { return release_and_train(task, options.fit, output, plan); });
}

}  // namespace

std::vector<Command> add_fit(const Declared& program) {
  const Declared command =
      program.command("fit", "Fit a model to a private table or image set under a privacy budget", kExamples);
  const auto options = std::make_shared<Options>();
  add_fit_options(command, options->fit);
  command.option("-o,--output", options->output, "The model file", "FILE");
  command.option("--resume", options->resume, "Go on with a fit that was interrupted; spends nothing more", "MODEL");
  command.flag("--dry-run", options->dry_run, "Show the plan; read no row, spend nothing");
  return {{command, [options] { return run_fit(*options); }}};
}

}  // namespace sosia::cli
