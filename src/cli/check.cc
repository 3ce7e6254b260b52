// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sosia/draft.h>
#include <sosia/error.h>

#include "cli/arguments.h"
#include "cli/before_charge.h"
#include "cli/command.h"
#include "cli/spelling.h"
#include "cli/table.h"

namespace sosia::cli {

namespace {

using nlohmann::ordered_json;

constexpr char kExamples[] = R"(Examples:
  sosia check clinic.csv --schema clinic.schema.json
  sosia check clinic.parquet --schema clinic.schema.json --outside refuse --json
  sosia check survey.csv --schema survey.schema.json --no-header --missing-word "" --missing-word -9)";

struct Options {
  Argument file, schema, outside;
  SpellingOptions spelling;
  ImageArguments images;
  bool json = false;
};

std::string verdict(const ColumnCheck& column) {
  if (column.unreadable > 0) return "unreadable cells";
  if (!column.missing_fits) return "missing cells are not allowed";
  if (!column.outside_fits) return "cells outside are refused";
  return "fits";
}

std::string quoted_list(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 20;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kMost; ++i) text += (i == 0 ? "\"" : ", \"") + names[i] + "\"";
  return names.size() > kMost ? fmt::format("{} and {} more", text, names.size() - kMost) : text;
}

std::string counted(std::int64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string unit_text(const UnitCheck& check, const PrivacyUnit& unit) {
  std::string text;
  if (check.rows_without > 0) {
    text += fmt::format("{} without an id in \"{}\"{}\n", counted(check.rows_without, "row", "rows"), unit.column,
                        check.leaves_out ? ": left out" : "");
  }
  if (check.units_above > 0) {
    text += fmt::format("{} more than {}: no more of them are used\n",
                        counted(check.units_above, "unit has", "units have"), counted(unit.max_rows, "row", "rows"));
  }
  return text;
}

std::string review_text(const std::vector<std::string>& facts) {
  if (facts.empty()) return "";
  std::string text =
      facts.size() == 1 ? "a fact of the schema waits for review:\n" : "facts of the schema wait for review:\n";
  for (const std::string& fact : facts) text += "  " + fact + "\n";
  return text;
}

std::string report_text(const CheckReport& report, const Schema& schema) {
  std::vector<std::vector<std::string>> rows = {{"column", "type", ">missing", ">outside", ">unreadable", "verdict"}};
  for (const ColumnCheck& column : report.columns) {
    rows.push_back({column.name, name_of(column.type), fmt::format("{}", column.missing),
                    fmt::format("{}", column.outside), fmt::format("{}", column.unreadable), verdict(column)});
  }
  std::string text = table(rows) + fmt::format("\n{}\n", counted(report.rows, "row", "rows"));
  if (!report.rows_fit) text += fmt::format("the schema says {} rows\n", *schema.rows);
  if (report.unit) text += unit_text(*report.unit, schema.unit);
  if (!report.absent.empty()) text += fmt::format("not in the file: {}\n", quoted_list(report.absent));
  if (!report.extra.empty()) text += fmt::format("not in the schema, never read: {}\n", column_numbers(report.extra));
  return text + review_text(report.unreviewed);
}

std::string report_json(const CheckReport& report) {
  ordered_json columns = ordered_json::array();
  for (const ColumnCheck& column : report.columns) {
    columns.push_back({{"name", column.name},
                       {"type", name_of(column.type)},
                       {"missing", column.missing},
                       {"outside", column.outside},
                       {"unreadable", column.unreadable},
                       {"fits", column.fits()}});
  }
  ordered_json out = {
      {"fits", report.fits()},   {"rows", report.rows},   {"rows_fit", report.rows_fit},    {"columns", columns},
      {"absent", report.absent}, {"extra", report.extra}, {"unreviewed", report.unreviewed}};
  if (report.unit) {
    out["unit"] = {{"rows_without", report.unit->rows_without},
                   {"leaves_out", report.unit->leaves_out},
                   {"units_above", report.unit->units_above}};
  }
  return out.dump(2) + "\n";
}

std::string images_text(const ImageCheck& check, const Schema& schema) {
  const ImageShape& shape = schema.images->shape;
  std::string text = fmt::format("{} of {} x {} pixels in {}\n", counted(check.rows, "image", "images"), shape.width,
                                 shape.height, shape.channels == 1 ? "grey" : "colour");
  std::vector<std::vector<std::string>> rows = {{"class", ">images"}};
  for (std::size_t i = 0; i < check.classes.size(); ++i) {
    rows.push_back({schema.images->classes[i], fmt::format("{}", check.classes[i])});
  }
  if (rows.size() > 1) text += "\n" + table(rows);
  return text + review_text(check.unreviewed);
}

std::string images_json(const ImageCheck& check, const Schema& schema) {
  ordered_json classes = ordered_json::object();
  for (std::size_t i = 0; i < check.classes.size(); ++i) classes[schema.images->classes[i]] = check.classes[i];
  const ordered_json out = {{"fits", check.rows_fit},
                            {"rows", check.rows},
                            {"rows_fit", check.rows_fit},
                            {"classes", classes},
                            {"unreviewed", check.unreviewed}};
  return out.dump(2) + "\n";
}

Outcome check_set(const Options& options, const Draft& draft) {
  const Schema& schema = draft.private_facts();
  const ImageCheck check = check_images(*options.file, draft, image_options_of(options.images));
  const std::string out = options.json ? images_json(check, schema) : images_text(check, schema);
  if (check.rows_fit) return {out};
  const Error error = misfit(schema, *options.file);
  return {out, std::string(error.what()) + "\n", error.exit_code()};
}

Outcome run_check(const Options& options) {
  if (!options.file) {
    throw Error(ErrorKind::usage, "the table file is missing", "sosia check",
                "name it after the command, for example sosia check clinic.csv --schema clinic.schema.json");
  }
  const std::string& path = required("--schema", options.schema, "clinic.schema.json");
  CheckOptions check{.spelling = spelling_of(options.spelling)};
  if (options.outside) check.outside = outside_from(*options.outside);
  const Draft draft = read_draft(path);
  const Schema& schema = draft.private_facts();
  if (schema.images) return check_set(options, draft);
  const CheckReport report = check_table(*options.file, draft, check);
  const std::string out = options.json ? report_json(report) : report_text(report, schema);
  if (report.fits()) return {out};
  const Error error = misfit(report, *options.file, path);
  return {out, std::string(error.what()) + "\n", error.exit_code()};
}

}  // namespace

std::vector<Command> add_check(const Declared& program) {
  const Declared command = program.command("check", "Does a table or image set fit its schema? Counts only", kExamples);
  const auto options = std::make_shared<Options>();
  command.option("FILE", options->file,
                 "The table: CSV, TSV, Parquet or Arrow, - for standard input; or images: IDX, NPY, CIFAR, a folder",
                 "");
  command.option("--schema", options->schema, "The schema", "FILE");
  command.option("--outside", options->outside, "Cells outside: clamp, other or refuse, for all columns", "RULE");
  add_spelling(command, options->spelling);
  add_image_options(command, options->images);
  command.flag("--json", options->json, "For programs");
  return {{command, [options] { return run_check(*options); }}};
}

}  // namespace sosia::cli
