// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sosia/plan_file.h>

#include "base/number_text.h"
#include "cli/output.h"
#include "cli/table.h"

namespace sosia::cli {

namespace {

using nlohmann::ordered_json;

std::string unit_text(const PrivacyUnit& unit) {
  if (unit.column.empty()) return "one row";
  return fmt::format("all rows with the same \"{}\", at most {}", unit.column, unit.max_rows);
}

std::string promise_text(const Promise& promise) {
  std::string text = fmt::format("epsilon {}, delta {}, neighbours {}, unit: {}", promise.epsilon,
                                 exact_or_up_text(promise.delta), name_of(promise.relation), unit_text(promise.unit));
  if (promise.selection_delta > 0.0) {
    text += fmt::format("; {} of delta for selection", exact_or_up_text(promise.selection_delta));
  }
  return text;
}

std::string left_text(const LedgerFile& file) {
  const double least = file.least_noise();
  const double left = std::max(0.0, file.promise().epsilon - file.spent_epsilon());
  const std::string more = std::isinf(least) ? "no further Gaussian release fits in"
                                             : "a Gaussian release needs noise " + round_up_text(least) + " or more";
  return fmt::format("epsilon {}; {}", round_down_text(left), more);
}

std::string events_text(const Plan& plan) {
  std::string text;
  for (const Event& event : plan.events) {
    if (!text.empty()) text += "; ";
    text += fmt::format("{} x {} ({})", event.count, name_of(event.mechanism), parameters(event.mechanism));
  }
  return text;
}

}  // namespace

std::string ledger_text(const LedgerFile& file) {
  std::string out = table({{"data set", file.dataset()},
                           {"created", file.created()},
                           {"promise", promise_text(file.promise())},
                           {"spending", name_of(file.spending())},
                           {"spent", "epsilon " + round_up_text(file.spent_epsilon())},
                           {"left", left_text(file)},
                           {"head", file.head()}});
  if (file.entries().empty()) return out + "\nNothing has been reserved yet.\n";
  std::vector<std::vector<std::string>> rows = {{">entry", "time", ">spent so far", "purpose", "events"}};
  for (const LedgerEntry& entry : file.entries()) {
    rows.push_back({fmt::format("{}", rows.size()), entry.time, round_up_text(entry.spent_epsilon), entry.purpose,
                    events_text(entry.plan)});
  }
  return out + "\n" + table(rows);
}

std::string ledger_json(const LedgerFile& file) {
  const Promise& promise = file.promise();
  ordered_json entries = ordered_json::array();
  for (const LedgerEntry& entry : file.entries()) {
    entries.push_back({{"time", entry.time},
                       {"purpose", entry.purpose},
                       {"plan", ordered_json::parse(to_json(entry.plan))},
                       {"spent_epsilon", entry.spent_epsilon},
                       {"head", entry.head}});
  }
  const ordered_json out = {{"dataset", file.dataset()},
                            {"created", file.created()},
                            {"promise", ordered_json::parse(to_json(promise))},
                            {"spending", name_of(file.spending())},
                            {"spent_epsilon", file.spent_epsilon()},
                            {"least_noise", finite(file.least_noise())},
                            {"head", file.head()},
                            {"entries", std::move(entries)}};
  return out.dump(2) + "\n";
}

}  // namespace sosia::cli
