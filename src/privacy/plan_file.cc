// SPDX-License-Identifier: Apache-2.0
// The grammar of a plan file, one JSON object:
//
//   plan      = {"relation": "add-remove" | "zero-out" | "replace", "events": [event, ...], ("account": {...})}
//   event     = {"mechanism": NAME, parameters, ("count": whole >= 1, default 1), ("label": text)}
//   NAME and parameters:
//     "gaussian"             "noise": x > 0                                  sigma / L2 sensitivity
//     "sampled-gaussian"     "rate": 0 < x <= 1 or "a/b", "noise": x > 0     true Poisson sampling
//     "grouped-gaussian"     "rate": 0 < x <= 1 or "a/b", "noise": x > 0     true Poisson sampling of groups
//     "laplace"              "epsilon": x > 0
//     "geometric"            "epsilon": x > 0, ("sensitivity": whole >= 1, default 1)
//     "discrete-gaussian"    "sigma": 0 < x <= 20000, ("sensitivity": whole >= 1, default 1)
//     "exponential"          "epsilon": x > 0
//     "noisy-max"            "epsilon": x > 0
//     "partition-selection"  "epsilon": x >= 0, "delta": 0 <= x < 1
//
// An open plan may have "share": x > 0 in the place of "noise", "sigma" or "epsilon".
// "account" is what `sosia account --json` adds to the plan it prints; it is not read. All other keys are refused.
#include <sosia/plan_file.h>

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sosia/error.h>

#include "base/durable_file.h"
#include "base/json_reader.h"

namespace sosia {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// How a mechanism is written: the key of its noise, which a share may stand for, and its other keys.
struct Form {
  const char* name;
  const char* scale;
  const char* other;
  Mechanism (*make)(double scale, const ObjectReader& event);
};

std::int64_t sensitivity_of(const ObjectReader& event) {
  return event.has("sensitivity") ? event.whole("sensitivity") : 1;
}

const Form kForms[] = {
    {"gaussian", "noise", nullptr, [](double x, const ObjectReader&) -> Mechanism { return Gaussian{x}; }},
    {"sampled-gaussian", "noise", "rate",
     [](double x, const ObjectReader& e) -> Mechanism { return SampledGaussian{e.fraction("rate"), x}; }},
    {"grouped-gaussian", "noise", "rate",
     [](double x, const ObjectReader& e) -> Mechanism { return GroupedGaussian{e.fraction("rate"), x}; }},
    {"laplace", "epsilon", nullptr, [](double x, const ObjectReader&) -> Mechanism { return Laplace{x}; }},
    {"geometric", "epsilon", "sensitivity",
     [](double x, const ObjectReader& e) -> Mechanism { return Geometric{x, sensitivity_of(e)}; }},
    {"discrete-gaussian", "sigma", "sensitivity",
     [](double x, const ObjectReader& e) -> Mechanism { return DiscreteGaussian{x, sensitivity_of(e)}; }},
    {"exponential", "epsilon", nullptr, [](double x, const ObjectReader&) -> Mechanism { return Exponential{x}; }},
    {"noisy-max", "epsilon", nullptr, [](double x, const ObjectReader&) -> Mechanism { return NoisyMax{x}; }},
    {"partition-selection", "epsilon", "delta",
     [](double x, const ObjectReader& e) -> Mechanism { return PartitionSelection{x, e.number("delta")}; }},
};

const Form& form_of(const json& event, const std::string& where) {
  std::vector<std::string> names;
  for (const Form& form : kForms) names.emplace_back(form.name);
  const json name = event.is_object() && event.contains("mechanism") ? event["mechanism"] : json();
  if (!name.is_string()) {
    throw Error(ErrorKind::schema, "an event must be a JSON object with the key \"mechanism\", a text", where,
                fmt::format("write {{\"mechanism\": NAME, ...}} with one of: {}", listed(names)));
  }
  for (const Form& form : kForms) {
    if (name.get<std::string>() == form.name) return form;
  }
  throw Error(ErrorKind::schema, fmt::format("there is no mechanism {}", shown(name.get<std::string>())),
              where + ", key \"mechanism\"", fmt::format("choose one of: {}", listed(names)));
}

/// The number that a share leaves open, to be replaced by calibration.
constexpr double kPlaceholder = 1.0;

double share_of(const ObjectReader& event, const Form& form) {
  if (event.has(form.scale)) {
    event.refuse("share", fmt::format("and \"{}\" exclude each other", form.scale), "remove one of the two");
  }
  const double share = event.number("share");
  if (!(share > 0.0)) event.refuse("share", "must be above 0", "write a number above 0; only proportions matter");
  return share;
}

Event read_event(const json& value, const std::string& where, bool open, double& share) {
  const Form& form = form_of(value, where);
  std::vector<std::string> keys = {"mechanism", form.scale};
  if (form.other != nullptr) keys.emplace_back(form.other);
  if (open) keys.emplace_back("share");
  keys.insert(keys.end(), {"count", "label"});
  const ObjectReader reader(value, where, fmt::format("a {} event", form.name), keys);
  share = reader.has("share") ? share_of(reader, form) : 0.0;
  const double scale = share > 0.0 ? kPlaceholder : reader.number(form.scale);
  Event event{form.make(scale, reader), 1, ""};
  if (reader.has("count")) event.count = reader.whole("count");
  if (reader.has("label")) event.label = reader.text("label");
  try {
    validate(event);
  } catch (const Error& error) {
    throw Error(ErrorKind::schema, error.problem(), fmt::format("{}, {}", where, error.where()), error.fix());
  }
  return event;
}

Neighbors relation_of(const ObjectReader& plan) {
  try {
    return neighbors_from(plan.text("relation"));
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::schema) throw;
    throw Error(ErrorKind::schema, error.problem(), plan.where() + ", key \"relation\"", error.fix());
  }
}

