// SPDX-License-Identifier: Apache-2.0
// Going on after a kill. While `run`, `fit` or `discover` lasts, a run file (sosia/run_file.h) lies beside the output:
// it is made before the charge, and removed when all that was paid for is on the disk.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "cli/arguments.h"
#include "cli/run.h"

namespace sosia::cli {

/// OUTPUT.resume
std::filesystem::path run_file_of(const std::string& output);

/// Refuses to begin where another run can go on.
void check_no_run(const std::string& command, const std::string& output);

/// Refuses to go on where no run was interrupted: that would be a new one, which is charged and replaces files unasked.
void check_interrupted(const std::string& output);

/// "sosia run --resume out"
std::string how_to_go_on(const std::string& command, const std::string& output);

/// What a run says that is interrupted or told to end: "epsilon 1 of clinic.ledger is charged once; go on with: sosia
/// run --resume out". Without a ledger file it is spent.
std::string note_of_way_on(const std::string& way_on, double epsilon, const std::filesystem::path& ledger);

/// Gives the command that was interrupted once more, in the folder where it was given, with --resume.
Outcome go_on(const std::string& output);

/// A command under way.
struct Underway {
  std::string command;             ///< "sosia run"
  std::string output;              ///< as it was given
  std::filesystem::path releases;  ///< the file that will hold what was paid for
  double epsilon = 0.0;            ///< that is paid for it
};
/// Does the work of a command. An error then says what is on the disk, and how to go on, if there is a way.
Outcome with_way_on(const Underway& underway, const std::function<Outcome()>& work);

}  // namespace sosia::cli
