// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <fmt/format.h>

#include <sosia/error.h>
#include <sosia/model.h>

#include "cli/arguments.h"
#include "cli/before_charge.h"
#include "cli/command.h"

namespace sosia::cli {

namespace {

constexpr char kExamples[] = R"(Examples:
  sosia sample clinic.sosia -n 20000 -o synthetic.csv
  sosia sample clinic.sosia -n 1000000 --seed 7 -o synthetic.parquet
  sosia sample clinic.sosia -n 500 --where readmitted=true --where sex=F
  sosia sample digits.sosia -n 10000 -o synthetic.npz --grid digits.png)";

struct Options {
  Argument model, rows, seed, threads, delimiter, output, grid, grid_columns;
  std::vector<std::string> where;
  bool replace = false, quiet = false;
};

/// An empty value asks for rows where the column is missing, which it may never be.
void refuse_missing(const Schema& schema, const SampleOptions& how) {
  for (const auto& [name, value] : how.where) {
    const Column* column = schema.find(name);
    if (!value.empty() || column == nullptr || column->missing) continue;
    throw Error(ErrorKind::usage, fmt::format("column \"{}\" is never missing", name), "option --where",
                fmt::format("say which value it has, for example --where {}=VALUE", name));
  }
}

/// Images have no place on a terminal: a file for them, or a picture, or both.
Outcome sample_images(const Model& model, const Options& options, const SampleOptions& how) {
  if (!options.grid && !options.output) required("--output", options.output, "synthetic.npz");
  std::string text;
  if (options.grid) {
    const int columns = options.grid_columns ? small_count("--grid-columns", *options.grid_columns) : 10;
    model.sample_grid(*options.grid, columns, how);
    text += fmt::format("{} images a class drawn in {}\n", columns, *options.grid);
  }
  if (options.output) {
    const std::int64_t rows = model.sample(*options.output, how);
    text += fmt::format("{} images written to {}\n", rows, *options.output);
  }
  return {"", options.quiet ? "" : text};
}

Outcome run_sample(const Options& options) {
  if (!options.model) {
    throw Error(ErrorKind::usage, "the model file is missing", "sosia sample",
                "name it after the command, for example sosia sample clinic.sosia -n 1000 -o synthetic.csv");
  }
  SampleOptions how;
  if (options.rows) how.rows = count_value("--rows", *options.rows);
  if (options.seed) how.seed = static_cast<std::uint64_t>(count_value("--seed", *options.seed));
  if (options.threads) how.threads = small_count("--threads", *options.threads);
  if (options.delimiter) how.delimiter = delimiter_value("--delimiter", *options.delimiter);
  how.where = assignments("--where", options.where, {"condition", "a column and a value", "sex=F"});
  const std::string output = options.output.value_or("-");
  for (const std::string& file : {output, options.grid.value_or("-")}) {
    if (file != "-" && !options.replace) check_new_file(file);
  }
  const Model model = Model::load(*options.model);
  if (model.schema().images) return sample_images(model, options, how);
  if (options.grid) model.sample_grid(*options.grid, 1, how);  // refuses
  refuse_missing(model.schema(), how);
  const std::int64_t rows = model.sample(output, how);
  if (output == "-" || options.quiet) return {""};
  return {"", fmt::format("{} rows written to {}\n", rows, output)};
}

}  // namespace

std::vector<Command> add_sample(const Declared& program) {
  const Declared command =
      program.command("sample", "Make synthetic rows or images from a model; free of charge", kExamples);
  const auto options = std::make_shared<Options>();
  command.option("MODEL", options->model, "The model file", "");
  command.option("-n,--rows", options->rows, "Number of rows (default: about as many as the table had)", "N");
  command.option("--seed", options->seed, "Another seed, other rows (default 1)", "S");
  command.each("--where", options->where, "Only rows with this value; may be repeated", "COLUMN=VALUE");
  command.option("--threads", options->threads, "Threads (default: one a core); the rows do not depend on it", "N");
  command.option("--delimiter", options->delimiter, "CSV: between the cells of a row, or tab", "C");
  command.option("-o,--output", options->output, "The file, its format by its ending (default: CSV to standard output)",
                 "FILE");
  command.flag("--replace", options->replace, "An existing file may be replaced");
  command.flag("--quiet", options->quiet, "Do not say what was written");
  command.option("--grid", options->grid, "Images: a PNG file with a line of samples for each class", "FILE");
  command.option("--grid-columns", options->grid_columns, "Samples in a line (default 10)", "N");
  return {{command, [options] { return run_sample(*options); }}};
}

}  // namespace sosia::cli
