// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace sosia::cli {

/// A subcommand as it was declared, and what it does: run() returns the text for standard output.
struct Command {
  CLI::App* app;
  std::function<std::string()> run;
};

/// Each declares one subcommand with its options, in the file of its name. A command that has subcommands of its own
/// returns these.
std::vector<Command> add_account(CLI::App& app);
std::vector<Command> add_ledger(CLI::App& app);

}  // namespace sosia::cli
