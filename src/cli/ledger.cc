// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <fmt/format.h>

#include <sosia/error.h>
#include <sosia/ledger_file.h>
#include <sosia/plan_file.h>

#include "base/number_text.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/output.h"

namespace sosia::cli {

namespace {

constexpr char kExamples[] = R"(Examples:
  sosia ledger create adult.ledger --dataset adult --epsilon 1 --delta 1e-6
  sosia ledger create visits.ledger --dataset visits --epsilon 2 --delta 1e-7 --unit patient --max-rows 10
  sosia ledger reserve adult.ledger --events plan.json --purpose "embedding for the report"
  sosia ledger show adult.ledger)";

struct Options {
  Argument file, dataset, epsilon, delta, relation, unit, max_rows, spending, selection_delta, events, purpose, wait;
  bool json = false;
};

const std::string& file_of(const Options& options) {
  if (options.file) return *options.file;
  throw Error(ErrorKind::usage, "the ledger file is missing", "sosia ledger",
              "name it after the command, for example sosia ledger show adult.ledger");
}

PrivacyUnit unit_of(const Options& options) {
  if (options.unit.has_value() != options.max_rows.has_value()) {
    throw Error(ErrorKind::usage, "--unit and --max-rows go together", "sosia ledger create",
                "say which column tells units apart and how many rows of one unit are used at most, "
                "for example --unit patient --max-rows 10");
  }
  if (!options.unit) return {};
  if (options.unit->empty()) {
    throw Error(ErrorKind::usage, "the column of the privacy unit has no name", "option --unit",
                "pass the name of the id column, for example --unit patient");
  }
  return {*options.unit, count_value("--max-rows", *options.max_rows)};
}

std::string run_create(const Options& options) {
  const std::string& path = file_of(options);
  const std::string& dataset = required("--dataset", options.dataset, "adult");
  Promise promise;
  promise.epsilon = positive("--epsilon", required("--epsilon", options.epsilon, "1"));
  promise.delta = delta_value("--delta", required("--delta", options.delta, "1e-6"));
  if (options.relation) promise.relation = neighbors_from(*options.relation);
  promise.unit = unit_of(options);
  if (options.selection_delta) {
    promise.selection_delta = delta_value("--selection-delta", *options.selection_delta);
  }
  const Spending spending = options.spending ? spending_from(*options.spending) : Spending::gaussian;
  return ledger_text(LedgerFile::create(path, dataset, promise, spending));
}

std::string run_show(const Options& options) {
  const LedgerFile file = LedgerFile::open(file_of(options));
  return options.json ? ledger_json(file) : ledger_text(file);
}

std::string run_reserve(const Options& options) {
  const std::string& path = file_of(options);
  const Plan plan = read_plan(required("--events", options.events, "plan.json"));
  const std::string& purpose = required("--purpose", options.purpose, "\"what the releases are for\"");
  const double wait = options.wait && *options.wait != "0" ? positive("--wait", *options.wait) : 0.0;
  LedgerFile file = LedgerFile::open(path);
  const LedgerEntry entry = file.reserve(plan, purpose, options.wait ? wait : 10.0);
  return fmt::format(
      "Reserved as entry {}: these events may now be executed, once.\n"
      "spent  epsilon {} of {}\nhead   {}\n",
      file.entries().size(), round_up_text(entry.spent_epsilon), file.promise().epsilon, file.head());
}

}  // namespace

std::vector<Command> add_ledger(const Declared& program) {
  const Declared ledger = program.group("ledger", "The budget of a data set across runs, in a file", kExamples);
  const auto options = std::make_shared<Options>();
  const Declared create = ledger.command("create", "Make a ledger file: the promise for a data set", kExamples);
  const Declared show =
      ledger.command("show", "Verify a ledger file; show what is promised, spent and left", kExamples);
  const Declared reserve =
      ledger.command("reserve", "Spend budget for events that another tool will execute", kExamples);
  for (const Declared& command : {create, show, reserve}) {
    command.option("FILE", options->file, "The ledger file", "");
  }
  create.option("--dataset", options->dataset, "Name of the data set", "NAME");
  create.option("--epsilon", options->epsilon, "Epsilon of the promise", "E");
  create.option("--delta", options->delta, "Delta of the promise, 0.1 at most", "D");
  create.option("--relation", options->relation, "add-remove (default), zero-out or replace", "R");
  create.option("--unit", options->unit, "Id column: protect all rows of one unit together", "COLUMN");
  create.option("--max-rows", options->max_rows, "Most rows of one unit that are used", "K");
  create.option("--spending", options->spending, "gaussian (default) or renyi", "S");
  create.option("--selection-delta", options->selection_delta, "Part of delta for partition selection", "D");
  show.flag("--json", options->json, "For programs");
  reserve.option("--events", options->events, "Plan file (JSON): the events to reserve for", "FILE");
  reserve.option("--purpose", options->purpose, "What the releases are for", "TEXT");
  reserve.option("--wait", options->wait, "Seconds to wait for another process (default 10)", "S");
  return {{create, [options] { return run_create(*options); }},
          {show, [options] { return run_show(*options); }},
          {reserve, [options] { return run_reserve(*options); }}};
}

}  // namespace sosia::cli
