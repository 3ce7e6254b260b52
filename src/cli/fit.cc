// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <fmt/format.h>

#include <sosia/error.h>
#include <sosia/fit.h>

#include "cli/before_charge.h"
#include "cli/command.h"
#include "cli/fit_options.h"
#include "cli/progress.h"

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
  if (options.dry_run || options.fit.file) {
    throw Error(ErrorKind::usage, "--resume goes with neither a table nor --dry-run", "sosia fit",
                "training on releases that were made costs nothing: pass --resume MODEL alone, or with -o");
  }
  Progress progress(options.fit.quiet);
  const Model model = train_watched(Model::load(*options.resume), options.fit, progress);
  model.save(options.output.value_or(*options.resume), !options.output);
  return {"", model.statement() + "\n"};
}

Outcome run_fit(const Options& options) {
  if (options.resume) return run_resume(options);
  const FitTask task = fit_task(options.fit, "sosia fit");
  const std::string plan = plan_text(plan_fit(task.data, task.schema, task.options), task);
  if (options.dry_run) return {plan + "No row was read, and nothing was spent.\n"};
  const std::string& output = required("--output", options.output, "clinic.sosia");
  check_new_file(output);
  check_room(output, 0);
  check_data(task, options.fit);
  Progress progress(options.fit.quiet);
  if (!options.fit.quiet) notify(plan + "\n");
  const Model released = release_watched(task, progress);
  released.save(output);  // from here on a killed run can be resumed without spending again
  const Model model = train_watched(released, options.fit, progress);
  model.save(output, true);
  return {"", model.statement() + "\n"};
}

}  // namespace

std::vector<Command> add_fit(const Declared& program) {
  const Declared command =
      program.command("fit", "Fit a model to a private table or image set under a privacy budget", kExamples);
  const auto options = std::make_shared<Options>();
  add_fit_options(command, options->fit);
  command.option("-o,--output", options->output, "The model file", "FILE");
  command.option("--resume", options->resume, "Train on the releases in this model; spends nothing", "MODEL");
  command.flag("--dry-run", options->dry_run, "Show the plan; read no row, spend nothing");
  return {{command, [options] { return run_fit(*options); }}};
}

}  // namespace sosia::cli
