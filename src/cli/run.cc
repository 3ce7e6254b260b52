// SPDX-License-Identifier: Apache-2.0
#include "cli/run.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <sosia/error.h>
#include <sosia/version.h>

#include "cli/arguments.h"
#include "cli/command.h"

namespace sosia::cli {

namespace {

constexpr char kExamples[] = R"(Examples:
  sosia example clinic -o clinic.csv
  sosia schema clinic.csv -o draft.json
  sosia check clinic.csv --schema clinic.schema.json
  sosia discover clinic.csv --schema draft.json --confirm type,precision,pattern --epsilon 0.5
  sosia run clinic.csv --schema clinic.schema.json --epsilon 1 -o out
  sosia fit clinic.csv --schema clinic.schema.json --epsilon 1 -o clinic.sosia
  sosia sample clinic.sosia -n 1000 -o synthetic.csv
  sosia verify out
  sosia evaluate synthetic.csv --real clinic.csv --schema clinic.schema.json -o scores.json
  sosia report clinic.sosia --scores scores.json -o report.html
  sosia compare scores1.json scores2.json
  sosia account --events plan.json --delta 1e-6
  sosia ledger create adult.ledger --dataset adult --epsilon 1 --delta 1e-6

`sosia COMMAND --help` explains one command.)";

/// The innermost command that was named.
CLI::App* innermost(CLI::App& app) {
  CLI::App* current = &app;
  while (!current->get_subcommands().empty()) current = current->get_subcommands().front();
  return current;
}

std::string full_name(const CLI::App* app) {
  return app->get_parent() == nullptr ? "sosia" : full_name(app->get_parent()) + " " + app->get_name();
}

/// All names that could have been meant at this place: options if the word looks like one, else commands.
std::vector<std::string> choices(const CLI::App* app, bool option) {
  std::vector<std::string> names;
  if (option) {
    for (const CLI::Option* known : app->get_options()) {
      for (const std::string& name : known->get_lnames()) names.push_back("--" + name);
    }
  } else {
    for (const CLI::App* known : app->get_subcommands([](const CLI::App*) { return true; })) {
      names.push_back(known->get_name());
    }
  }
  return names;
}

[[noreturn]] void refuse_extra(const CLI::App* app, const std::string& word) {
  const bool option = word.starts_with('-');
  const std::string name = word.substr(0, option ? word.find('=') : std::string::npos);
  const std::vector<std::string> known = choices(app, option);
  const std::string kind = option ? "option" : known.empty() ? "argument" : "command";
  std::string fix = fmt::format("see `{} --help`", full_name(app));
  if (const auto meant = nearest(name, known)) {
    fix = fmt::format("did you mean {}? {}", *meant, fix);
  } else if (kind == "command") {
    fix = fmt::format("choose one of: {}; {}", fmt::join(known, ", "), fix);
  }
  throw Error(ErrorKind::usage, fmt::format("unknown {} \"{}\"", kind, name), full_name(app), fix);
}

/// CLI11's own complaints in our three parts.
[[noreturn]] void translate(CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* place = innermost(app);
  const std::vector<std::string> extra = app.remaining(true);
  if (!extra.empty()) refuse_extra(place, extra.front());
  const std::string text = error.what(), help = fmt::format("see `{} --help`", full_name(place));
  std::string problem = text, fix = help;
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    // CLI11 begins these with the option's name.
    const std::string option = text.substr(0, text.find_first_of(": "));
    if (text.find("flag override") != std::string::npos) {
      problem = fmt::format("option --{} takes no value", option);
    } else if (text.find("At Most") != std::string::npos) {
      problem = fmt::format("option {} is given more than once", option), fix = "keep one; " + help;
    } else {
      problem = fmt::format("option {} lacks its value", option), fix = "add the value after it; " + help;
    }
  }
  throw Error(ErrorKind::usage, problem, full_name(place), fix);
}

}  // namespace

Error no_memory() {
  return {ErrorKind::io, "this machine has too little memory left to go on", "sosia",
          "close other programs, use fewer threads (--threads), or a machine with more memory"};
}

Outcome run(const std::vector<std::string>& arguments) {
  CLI::App app("Synthetic data under differential privacy.", "sosia");
  app.set_version_flag("--version", std::string("sosia ") + version());
  app.require_subcommand(0, 1);
  app.footer(kExamples);
  std::vector<Command> commands;
  for (const auto& add : {add_account, add_ledger, add_schema, add_check, add_discover, add_fit, add_sample, add_run,
                          add_verify, add_evaluate, add_report, add_compare, add_features, add_methods, add_example}) {
    for (Command& command : add(Declared(app, arguments))) commands.push_back(std::move(command));
  }
  try {
    // CLI11 takes them from the back.
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    return {app.help(), "", 0};
  } catch (const CLI::CallForVersion& version) {
    return {std::string(version.what()) + "\n", "", 0};
  } catch (const CLI::ParseError& error) {
    translate(app, error);
  }
  const CLI::App* chosen = innermost(app);
  for (const Command& command : commands) {
    if (command.declared.app() == chosen) return command.run();
  }
  return {"", app.help(), static_cast<int>(ErrorKind::usage)};
}

}  // namespace sosia::cli
