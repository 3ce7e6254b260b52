// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <fmt/format.h>

#include <sosia/draft.h>
#include <sosia/error.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/facts.h"
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
  Argument file, output, max_categories, confirm, unit;
  SpellingOptions spelling;
  ImageArguments images;
};

std::string joined(const std::vector<Fact>& list) {
  std::string facts;
  for (const Fact fact : list) facts += (facts.empty() ? "" : ", ") + std::string(name_of(fact));
  return facts;
}

/// Which facts wait for review, without the facts themselves.
std::string review_table(const Draft& draft) {
  std::vector<std::vector<std::string>> rows = {{"column", "type", "read off the data"}};
  const std::vector<Column>& columns = draft.private_facts().columns;
  for (const Column& column : columns) {
    const std::vector<Fact> facts = draft.unreviewed_of(column.name);
    if (facts.empty()) continue;
    if (rows.size() > kMostLines) {
      rows.push_back({"...", "", fmt::format("({} columns in all)", columns.size())});
      break;
    }
    rows.push_back({column.name, name_of(column.type), joined(facts)});
  }
  return table(rows);
}

std::string draft_summary(const Draft& draft, const std::string& file, const std::string& name) {
  return fmt::format(
      "Drafted {} columns from {}. All of this was read off the data:\n\n{}\n"
      "Until reviewed, the draft is as private as the data. For every fact:\n"
      "  public knowledge?  keep it, or correct it to what is known without the data\n"
      "  not public?        delete \"pattern\"; or \"values\", or \"min\" and \"max\", to be discovered privately\n"
      "Add \"target\" and \"unit\" if there are any. Then confirm: sosia schema --confirm {} -o reviewed.schema.json\n",
      draft.private_facts().columns.size(), file, review_table(draft), name);
}

/// Where the header seems to be missing. By number, lest a value be shown as a name.
std::string header_note(const Draft& draft) {
  const std::vector<std::int64_t> numbers = names_like_values(draft);
  if (numbers.empty()) return "";
  return fmt::format(
      "note: the first line has what looks like values, not names, in {}.\n"
      "      If the file has no line of names, throw this draft away and draft again with --no-header.\n\n",
      column_numbers(numbers));
}

/// Columns that look like ids of somebody with several rows.
std::string unit_note(const Draft& draft) {
  const std::vector<std::string>& names = draft.notes().likely_units;
  if (names.empty()) return "";
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "\"" : ", \"") + name + "\"";
  return fmt::format(
      "\nnote: {} {} somebody's id, and repeats. Say whose privacy is protected, here or later:\n"
      "      all rows of one id, of which at most MAX are used: --unit {}:MAX; or single rows alone: --unit row\n",
      list, names.size() == 1 ? "looks like" : "look like", names.front());
}

/// Writes the schema to the output file, or returns it for standard output.
std::string deliver(const Draft& draft, const Options& options, bool replace) {
  if (!options.output || *options.output == "-") return to_json(draft);
  write_draft(draft, *options.output, replace);
  return "";
}

std::string image_summary(const Draft& schema, const std::string& file, const std::string& draft) {
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
    const Draft schema = draft_image_schema(*options.file, image_options_of(options.images));
    return {deliver(schema, options, false), image_summary(schema, *options.file, draft_name)};
  }
  DraftOptions draft{.spelling = spelling_of(options.spelling)};
  if (options.max_categories) {
    draft.max_categories =
        static_cast<int>(std::min<std::int64_t>(count_value("--max-categories", *options.max_categories), 1000000));
  }
  Draft drafted = draft_schema(*options.file, draft);
  if (options.unit) drafted.set_unit(unit_value(*options.unit));
  return {deliver(drafted, options, false),
          header_note(drafted) + draft_summary(drafted, *options.file, draft_name) + unit_note(drafted)};
}

Outcome run_confirm(const Options& options) {
  Draft draft = read_draft(*options.confirm);
  if (options.unit) draft.set_unit(unit_value(*options.unit));
  const std::vector<std::string> risks = draft.risks(all_facts());
  const std::string told = confirmed_text(draft.confirm(), risks);
  draft.reviewed();  // the unit must be decided, too
  return {deliver(draft, options, options.output == options.confirm), told};
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
  add_unit_option(command, options->unit);
  command.option("--confirm", options->confirm, "Confirm all facts of this schema as public knowledge", "SCHEMA");
  return {{command, [options] { return run_schema(*options); }}};
}

}  // namespace sosia::cli
