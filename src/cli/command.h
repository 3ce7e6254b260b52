// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "cli/run.h"

namespace CLI {
class App;
}

namespace sosia::cli {

/// A subcommand as it was declared, and what it does.
struct Command {
  CLI::App* app;
  std::function<Outcome()> run;
};

/// Each declares one subcommand with its options, in the file of its name. A command that has subcommands of its own
/// returns these.
std::vector<Command> add_account(CLI::App& app);
std::vector<Command> add_ledger(CLI::App& app);
std::vector<Command> add_schema(CLI::App& app);
std::vector<Command> add_check(CLI::App& app);
std::vector<Command> add_discover(CLI::App& app);
std::vector<Command> add_fit(CLI::App& app);
std::vector<Command> add_sample(CLI::App& app);
std::vector<Command> add_run(CLI::App& app);
std::vector<Command> add_evaluate(CLI::App& app);
std::vector<Command> add_report(CLI::App& app);
std::vector<Command> add_compare(CLI::App& app);
std::vector<Command> add_features(CLI::App& app);
std::vector<Command> add_methods(CLI::App& app);
std::vector<Command> add_example(CLI::App& app);

}  // namespace sosia::cli
