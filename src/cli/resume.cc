// SPDX-License-Identifier: Apache-2.0
#include "cli/resume.h"

#include <new>
#include <vector>

#include <fmt/format.h>

#include <sosia/error.h>
#include <sosia/run_file.h>

#include "cli/run_folder.h"

namespace sosia::cli {

namespace fs = std::filesystem;

fs::path run_file_of(const std::string& output) { return beside(output, ".resume"); }

void check_no_run(const std::string& command, const std::string& output) {
  if (!fs::exists(run_file_of(output))) return;
  throw Error(ErrorKind::io, "a run of this name was interrupted", run_file_of(output).string(),
              fmt::format("go on with it: {}; or choose another name", how_to_go_on(command, output)));
}

void check_interrupted(const std::string& output) {
  if (fs::exists(run_file_of(output))) return;
  throw Error(ErrorKind::io, "there is nothing to go on with: no run of this name was interrupted",
              run_file_of(output).string(), "pass the output of the run that was interrupted, as it was given");
}

std::string how_to_go_on(const std::string& command, const std::string& output) {
  return fmt::format("{} --resume {}", command, output);
}

std::string note_of_way_on(const std::string& way_on, double epsilon, const fs::path& ledger) {
  const std::string charged = ledger.empty() ? "is spent" : fmt::format("of {} is charged", ledger.string());
  return fmt::format("epsilon {} {} once; go on with: {}", epsilon, charged, way_on);
}

Outcome go_on(const std::string& output) {
  check_interrupted(output);
  std::vector<std::string> words;
  fs::path folder;
  {
    const RunFile run = RunFile::open(run_file_of(output));
    words = run.command();
    folder = run.folder();
  }
  words.insert(words.end(), {"--resume", output});
  fs::current_path(folder);
  return run(words);
}

Outcome with_way_on(const Underway& underway, const std::function<Outcome()>& work) {
  const auto told = [&](const Error& error) {
    std::error_code ignored;
    const bool is_released = fs::is_regular_file(underway.releases, ignored);
    if (!is_released && !fs::exists(run_file_of(underway.output), ignored)) return error;
    std::string fix = error.fix();
    if (is_released) {
      fix += fmt::format("; what epsilon {} was spent for is in {}", underway.epsilon, underway.releases.string());
    }
    return Error(
        error.kind(), error.problem(), error.where(),
        fmt::format("{}; go on then, at no further charge: {}", fix, how_to_go_on(underway.command, underway.output)));
  };
  try {
    return work();
  } catch (const Error& error) {
    throw told(error);
  } catch (const std::bad_alloc&) {
    throw told(no_memory());
  } catch (const fs::filesystem_error& error) {
    throw told({ErrorKind::io, error.code().message(), error.path1().string(), "check the folder and the disk"});
  }
}

}  // namespace sosia::cli
