// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include <sosia/certificate.h>
#include <sosia/discovery.h>
#include <sosia/error.h>
#include <sosia/ledger_file.h>
#include <sosia/run_file.h>

#include "base/number_text.h"
#include "cli/arguments.h"
#include "cli/before_charge.h"
#include "cli/command.h"
#include "cli/facts.h"
#include "cli/progress.h"
#include "cli/resume.h"
#include "cli/spelling.h"
#include "cli/table.h"

namespace sosia::cli {

namespace {

constexpr char kExamples[] = R"(Examples:
  sosia discover clinic.csv --schema draft.json --confirm type,precision,pattern --epsilon 0.5 -o clinic.schema.json
  sosia discover clinic.csv --schema open.json --epsilon 0.5 --delta 1e-7 --ledger clinic.ledger -o clinic.schema.json
  sosia discover clinic.csv --schema open.json --epsilon 0.5 --dry-run)";

constexpr char kDefaultDelta[] = "1e-6";

struct Options {
  Argument file, epsilon, delta, ledger, quantiles, max_values, threads, test_noise, output, certificate, resume;
  std::vector<std::string> command;
  FactArguments facts;
  SpellingOptions spelling;
  bool dry_run = false, trust_table = false;
};

std::string plan_text(const std::vector<DiscoveryStep>& steps, const Schema& schema, const Promise& promise) {
  std::vector<std::vector<std::string>> rows = {{"release", ">columns", ">counts", ">sigma", ">seen from about"}};
  for (const DiscoveryStep& step : steps) {
    rows.push_back({step.what, fmt::format("{}", step.columns.size()),
                    step.cells == 0 ? "one a key" : fmt::format("{}", step.cells), fmt::format("{:.1f}", step.sigma),
                    fmt::format("{:.0f} rows", step.threshold)});
  }
  std::string text = fmt::format("Private discovery under epsilon {}, delta {}, {}:\n\n{}\n", promise.epsilon,
                                 exact_or_up_text(promise.delta), name_of(promise.relation), table(rows));
  if (promise.selection_delta > 0.0) {
    text += fmt::format("{} of delta is for the chance that a value which one unit alone holds is shown.\n",
                        exact_or_up_text(promise.selection_delta));
  }
  return text + delta_warning(schema, promise.delta);
}

std::string findings_text(const Discovery& found) {
  std::string text;
  if (found.rows_sigma > 0.0) text += fmt::format("rows: about {:.0f}, sigma {:.1f}\n", found.rows, found.rows_sigma);
  for (const std::string& finding : found.findings) text += finding + "\n";
  if (!found.classes.empty()) {
    text += "rows of each class, about:";
    for (const auto& [name, count] : found.classes) text += fmt::format(" {} {:.0f}", name, count);
    text += "\n";
  }
  if (!found.not_found.empty()) {
    text += "too few rows for this budget; declare it, or spend more:\n";
    for (const std::string& fact : found.not_found) text += "  " + fact + "\n";
  }
  return text;
}

Ledger open_ledger(const Options& options, const Promise& promise, const RunFile* run) {
  if (options.test_noise) {
    return Ledger::for_tests(promise, static_cast<std::uint64_t>(count_value("--test-noise", *options.test_noise)));
  }
  if (!options.ledger) return Ledger(promise, Spending::gaussian, run);
  LedgerFile file = LedgerFile::open(*options.ledger);
  return Ledger::reserved(file, promise, "private discovery of a schema", run);
}

/// All that the releases depend on.
RunInputs inputs_of(const Options& options, const Schema& schema, const Promise& promise, const DiscoveryOptions& how) {
  return inputs_of_run({*options.file}, how.spelling, schema,
                       {fmt::format("{} {} {} {} {} {}", promise.epsilon, promise.delta, how.max_values, how.quantiles,
                                    how.share, options.test_noise.value_or(""))});
}

DiscoveryOptions discovery_options(const Options& options) {
  DiscoveryOptions out;
  out.spelling = spelling_of(options.spelling);
  if (options.quantiles) out.quantiles = small_count("--quantiles", *options.quantiles);
  if (options.max_values) out.max_values = small_count("--max-values", *options.max_values);
  if (options.threads) out.threads = small_count("--threads", *options.threads);
  return out;
}

/// What is charged to a ledger must not be lost with a pipe, nor one result under the other.
void check_places(const Options& options) {
  const bool has_file = options.output && *options.output != "-";
  if (options.ledger && !has_file) {
    throw Error(ErrorKind::usage, "what a ledger is charged for is not left to standard output alone",
                "sosia discover; nothing was spent", "name a file, for example -o clinic.schema.json");
  }
  namespace fs = std::filesystem;
  if (has_file && options.certificate &&
      fs::absolute(*options.output).lexically_normal() == fs::absolute(*options.certificate).lexically_normal()) {
    throw Error(ErrorKind::usage, "the schema and the certificate would be the same file",
                "sosia discover; nothing was spent", "choose two names");
  }
}

void check_all(const Options& options, const Schema& schema, const DiscoveryOptions& how) {
  check_header(*options.file, schema, how.spelling);
  if (options.test_noise && options.ledger) {
    throw Error(ErrorKind::usage, "noise for tests takes no budget from a ledger file", "sosia discover",
                "leave out --ledger or --test-noise");
  }
  if (options.ledger) LedgerFile::open(*options.ledger);
  for (const Argument* output : {&options.output, &options.certificate}) {
    if (*output && **output != "-") check_new_file(**output);
  }
  check_places(options);
  if (options.output && *options.output != "-") check_no_run("sosia discover", *options.output);
  if (!options.trust_table) check_rows({*options.file, *options.facts.schema, how.spelling, {}}, schema, false);
}

struct Asked {
  const Schema& schema;
  const Promise& promise;
  const DiscoveryOptions& how;
};

/// From the charge to the results.
Outcome find(const Options& options, const Asked& asked, const RunFile* run) {
  Ledger ledger = open_ledger(options, asked.promise, run);
  const Discovery found = discover(*options.file, asked.schema, asked.how, ledger);
  if (run != nullptr) run->check(inputs_of(options, asked.schema, asked.promise, asked.how));
  Certificate certificate = ledger.certificate();
  certificate.cover(found.schema, asked.schema.purchases.size());
  if (options.certificate) write_certificate(certificate, *options.certificate);
  const std::string report = findings_text(found) + "\n" + certificate.statement() + "\n";
  if (!options.output || *options.output == "-") return {to_json(found.schema), report};
  write_schema(found.schema, *options.output);
  return {"", report};
}

Outcome run_discover(const Options& options) {
  if (options.resume && !options.file) return go_on(*options.resume);
  if (!options.file) {
    throw Error(ErrorKind::usage, "the table file is missing", "sosia discover",
                "name it after the command, for example sosia discover clinic.csv --schema draft.json --epsilon 0.5");
  }
  const Schema schema = confirmed_draft(options.facts).schema();
  const double epsilon = positive("--epsilon", required("--epsilon", options.epsilon, "0.5"));
  const Promise promise =
      discovery_promise(schema, epsilon, delta_value("--delta", options.delta.value_or(kDefaultDelta)));
  const DiscoveryOptions how = discovery_options(options);
  const std::string plan = plan_text(plan_discovery(schema, how, Ledger(promise)), schema, promise);
  if (options.dry_run) return {plan + "Nothing was read or spent.\n"};
  options.resume ? check_interrupted(options.output.value_or("-")) : check_all(options, schema, how);
  const bool has_file = options.output && *options.output != "-";
  // From here on Ctrl-C lets be finished what is paid for.
  const std::string way_on = has_file ? note_of_way_on(how_to_go_on("sosia discover", *options.output), epsilon,
                                                       options.ledger.value_or(std::string()))
                                      : std::string();
  const Progress progress(true, way_on);
  notify(plan + "\n");  // before it is spent
  if (!has_file) return find(options, {schema, promise, how}, nullptr);
  return with_way_on({"sosia discover", *options.output, *options.output, promise.epsilon}, [&] {
    RunFile run =
        RunFile::begin(run_file_of(*options.output), inputs_of(options, schema, promise, how), options.command);
    // One that was killed while it let go of its key has left all that it can ever leave.
    if (!run.has_key() && std::filesystem::exists(*options.output)) {
      run.remove();
      return Outcome{"", fmt::format("The discovery was done already: {}\n", *options.output)};
    }
    // A run that ended between its last file and the end of its key has left them all, and makes them once more.
    // Without a key it cannot: what is there of them stays.
    for (const Argument* output : {&options.output, &options.certificate}) {
      if (*output && run.has_key()) std::filesystem::remove(**output);
    }
    try {
      Outcome outcome = find(options, {schema, promise, how}, &run);
      run.remove();
      return outcome;
    } catch (const Error& error) {
      // Nothing was charged, now or before.
      if (!options.resume && error.kind() == ErrorKind::budget) run.remove();
      throw;
    }
  });
}

}  // namespace

