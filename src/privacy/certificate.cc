// SPDX-License-Identifier: Apache-2.0
#include <sosia/certificate.h>

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sosia/plan_file.h>

#include "base/durable_file.h"
#include "base/number_text.h"
#include "data/schema_sources.h"

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

std::string facts_text(std::size_t count) { return fmt::format("{} fact{}", count, count == 1 ? "" : "s"); }

/// What is declared beside the facts of a schema, and how many of these there are. A column's name begins the latter.
std::string public_text(const Certificate& certificate) {
  std::vector<std::string> parts;
  std::size_t declared = 0;
  for (const std::string& fact : certificate.declared) {
    const bool is_listed = fact.starts_with("column \"") || fact.starts_with("images: ");
    is_listed ? static_cast<void>(++declared) : parts.push_back(fact);
  }
  if (declared > 0) parts.push_back(facts_text(declared) + " declared by the owner");
  if (!certificate.confirmed.empty()) {
    parts.push_back(facts_text(certificate.confirmed.size()) + " read off the data and confirmed by the owner");
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string discovered_text(const DiscoveredFacts& discovered) {
  const Promise& promise = discovered.purchase.promise;
  if (discovered.is_own) return facts_text(discovered.facts.size()) + ", within the promise";
  if (!discovered.purchase.has_guarantee) return facts_text(discovered.facts.size()) + " before, without a guarantee";
  return fmt::format("{} before, for epsilon {} and delta {}", facts_text(discovered.facts.size()),
                     round_up_text(promise.epsilon), exact_or_up_text(promise.delta));
}

bool covers_others(const std::vector<DiscoveredFacts>& discovered) {
  return std::ranges::any_of(discovered, [](const DiscoveredFacts& facts) { return !facts.is_own; });
}

ordered_json guarantee_json(const Guarantee& guarantee) {
  if (!guarantee.none.empty()) return nullptr;
  return {{"epsilon", rounded_up(guarantee.epsilon)}, {"delta", rounded_up(guarantee.delta)}};
}

/// What `spent` says beyond the promise: adaptive events may be chosen by what earlier ones showed, so that their price
/// alone proves nothing; a plan was fixed before (docs/methods/accounting.md, 7.6). Neither covers earlier discovery.
bool spent_is_guarantee(const Certificate& certificate) {
  return certificate.spending == Spending::planned && certificate.guarantee().none.empty() &&
         !covers_others(certificate.discovered);
}

}  // namespace

void Certificate::cover(const Schema& schema, std::size_t first_own) {
  FactSources sources = sources_of(schema);
  declared.insert(declared.end(), sources.declared.begin(), sources.declared.end());
  confirmed.insert(confirmed.end(), sources.confirmed.begin(), sources.confirmed.end());
  for (std::size_t i = 0; i < schema.purchases.size(); ++i) {
    discovered.push_back({schema.purchases[i], i >= first_own, std::move(sources.bought[i])});
  }
}

Guarantee Certificate::guarantee() const {
  Guarantee total{promise.epsilon, promise.delta};
  const auto none = [](const char* why) { return Guarantee{.none = why}; };
  if (!is_private) return none("no noise was added");
  if (test_noise) return none("the noise can be reproduced");
  for (const DiscoveredFacts& facts : discovered) {
    if (facts.is_own) continue;
    const Promise& other = facts.purchase.promise;
    if (!facts.purchase.has_guarantee) return none("facts were discovered under noise that protects nobody");
    if (other.relation != promise.relation || other.unit.column != promise.unit.column) {
      return none(
          "facts were discovered under another neighbouring relation or privacy unit, and the two do not add up");
    }
    total.epsilon += other.epsilon;
    total.delta += other.delta;
  }
  return total;
}

std::string Certificate::statement() const {
  if (!is_private) {
    return fmt::format("NOT PRIVATE: made without noise (epsilon infinite); treat it like the data\nmade by:  sosia {}",
                       version);
  }
  std::string text;
  if (test_noise) text += "NO GUARANTEE: made with reproducible noise, for tests only\n";
  const bool has_others = covers_others(discovered);
  const char* is_guarantee = test_noise ? "" : "; this is the guarantee";
  text += fmt::format("promised: epsilon {}, delta {} under differential privacy{}\n", promise.epsilon,
                      exact_or_up_text(promise.delta), has_others ? "" : is_guarantee);
  if (has_others) {
    const Guarantee total = guarantee();
    text += total.none.empty()
                ? fmt::format("in all:   epsilon {}, delta {}, with the facts that were discovered before{}\n",
                              round_up_text(total.epsilon), exact_or_up_text(total.delta), is_guarantee)
                : fmt::format("in all:   NO GUARANTEE: {}\n", total.none);
  }
  text += fmt::format("relation: {} of {}\n", name_of(promise.relation), unit_of(promise.unit));
  std::int64_t releases = 0;
  for (const Event& event : events) releases += event.count;
  text += fmt::format("spent:    epsilon {} by {} release{} ({}); {}\n", round_up_text(spent_epsilon), releases,
                      releases == 1 ? "" : "s", explained(spending),
                      spent_is_guarantee(*this) ? "holds as well" : "a diagnostic, no guarantee");
  if (const std::string facts = public_text(*this); !facts.empty()) text += fmt::format("public:   {}\n", facts);
  for (const DiscoveredFacts& facts : discovered) text += fmt::format("found:    {}\n", discovered_text(facts));
  if (!left_out.empty()) {
    text += fmt::format("left out: {} column{}, of which too little could be discovered\n", left_out.size(),
                        left_out.size() == 1 ? "" : "s");
  }
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
  ordered_json bought = ordered_json::array();
  for (const DiscoveredFacts& facts : discovered) {
    ordered_json item = purchases_json({facts.purchase}).front();
    item["own"] = facts.is_own;
    item["facts"] = facts.facts;
    bought.push_back(item);
  }
  const Guarantee total = guarantee();
  const ordered_json out = {
      {"sosia", version},
      {"guarantee", total.none.empty()},
      {"total", guarantee_json(total)},
      {"why_none", total.none.empty() ? ordered_json(nullptr) : ordered_json(total.none)},
      {"private", is_private},
      {"promise", is_private ? ordered_json::parse(to_json(promise)) : ordered_json(nullptr)},
      {"spending", is_private ? ordered_json(name_of(spending)) : ordered_json(nullptr)},
      {"spent_epsilon", is_private ? ordered_json(rounded_up(spent_epsilon)) : ordered_json(nullptr)},
      {"spent_is_guarantee", spent_is_guarantee(*this)},
      {"curve", points},
      {"events", ordered_json::parse(to_json(Plan{promise.relation, events})).at("events")},
      {"public", {{"declared", declared}, {"confirmed", confirmed}, {"discovered", bought}, {"left_out", left_out}}},
      {"ledger_head", ledger_head},
  };
  return out.dump(2);
}

}  // namespace sosia
