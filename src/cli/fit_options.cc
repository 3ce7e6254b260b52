// SPDX-License-Identifier: Apache-2.0
#include "cli/fit_options.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <sosia/discovery.h>
#include <sosia/error.h>
#include <sosia/ledger_file.h>

#include "base/number_text.h"
#include "cli/before_charge.h"
#include "cli/table.h"

namespace sosia::cli {

namespace {

double epsilon_value(const std::string& text) {
  return text == "inf" ? std::numeric_limits<double>::infinity() : positive("--epsilon", text);
}

}  // namespace

void add_fit_options(const Declared& command, FitArguments& arguments) {
  arguments.command = command.words();
  command.option("DATA", arguments.file,
                 "The table: CSV, TSV, Parquet or Arrow, - for standard input; or images: IDX, NPY, CIFAR, a folder",
                 "");
  add_fact_options(command, arguments.facts, "What is public about the data");
  command.option("--epsilon", arguments.epsilon, "Epsilon to spend; inf: no noise, not private", "E");
  command.option("--delta", arguments.delta,
                 "Delta to spend (default 1e-6, or 1/(10 rows) if rows are declared and that is less)", "D");
  command.option("--method", arguments.method, "How: see sosia methods (default pairwise, of images dp-merf)", "NAME");
  command.option("--target", arguments.target, "The label, in the place of the schema's", "COLUMN");
  command.option("--discover", arguments.discover, "Share of the budget to discover what the schema leaves open",
                 "SHARE");
  command.option("--ledger", arguments.ledger, "Take the budget from this ledger file", "FILE");
  command.each("--set", arguments.settings, "An option of the method; may be repeated", "NAME=VALUE");
  command.option("--seed", arguments.seed, "Of training, not of noise (default 1)", "N");
  command.option("--threads", arguments.threads, "Threads (default: one a core); the model does not depend on it", "N");
  add_spelling(command, arguments.spelling);
  add_image_options(command, arguments.images);
  command.option("--features", arguments.features, "A feature net of public images, for the method dp-mepf", "FILE");
  command.option("--computed", arguments.computed,
                 "What that net makes of the images, computed elsewhere: NPY, a row for each image, made from it alone",
                 "FILE");
  command.option("--public-model", arguments.public_model,
                 "A model of PUBLIC rows to start from, for the method dp-auto-gan", "FILE");
  command.option("--test-noise", arguments.test_noise, "Reproducible noise from this seed: for tests, no guarantee",
                 "SEED");
  command.flag("--trust-table", arguments.trust_table,
               "Do not check all rows before the charge: sosia check has just done so");
  command.flag("--quiet", arguments.quiet, "No progress");
}

FitTask fit_task(const FitArguments& arguments, const std::string& command) {
  if (!arguments.file) {
    throw Error(
        ErrorKind::usage, "the table file is missing", command,
        fmt::format("name it after the command, for example {} clinic.csv --schema clinic.schema.json --epsilon 1",
                    command));
  }
  Draft draft = confirmed_draft(arguments.facts);
  if (arguments.target) draft.set_target(*arguments.target);
  const bool has_discovery = arguments.discover.has_value();
  FitTask task{*arguments.file, has_discovery ? draft.schema() : draft.reviewed(), {}};
  FitOptions& options = task.options;
  options.epsilon = epsilon_value(required("--epsilon", arguments.epsilon, "1"));
  if (arguments.delta) options.delta = delta_value("--delta", *arguments.delta);
  if (arguments.method) options.method = *arguments.method;
  if (arguments.discover) options.discovery = rate_value("--discover", *arguments.discover);
  if (arguments.ledger) options.ledger = *arguments.ledger;
  if (arguments.seed) options.seed = static_cast<std::uint64_t>(count_value("--seed", *arguments.seed));
  if (arguments.threads) options.threads = small_count("--threads", *arguments.threads);
  if (arguments.test_noise) {
    options.test_noise = static_cast<std::uint64_t>(count_value("--test-noise", *arguments.test_noise));
  }
  options.settings = assignments("--set", arguments.settings, {"setting", "a name and a number", "components=500"});
  options.spelling = spelling_of(arguments.spelling);
  options.images = image_options_of(arguments.images);
  if (arguments.features) options.features = *arguments.features;
  if (arguments.computed) options.computed = *arguments.computed;
  if (arguments.public_model) options.public_model = *arguments.public_model;
  return task;
}

void check_data(const FitTask& task, const FitArguments& arguments) {
  if (!task.options.ledger.empty()) LedgerFile::open(task.options.ledger);
  if (arguments.trust_table) return;
  check_rows({task.data, *arguments.facts.schema, task.options.spelling, task.options.images}, task.schema,
             arguments.quiet);
}

namespace {

/// What to expect of mean embeddings.
std::string expected_errors(const FitPlan& plan) {
  if (plan.rows == 0.0) return "";
  std::string text = fmt::format("\nExpected with {:.0f} rows, means having norms up to 1:\n", plan.rows);
  for (const PlannedRelease& release : plan.releases) {
    if (release.noise_error == 0.0) continue;
    text += fmt::format("  {}: noise moves their mean by {:.3g}", release.what, release.noise_error);
    if (release.feature_error > 0.0) {
      text += fmt::format(", random features a squared distance by up to {:.2g}", release.feature_error);
    }
    text += '\n';
  }
  return text;
}

/// What accountants prove of a plan that is fixed as a whole.
std::string prices(const FitPlan& plan) {
  if (plan.prices.empty()) return "";
  std::string text = "\nThe whole plan costs epsilon";
  for (const Bound& bound : plan.prices) {
    text += fmt::format("{} {} by {}", &bound == &plan.prices.front() ? "" : ",", round_up_text(bound.epsilon),
                        bound.accountant);
  }
  return text + "; the first counts.\n";
}

}  // namespace

std::string plan_text(const FitPlan& plan, const FitTask& task) {
  if (std::isinf(task.options.epsilon)) {
    return "Fit without noise: the model will NOT be private, and says so.\n";
  }
  const char* sigma = plan.rows > 0.0 ? ">sigma of a count or sum" : ">sigma of a count";
  std::vector<std::vector<std::string>> rows = {{"release", ">numbers", ">noise", sigma}};
  for (const PlannedRelease& release : plan.releases) {
    rows.push_back({release.what, release.cells == 0 ? "-" : fmt::format("{}", release.cells),
                    fmt::format("{:.4g}", release.noise),
                    release.sigma < 1.0 ? fmt::format("{:.2g}", release.sigma) : fmt::format("{:.1f}", release.sigma)});
  }
  return fmt::format("Fit by {} under epsilon {}, delta {}, {}:\n\n{}{}{}{}\n", plan.method, plan.promise.epsilon,
                     exact_or_up_text(plan.promise.delta), name_of(plan.promise.relation), table(rows), prices(plan),
                     expected_errors(plan), delta_warning(task.schema, plan.promise.delta));
}

Model release_watched(const FitTask& task, Progress& progress) {
  return release(task.data, task.schema, task.options, [&](const TrainingStep& step) {
    const bool goes_on = progress(step);
    if (!goes_on) notify(fmt::format("interrupted after {} of {} private steps\n", step.step, step.most));
    return goes_on;
  });
}

Model train_watched(const Model& released, const FitArguments& arguments, Progress& progress) {
  TrainingStep last;
  bool was_interrupted = false;
  const int threads = arguments.threads ? small_count("--threads", *arguments.threads) : 0;
  Model model = train(released, threads, [&](const TrainingStep& step) {
    last = step;
    was_interrupted = !progress(step);
    return !was_interrupted;
  });
  progress.end_line();
  if (!arguments.quiet) {
    notify(fmt::format("{} after {} step{}{}\n", was_interrupted ? "interrupted: the model is usable" : "trained",
                       last.step, last.step == 1 ? "" : "s", misfit_text(last.residual)));
  }
  return model;
}

}  // namespace sosia::cli