std::vector<Command> add_discover(const Declared& program) {
  const Declared command =
      program.command("discover", "Find values and bounds of a table privately, for a schema", kExamples);
  const auto options = std::make_shared<Options>();
  options->command = command.words();
  command.option("FILE", options->file, "The table: CSV, TSV, Parquet or Arrow; - for standard input", "");
  add_fact_options(command, options->facts, "What is known: what it leaves open or unreviewed is discovered");
  command.option("--epsilon", options->epsilon, "Epsilon to spend on it", "E");
  command.option("--delta", options->delta, "Delta to spend on it (default 1e-6); a tenth of it for values", "D");
  command.option("--ledger", options->ledger, "Take the budget from this ledger file", "FILE");
  command.option("--quantiles", options->quantiles, "Also find so many bins of equal weight for numbers", "K");
  command.option("--max-values", options->max_values, "Keep up to this many values a column (default 100)", "N");
  add_spelling(command, options->spelling);
  command.option("--threads", options->threads, "Threads (default: one a core); the result does not depend on it", "N");
  command.option("-o,--output", options->output, "Write the schema to this file", "FILE");
  command.option("--resume", options->resume, "Go on with a discovery that was interrupted; spends nothing more",
                 "FILE");
  command.option("--certificate", options->certificate, "Write the certificate to this file", "FILE");
  command.option("--test-noise", options->test_noise, "Reproducible noise from this seed: for tests, no guarantee",
                 "SEED");
  command.flag("--trust-table", options->trust_table,
               "Do not check all rows before the charge: sosia check has just done so");
  command.flag("--dry-run", options->dry_run, "Show the plan; read and spend nothing");
  return {{command, [options] { return run_discover(*options); }}};
}

}  // namespace sosia::cli
