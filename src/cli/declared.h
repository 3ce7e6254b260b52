// SPDX-License-Identifier: Apache-2.0
// A command and its options as they are declared. CLI11 reads them; its templates take seconds of every file that sees
// them, so that this is all that commands see of it. What options fill in must still be there when the command line is
// read.
#pragma once

#include <string>
#include <vector>

#include "cli/arguments.h"

namespace CLI {  // NOLINT(readability-identifier-naming): not our name
class App;
}

namespace sosia::cli {

class Declared {
 public:
  /// `words`: of the whole command line, which outlives this.
  Declared(CLI::App& app, const std::vector<std::string>& words) : app_(&app), words_(&words) {}

  const CLI::App* app() const { return app_; }
  const std::vector<std::string>& words() const { return *words_; }
  /// `examples` follow the options in its help.
  Declared command(const char* name, const char* help, const char* examples) const;
  /// One that is no more than the commands below it.
  Declared group(const char* name, const char* help, const char* examples) const;

  /// `names`: "-o,--output", or "FILE" for what stands by its place; `value`: what the help calls it, "" for those.
  void option(const char* names, Argument& argument, const char* help, const char* value) const;
  /// Its value may be left out: `given` says whether it is there at all.
  void option(const char* names, Argument& argument, bool& given, const char* help, const char* value) const;
  /// All that stand by their place.
  void all(const char* name, std::vector<std::string>& texts, const char* help) const;
  /// May be repeated, with one text each time, which is taken as it is.
  void each(const char* names, std::vector<std::string>& texts, const char* help, const char* value) const;
  void flag(const char* names, bool& given, const char* help) const;

 private:
  CLI::App* app_;
  const std::vector<std::string>* words_;
};

}  // namespace sosia::cli
