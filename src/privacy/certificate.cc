// SPDX-License-Identifier: Apache-2.0
#include <sosia/certificate.h>

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include <sosia/plan_file.h>

#include "base/durable_file.h"
#include "base/number_text.h"

namespace sosia {

namespace {

using nlohmann::ordered_json;

// A printed epsilon is a claim: never below the proved one.
double rounded_up(double epsilon) {
  return number_from(round_up_text(epsilon)).value_or(std::numeric_limits<double>::infinity());
}

const char* explained(Spending spending) {
  switch (spending) {
    case Spending::gaussian:
      return "Gaussian-DP filter, events may depend on earlier releases";
    case Spending::renyi:
      return "Renyi filter at a fixed order, events may depend on earlier releases";
    case Spending::planned:
      return "the whole plan, fixed before any data was read";
  }
  return "unknown";
}

std::string unit_of(const PrivacyUnit& unit) {
  if (unit.column.empty()) return "one row";
  return fmt::format("all rows of one \"{}\", of which at most {} are used", unit.column, unit.max_rows);
}

std::string joined(const std::vector<std::string>& facts) {
  std::string text;
  for (const std::string& fact : facts) text += (text.empty() ? "" : ", ") + fact;
  return text;
}

}  // namespace

std::string Certificate::statement() const {
  if (!is_private) {
    return fmt::format("NOT PRIVATE: made without noise (epsilon infinite); treat it like the data\nmade by:  sosia {}",
                       version);
  }
  std::string text;
  if (test_noise) text += "NO GUARANTEE: made with reproducible noise, for tests only\n";
  text += fmt::format("promised: epsilon {}, delta {:g} under differential privacy\n", promise.epsilon, promise.delta);
  text += fmt::format("relation: {} of {}\n", name_of(promise.relation), unit_of(promise.unit));
  std::int64_t releases = 0;
  for (const Event& event : events) releases += event.count;
  text += fmt::format("spent:    epsilon {} by {} release{} ({})\n", round_up_text(spent_epsilon), releases,
                      releases == 1 ? "" : "s", explained(spending));
  if (!declared_public.empty()) text += fmt::format("public:   {}\n", joined(declared_public));
  if (!ledger_head.empty()) text += fmt::format("ledger:   {}\n", ledger_head);
  text += fmt::format("made by:  sosia {}", version);
  return text;
}

void write_certificate(const Certificate& certificate, const std::filesystem::path& path) {
  create_durable_file(path, certificate.json() + "\n");
}

std::string Certificate::json() const {
  ordered_json points = ordered_json::array();
  for (const auto& [delta, epsilon] : curve) {
    points.push_back({{"delta", delta}, {"epsilon", rounded_up(epsilon)}});
  }
  const ordered_json out = {
      {"sosia", version},
      {"guarantee", is_private && !test_noise},
      {"private", is_private},
      {"promise", is_private ? ordered_json::parse(to_json(promise)) : ordered_json(nullptr)},
      {"spending", is_private ? ordered_json(name_of(spending)) : ordered_json(nullptr)},
      {"spent_epsilon", is_private ? ordered_json(rounded_up(spent_epsilon)) : ordered_json(nullptr)},
      {"curve", points},
      {"events", ordered_json::parse(to_json(Plan{promise.relation, events})).at("events")},
      {"declared_public", declared_public},
      {"ledger_head", ledger_head},
  };
  return out.dump(2);
}

}  // namespace sosia
