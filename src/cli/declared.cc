// SPDX-License-Identifier: Apache-2.0
#include "cli/declared.h"

#include <CLI/CLI.hpp>

namespace sosia::cli {

Declared Declared::command(const char* name, const char* help, const char* examples) const {
  CLI::App* const command = app_->add_subcommand(name, help);
  command->footer(examples);
  return {*command, *words_};
}

Declared Declared::group(const char* name, const char* help, const char* examples) const {
  const Declared group = command(name, help, examples);
  group.app_->require_subcommand(0, 1);
  return group;
}

void Declared::option(const char* names, Argument& argument, const char* help, const char* value) const {
  app_->add_option(names, argument, help)->type_name(value);
}

void Declared::option(const char* names, Argument& argument, bool& given, const char* help, const char* value) const {
  const auto fill = [&argument, &given](const std::vector<std::string>& texts) {
    given = true;
    if (!texts.empty() && !texts.front().empty()) argument = texts.front();
  };
  app_->add_option_function<std::vector<std::string>>(names, fill, help)->type_name(value)->expected(0, 1);
}

void Declared::all(const char* name, std::vector<std::string>& texts, const char* help) const {
  app_->add_option(name, texts, help)->type_name("");
}

void Declared::each(const char* names, std::vector<std::string>& texts, const char* help, const char* value) const {
  // By hand: CLI11 would split a text at commas, take an empty one for none, and take what follows for more.
  app_->add_option_function<std::string>(
          names, [&texts](const std::string& text) { texts.push_back(text); }, help)
      ->type_name(value)
      ->trigger_on_parse()
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

void Declared::flag(const char* names, bool& given, const char* help) const {
  app_->add_flag(names, given, help)->disable_flag_override();
}

}  // namespace sosia::cli
