// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <fmt/format.h>

#include <sosia/error.h>
#include <sosia/fit.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/table.h"

namespace sosia::cli {

namespace {

constexpr char kExamples[] = R"(Examples:
  sosia methods
  sosia methods pairwise)";

std::string explained(const MethodInfo& method) {
  std::string text = fmt::format("{}: {}\n\n{}\n", method.name, method.summary, method.claim);
  if (method.options.empty()) return text + "\nIt has no options.\n";
  std::vector<std::vector<std::string>> rows = {{"option", ">default", ">from", ">to", "meaning"}};
  const bool takes_both = method.takes_images && method.takes_tables;
  if (takes_both) rows[0].insert(rows[0].begin() + 2, ">of images");
  for (const MethodOption& option : method.options) {
    std::vector<std::string> row = {option.name, fmt::format("{:g}", option.standard),
                                    fmt::format("{:g}", option.least), fmt::format("{:g}", option.most), option.help};
    if (takes_both) {
      row.insert(row.begin() + 2, fmt::format("{:g}", option.of_images.value_or(option.standard)));
    }
    rows.push_back(std::move(row));
  }
  return text + "\n" + table(rows);
}

Outcome run_methods(const Argument& name) {
  const std::vector<MethodInfo> list = methods();
  if (!name) {
    std::vector<std::vector<std::string>> rows = {{"method", "takes", "what it does"}};
    for (const MethodInfo& method : list) {
      const char* const takes = !method.takes_images ? "tables" : method.takes_tables ? "tables, images" : "images";
      rows.push_back({method.name, takes, method.summary});
    }
    return {table(rows)};
  }
  std::vector<std::string> names;
  for (const MethodInfo& method : list) {
    if (method.name == *name) return {explained(method)};
    names.push_back(method.name);
  }
  throw Error(ErrorKind::usage, fmt::format("there is no method \"{}\"", *name), "sosia methods",
              fmt::format("choose one of: {}", fmt::join(names, ", ")));
}

}  // namespace

std::vector<Command> add_methods(const Declared& program) {
  const Declared command =
      program.command("methods", "List the methods, or explain one: its claim and its options", kExamples);
  const auto name = std::make_shared<Argument>();
  command.option("NAME", *name, "The method", "");
  return {{command, [name] { return run_methods(*name); }}};
}

}  // namespace sosia::cli
