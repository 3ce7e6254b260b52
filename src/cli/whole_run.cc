// SPDX-License-Identifier: Apache-2.0
// The command `run`: all steps from a table to a synthetic one.
#include <filesystem>
#include <fstream>
#include <memory>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <sosia/error.h>
#include <sosia/fit.h>
#include <sosia/table.h>

#include "cli/command.h"
#include "cli/fit_options.h"
#include "cli/progress.h"

namespace sosia::cli {

namespace {

namespace fs = std::filesystem;

constexpr char kExamples[] = R"(Examples:
  sosia run clinic.csv --schema clinic.schema.json --epsilon 1 -o out
  sosia run clinic.parquet --schema clinic.schema.json --epsilon 1 --ledger clinic.ledger -n 100000 -o out)";

struct Options {
  FitArguments fit;
  Argument output, rows;
};

/// The synthetic table is stored as the private one is; standard input and folders become CSV and Parquet files.
std::string synthetic_name(const fs::path& data) {
  if (data == "-") return "synthetic.csv";
  if (fs::is_directory(data)) return "synthetic.parquet";
  const std::string name = data.filename().string();
  const std::size_t dot = name.find('.');
  return "synthetic" + (dot == std::string::npos ? ".csv" : name.substr(dot));
}

void write_text(const fs::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw Error(ErrorKind::io, "the file cannot be written", path.string(), "check the folder and the disk");
}

Outcome run_all(const Options& options) {
  const FitTask task = fit_task(options.fit, "sosia run");
  const fs::path folder = required("--output", options.output, "out");
  if (fs::exists(folder) && !(fs::is_directory(folder) && fs::is_empty(folder))) {
    throw Error(ErrorKind::io, "the folder is there already and is not empty", folder.string(), "choose another name");
  }
  const FitPlan plan = plan_fit(task.data, task.schema, task.options);
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) throw Error(ErrorKind::io, "the folder cannot be made", folder.string(), "check the path");
  Progress progress(options.fit.quiet);
  if (!options.fit.quiet) notify(plan_text(plan, task) + "\n");
  const Model released = release(task.data, task.schema, task.options);
  released.save(folder / "model.sosia");
  const Model model = train_watched(released, options.fit, progress);
  model.save(folder / "model.sosia", true);
  write_schema(model.schema(), folder / "schema.json");
  write_text(folder / "certificate.json", model.certificate() + "\n");
  SampleOptions how{.seed = task.options.seed, .threads = task.options.threads};
  if (options.rows) how.rows = count_value("--rows", *options.rows);
  const std::string name = synthetic_name(task.data);
  const std::int64_t rows = model.sample(folder / name, how);
  return {"", fmt::format("{}\n\n{} synthetic rows in {}; beside it schema.json, certificate.json, model.sosia\n",
                          model.statement(), rows, (folder / name).string())};
}

}  // namespace

std::vector<Command> add_run(CLI::App& app) {
  CLI::App* command = app.add_subcommand("run", "From a private table to a synthetic one: fit, sample, certificate");
  command->footer(kExamples);
  const auto options = std::make_shared<Options>();
  add_fit_options(*command, options->fit);
  command->add_option("-n,--rows", options->rows, "Rows to make (default: about as many as the table had)")
      ->type_name("N");
  command->add_option("-o,--output", options->output, "A new folder for everything")->type_name("DIR");
  return {{command, [options] { return run_all(*options); }}};
}

}  // namespace sosia::cli
