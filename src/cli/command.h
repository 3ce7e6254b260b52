// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "cli/declared.h"
#include "cli/run.h"

namespace sosia::cli {

/// A subcommand as it was declared, and what it does.
struct Command {
  Declared declared;
  std::function<Outcome()> run;
};

/// Each declares one subcommand with its options, in the file of its name. A command that has subcommands of its own
/// returns these.
std::vector<Command> add_account(const Declared& program);
std::vector<Command> add_ledger(const Declared& program);
std::vector<Command> add_schema(const Declared& program);
std::vector<Command> add_check(const Declared& program);
std::vector<Command> add_discover(const Declared& program);
std::vector<Command> add_fit(const Declared& program);
std::vector<Command> add_sample(const Declared& program);
std::vector<Command> add_run(const Declared& program);
std::vector<Command> add_evaluate(const Declared& program);
std::vector<Command> add_report(const Declared& program);
std::vector<Command> add_compare(const Declared& program);
std::vector<Command> add_verify(const Declared& program);
std::vector<Command> add_features(const Declared& program);
std::vector<Command> add_methods(const Declared& program);
std::vector<Command> add_example(const Declared& program);

}  // namespace sosia::cli
