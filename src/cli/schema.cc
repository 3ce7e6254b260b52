// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <fmt/format.h>

#include <sosia/error.h>
#include <sosia/table.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/spelling.h"
#include "cli/table.h"

namespace sosia::cli {

namespace {

constexpr char kExamples[] = R"(Examples:
  sosia schema clinic.csv -o clinic.schema.json
  sosia schema visits.tsv.gz --max-categories 20 > draft.json
  sosia schema survey.csv --no-header --missing-word "" --missing-word -9 -o survey.schema.json
  sosia schema --confirm clinic.schema.json -o reviewed.schema.json)";

constexpr std::size_t kMostLines = 40;

struct Options {
  Argument file, output, max_categories, confirm;
  SpellingOptions spelling;
  ImageArguments images;
};

std::string facts_of(const Column& column) {
  std::string facts;
  for (const Fact fact : column.unreviewed) facts += (facts.empty() ? "" : ", ") + std::string(name_of(fact));
  return facts;
}

/// Which facts wait for review, without the facts themselves.
std::string review_table(const Schema& schema) {
  std::vector<std::vector<std::string>> rows = {{"column", "type", "read off the data"}};
  for (const Column& column : schema.columns) {
    if (column.unreviewed.empty()) continue;
    if (rows.size() > kMostLines) {
      rows.push_back({"...", "", fmt::format("({} columns in all)", schema.columns.size())});
      break;
    }
    rows.push_back({column.name, name_of(column.type), facts_of(column)});
  }
  return table(rows);
}

std::string draft_summary(const Schema& schema, const std::string& file, const std::string& draft) {
  return fmt::format(
      "Drafted {} columns from {}. All of this was read off the data:\n\n{}\n"
      "Until reviewed, the draft is as private as the data. For every fact:\n"
      "  public knowledge?  keep it, or correct it to what is known without the data\n"
      "  not public?        delete \"pattern\"; or \"values\", or \"min\" and \"max\", to be discovered privately\n"
      "Add \"target\" and \"unit\" if there are any. Then confirm: sosia schema --confirm {} -o reviewed.schema.json\n",
      schema.columns.size(), file, review_table(schema), draft);
}

/// Where the header seems to be missing. By number, lest a value be shown as a name.
std::string header_note(const Schema& draft) {
  const std::vector<std::int64_t> numbers = names_like_values(draft);
  if (numbers.empty()) return "";
  return fmt::format(
      "note: the first line has what looks like values, not names, in {}.\n"
      "      If the file has no line of names, throw this draft away and draft again with --no-header.\n\n",
      column_numbers(numbers));
}

/// Writes the schema to the output file, or returns it for standard output.
std::string deliver(const Schema& schema, const Options& options, bool replace) {
  if (!options.output || *options.output == "-") return to_json(schema);
  write_schema(schema, *options.output, replace);
  return "";
}

std::string image_summary(const Schema& schema, const std::string& file, const std::string& draft) {
  std::string facts;
  for (const std::string& fact : schema.unreviewed()) facts += "  " + fact + "\n";
  return fmt::format(
      "Drafted a schema of images from {}. All of this was read off them:\n\n{}\n"
      "Until reviewed, the draft is as private as the images. Keep what is public knowledge, or correct it to what is\n"
      "known without the images. Then confirm: sosia schema --confirm {} -o reviewed.json\n",
      file, facts, draft);
}

Outcome run_draft(const Options& options) {
  const std::string draft_name = options.output && *options.output != "-" ? *options.output : "DRAFT";
  if (holds_images(*options.file)) {
    const Schema schema = draft_image_schema(*options.file, image_options_of(options.images));
    return {deliver(schema, options, false), image_summary(schema, *options.file, draft_name)};
  }
  DraftOptions draft{.spelling = spelling_of(options.spelling)};
  if (options.max_categories) {
    draft.max_categories =
        static_cast<int>(std::min<std::int64_t>(count_value("--max-categories", *options.max_categories), 1000000));
  }
  const Schema schema = draft_schema(*options.file, draft);
  return {deliver(schema, options, false), header_note(schema) + draft_summary(schema, *options.file, draft_name)};
}

Outcome run_confirm(const Options& options) {
  Schema schema = read_schema(*options.confirm);
  const std::vector<std::string> facts = schema.confirm();
  std::string text = deliver(schema, options, options.output == options.confirm);
  if (facts.empty()) return {text, "Nothing was left to confirm.\n"};
  std::string list;
  for (const std::string& fact : facts) list += "  " + fact + "\n";
  return {text, fmt::format("Confirmed as public knowledge, {} facts:\n{}", facts.size(), list)};
}

Outcome run_schema(const Options& options) {
  if (options.file.has_value() == options.confirm.has_value()) {
    throw Error(ErrorKind::usage, options.file ? "FILE and --confirm exclude each other" : "the table file is missing",
                "sosia schema",
                "name a table to draft from, as in sosia schema clinic.csv, or a schema to confirm, as in "
                "sosia schema --confirm clinic.schema.json");
  }
  return options.file ? run_draft(options) : run_confirm(options);
}

}  // namespace

std::vector<Command> add_schema(const Declared& program) {
  const Declared command =
      program.command("schema", "Draft a schema from a table or image set, or confirm a reviewed one", kExamples);
  const auto options = std::make_shared<Options>();
  command.option("FILE", options->file,
                 "The table: CSV, TSV, Parquet or Arrow, - for standard input; or images: IDX, NPY, CIFAR, a folder",
                 "");
  command.option("-o,--output", options->output, "Write the schema to this file", "FILE");
  add_spelling(command, options->spelling);
  add_image_options(command, options->images);
  command.option("--max-categories", options->max_categories, "List up to this many values (default 100)", "N");
  command.option("--confirm", options->confirm, "Confirm all facts of this schema as public knowledge", "SCHEMA");
  return {{command, [options] { return run_schema(*options); }}};
}

}  // namespace sosia::cli
