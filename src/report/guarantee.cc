// SPDX-License-Identifier: Apache-2.0
#include "report/guarantee.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include <sosia/accounting.h>
#include <sosia/error.h>

namespace sosia::report {

namespace {

using nlohmann::ordered_json;

bool is_gaussian(const ordered_json& certificate) { return certificate.at("spending") == "gaussian"; }

/// Of everything that a ledger with Gaussian spending can ever release under this promise.
double promised_mu(const ordered_json& promise) {
  const double selection = promise.value("selection_delta", 0.0);
  return 1.0 / gaussian_noise(promise.at("epsilon"), promise.at("delta").get<double>() - selection);
}

/// Whether facts were discovered before, under promises that add up with this one.
bool covers_others(const ordered_json& certificate) {
  return std::ranges::any_of(certificate.at("public").at("discovered"),
                             [](const ordered_json& facts) { return !facts.at("own").get<bool>(); });
}

/// Gaussian events have a share of mu^2; selections of epsilon 0 take of delta alone.
bool is_priced(const ordered_json& event) {
  return event.at("mechanism") == "gaussian" ||
         (event.at("mechanism") == "partition-selection" && event.value("epsilon", 1.0) == 0.0);
}

double mu_squared(const ordered_json& event) {
  if (event.at("mechanism") != "gaussian") return 0.0;
  return event.value("count", 1.0) / std::pow(event.at("noise").get<double>(), 2);
}

}  // namespace

double best_chance(const ordered_json& certificate) {
  if (!certificate.at("guarantee").get<bool>()) return 1.0;
  const ordered_json &total = certificate.at("total"), &promise = certificate.at("promise");
  const double epsilon = total.at("epsilon"), delta = total.at("delta");
  const double chance = (1.0 + (delta - 1.0) / (1.0 + std::exp(epsilon)));
  if (!is_gaussian(certificate) || covers_others(certificate)) return std::min(1.0, chance);
  // A selection that goes wrong, with its part of delta at the most, gives everything away.
  const double by_mu = 0.5 * std::erfc(-promised_mu(promise) / (2.0 * std::sqrt(2.0)));
  return std::min({1.0, chance, by_mu + promise.value("selection_delta", 0.0)});
}

namespace {

ordered_json explained_json(const std::string& certificate) {
  ordered_json out = ordered_json::parse(certificate);
  out["best_chance"] = best_chance(out);
  ordered_json& events = out.at("events");
  if (!is_gaussian(out) || !std::all_of(events.begin(), events.end(), is_priced)) return out;
  const double budget = std::pow(promised_mu(out.at("promise")), 2);
  double left = 1.0;
  for (ordered_json& event : events) {
    event["share"] = mu_squared(event) / budget;
    left -= event["share"].get<double>();
  }
  out["left"] = std::max(0.0, left);
  return out;
}

}  // namespace

ordered_json explained(const std::string& certificate) {
  try {
    return explained_json(certificate);
  } catch (const ordered_json::exception&) {
    throw Error(ErrorKind::io, "the model's certificate is not one", "the model file", "fit the model again");
  }
}

}  // namespace sosia::report
