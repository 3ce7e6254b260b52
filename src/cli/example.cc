// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <fmt/format.h>

#include <sosia/error.h>
#include <sosia/table.h>

#include "cli/arguments.h"
#include "cli/command.h"

namespace sosia::cli {

namespace {

constexpr char kExamples[] = R"(Examples:
  sosia example clinic -n 20000 -o clinic.csv
  sosia example clinic -n 1000000 --seed 7 -o clinic.parquet
  sosia example clinic --schema -o clinic.schema.json
  sosia example shapes -n 3000 -o shapes.npz)";

struct Options {
  Argument name, rows, seed, output;
  bool schema = false;
};

Outcome run_example(const Options& options) {
  if (!options.name) {
    throw Error(ErrorKind::usage, "the name of the example is missing", "sosia example",
                fmt::format("choose one of: {}", fmt::join(example_names(), ", ")));
  }
  const std::string output = options.output.value_or("-");
  if (!options.schema && output == "-" && example_schema(*options.name).images) {
    required("--output", options.output, "shapes.npz");
  }
  if (options.schema) {
    const Schema schema = example_schema(*options.name);
    if (output == "-") return {to_json(schema)};
    write_schema(schema, output);
    return {""};
  }
  ExampleOptions example;
  if (options.rows) example.rows = count_value("-n", *options.rows);
  if (options.seed) example.seed = static_cast<std::uint64_t>(count_value("--seed", *options.seed));
  write_example(*options.name, output, example);
  return {""};
}

}  // namespace

std::vector<Command> add_example(const Declared& program) {
  const Declared command = program.command("example", "Write a made-up table or image set to try things on", kExamples);
  const auto options = std::make_shared<Options>();
  command.option("NAME", options->name, "clinic, a table; shapes, images", "");
  command.option("-n,--rows", options->rows, "Number of rows (default 20000)", "N");
  command.option("--seed", options->seed, "Another seed, another table (default 1)", "S");
  command.option("-o,--output", options->output, "The file, its format by its ending (default: CSV to standard output)",
                 "FILE");
  command.flag("--schema", options->schema, "Write the table's schema instead");
  return {{command, [options] { return run_example(*options); }}};
}

}  // namespace sosia::cli
