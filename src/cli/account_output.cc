// SPDX-License-Identifier: Apache-2.0
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

/// A number that the user gave is shown as it is; a long one on the side of more noise.
std::string epsilon_text(double epsilon) {
  const std::string exact = fmt::format("{}", epsilon);
  return exact.size() <= 8 ? exact : round_down_text(epsilon, 6);
}

struct Parameters {
  std::string operator()(const Gaussian& m) const { return "noise " + exact_or_up_text(m.noise); }
  std::string operator()(const SampledGaussian& m) const {
    return fmt::format("rate {:.6g}, noise {}", m.rate, exact_or_up_text(m.noise));
  }
  std::string operator()(const GroupedGaussian& m) const { return (*this)(SampledGaussian{m.rate, m.noise}); }
  std::string operator()(const Laplace& m) const { return "epsilon " + epsilon_text(m.epsilon); }
  std::string operator()(const Geometric& m) const {
    return fmt::format("epsilon {}, sensitivity {}", epsilon_text(m.epsilon), m.sensitivity);
  }
  std::string operator()(const DiscreteGaussian& m) const {
    return fmt::format("sigma {}, sensitivity {}", exact_or_up_text(m.sigma), m.sensitivity);
  }
  std::string operator()(const Exponential& m) const { return "epsilon " + epsilon_text(m.epsilon); }
  std::string operator()(const NoisyMax& m) const { return "epsilon " + epsilon_text(m.epsilon); }
  std::string operator()(const PartitionSelection& m) const {
    return fmt::format("epsilon {}, delta {}", epsilon_text(m.epsilon), exact_or_up_text(m.delta));
  }
};

std::string events_table(const Plan& plan) {
  std::vector<std::vector<std::string>> rows = {{">event", "mechanism", "parameters", ">count", "label"}};
  for (const Event& event : plan.events) {
    rows.push_back({fmt::format("{}", rows.size()), name_of(event.mechanism), parameters(event.mechanism),
                    fmt::format("{}", event.count), event.label});
  }
  return table(rows);
}

std::string bounds_table(const Account& account) {
  std::vector<std::vector<std::string>> rows = {{"accountant", ">epsilon", ">error at most", "note"}};
  for (const Bound& bound : account.bounds) {
    rows.push_back({bound.accountant, round_up_text(bound.epsilon), bound.error ? round_up_text(*bound.error, 2) : "-",
                    bound.note});
  }
  if (account.exact) rows.push_back({"exact", fmt::format("{:.6g}", *account.exact), "-", "cross-check, not a proof"});
  return table(rows);
}

std::string curve_table(const std::vector<std::pair<double, double>>& curve) {
  std::vector<std::vector<std::string>> rows = {{">delta", ">epsilon"}};
  for (const auto& [delta, epsilon] : curve) rows.push_back({exact_or_up_text(delta), round_up_text(epsilon)});
  return table(rows);
}

std::string sentence(const Priced& priced) {
  const std::string what = priced.plan.events.size() == 1 ? "This event is" : "These events together are";
  if (std::isinf(priced.account.epsilon)) {
    return fmt::format("No finite epsilon is proved for this plan at delta {}.\n",
                       exact_or_up_text(priced.account.delta));
  }
  return fmt::format(
      "{} ({}, {})-differentially private, proved by {}.\n"
      "Neighbours are data sets that differ in one unit: {} ({}).\n"
      "A unit is what the sensitivities were stated for: one record, or all records of one person.\n",
      what, round_up_text(priced.account.epsilon), exact_or_up_text(priced.account.delta), priced.account.proved_by,
      meaning_of(priced.plan.relation), name_of(priced.plan.relation));
}

}  // namespace

std::string parameters(const Mechanism& mechanism) { return std::visit(Parameters{}, mechanism); }

std::string meaning_of(Neighbors relation) {
  switch (relation) {
    case Neighbors::add_remove:
      return "added or removed";
    case Neighbors::zero_out:
      return "replaced by one that contributes nothing";
    case Neighbors::replace:
      return "replaced by any other";
  }
  return "unknown";
}

ordered_json finite(double value) { return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr); }

std::string account_text(const Priced& priced) {
  std::string out;
  if (!priced.plan.events.empty()) out += events_table(priced.plan) + "\n";
  out += bounds_table(priced.account) + "\n";
  if (!priced.curve.empty()) out += curve_table(priced.curve) + "\n";
  return out + sentence(priced);
}

std::string account_json(const Priced& priced) {
  ordered_json out = ordered_json::parse(to_json(priced.plan));
  ordered_json account = {{"delta", priced.account.delta},
                          {"epsilon", finite(priced.account.epsilon)},
                          {"proved_by", priced.account.proved_by}};
  if (priced.account.exact) account["exact"] = finite(*priced.account.exact);
  account["bounds"] = ordered_json::array();
  for (const Bound& bound : priced.account.bounds) {
    ordered_json shown = {{"accountant", bound.accountant}, {"epsilon", finite(bound.epsilon)}};
    if (bound.error) shown["error"] = finite(*bound.error);
    shown["note"] = bound.note;
    account["bounds"].push_back(std::move(shown));
  }
  for (const auto& [delta, epsilon] : priced.curve) {
    account["curve"].push_back({{"delta", delta}, {"epsilon", finite(epsilon)}});
  }
  out["account"] = std::move(account);
  return out.dump(2) + "\n";
}

}  // namespace sosia::cli
