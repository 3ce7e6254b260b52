// SPDX-License-Identifier: Apache-2.0
#include "cli/facts.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/progress.h"

namespace sosia::cli {

namespace {

constexpr std::size_t kMostRisks = 20;

std::string lines(const std::vector<std::string>& list, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(list.size(), most); ++i) text += "  " + list[i] + "\n";
  return list.size() > most ? text + fmt::format("  and {} more\n", list.size() - most) : text;
}

}  // namespace

void add_unit_option(const Declared& command, Argument& unit) {
  command.option("--unit", unit,
                 "Whose privacy is protected: all rows with one id, of which at most MAX (default 1) are used; or row",
                 "COLUMN[:MAX]");
}

void add_fact_options(const Declared& command, FactArguments& arguments, const char* schema_help) {
  command.option("--schema", arguments.schema, schema_help, "FILE");
  command.option("--confirm", arguments.confirm, "Facts to confirm as public knowledge: all, or type,bounds,...",
                 "FACTS");
  add_unit_option(command, arguments.unit);
}

PrivacyUnit unit_value(const std::string& text) {
  if (text == "row") return {};
  const std::size_t colon = text.rfind(':');
  const bool has_most = colon != std::string::npos && colon + 1 < text.size() &&
                        text.find_first_not_of("0123456789", colon + 1) == std::string::npos;
  if (!has_most) return {.column = text};
  return {.column = text.substr(0, colon), .max_rows = count_value("--unit", text.substr(colon + 1))};
}

std::string confirmed_text(const std::vector<std::string>& facts, const std::vector<std::string>& risks) {
  if (facts.empty()) return "Nothing was left to confirm.\n";
  std::string text = fmt::format("Confirmed as public knowledge, {} fact{}:\n{}", facts.size(),
                                 facts.size() == 1 ? "" : "s", lines(facts, facts.size()));
  if (risks.empty()) return text;
  return text + fmt::format("Risk: fewer than {} rows hold these values, and each may point to one person:\n{}",
                            kFewRows, lines(risks, kMostRisks));
}

Draft confirmed_draft(const FactArguments& arguments) {
  Draft draft = read_draft(required("--schema", arguments.schema, "clinic.schema.json"));
  if (arguments.unit) draft.set_unit(unit_value(*arguments.unit));
  if (arguments.confirm) {
    const bool all = *arguments.confirm == "all";
    const std::vector<Fact> chosen = all ? std::vector<Fact>() : facts_from(*arguments.confirm);
    const std::span<const Fact> facts = all ? all_facts() : chosen;
    const std::vector<std::string> risks = draft.risks(facts);
    notify(confirmed_text(draft.confirm(facts), risks) + "\n");
  }
  return draft;
}

}  // namespace sosia::cli