OpenPlan read_any(std::string_view text, const std::string& where, bool open) {
  const json document = parse_json(text, where);
  const ObjectReader reader(document, where, "a plan", {"relation", "events", "account"});
  OpenPlan result;
  result.plan.relation = relation_of(reader);
  for (const json& value : reader.array("events")) {
    double share = 0.0;
    const std::string place = fmt::format("{}, event {}", where, result.plan.events.size() + 1);
    result.plan.events.push_back(read_event(value, place, open, share));
    result.shares.push_back(share);
  }
  return result;
}

struct Writer {
  ordered_json& out;

  void operator()(const Gaussian& m) const { out["noise"] = m.noise; }
  void operator()(const SampledGaussian& m) const {
    out["rate"] = m.rate;
    out["noise"] = m.noise;
  }
  void operator()(const GroupedGaussian& m) const { (*this)(SampledGaussian{m.rate, m.noise}); }
  void operator()(const Laplace& m) const { out["epsilon"] = m.epsilon; }
  void operator()(const Geometric& m) const {
    out["epsilon"] = m.epsilon;
    out["sensitivity"] = m.sensitivity;
  }
  void operator()(const DiscreteGaussian& m) const {
    out["sigma"] = m.sigma;
    out["sensitivity"] = m.sensitivity;
  }
  void operator()(const Exponential& m) const { out["epsilon"] = m.epsilon; }
  void operator()(const NoisyMax& m) const { out["epsilon"] = m.epsilon; }
  void operator()(const PartitionSelection& m) const {
    out["epsilon"] = m.epsilon;
    out["delta"] = m.delta;
  }
};

}  // namespace

Plan parse_plan(std::string_view text, const std::string& where) { return read_any(text, where, false).plan; }

Plan read_plan(const std::filesystem::path& path) { return parse_plan(read_text_file(path), path.string()); }

OpenPlan parse_open_plan(std::string_view text, const std::string& where) { return read_any(text, where, true); }

OpenPlan read_open_plan(const std::filesystem::path& path) {
  return parse_open_plan(read_text_file(path), path.string());
}

std::string to_json(const Plan& plan) {
  validate(plan);
  ordered_json events = ordered_json::array();
  for (const Event& event : plan.events) {
    check_text(event.label, "the label of an event", false);
    ordered_json out = {{"mechanism", name_of(event.mechanism)}};
    std::visit(Writer{out}, event.mechanism);
    out["count"] = event.count;
    if (!event.label.empty()) out["label"] = event.label;
    events.push_back(std::move(out));
  }
  // nlohmann-json writes the shortest decimal that reads back as the same double.
  return ordered_json{{"relation", name_of(plan.relation)}, {"events", std::move(events)}}.dump();
}

std::string to_json(const Promise& promise) {
  return ordered_json{{"epsilon", promise.epsilon},
                      {"delta", promise.delta},
                      {"relation", name_of(promise.relation)},
                      {"unit", {{"column", promise.unit.column}, {"max_rows", promise.unit.max_rows}}},
                      {"selection_delta", promise.selection_delta}}
      .dump();
}

}  // namespace sosia
