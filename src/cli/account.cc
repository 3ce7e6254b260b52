// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include <sosia/accounting.h>
#include <sosia/error.h>
#include <sosia/plan_file.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/output.h"

namespace sosia::cli {

namespace {

constexpr char kExamples[] = R"(From events to epsilon:
  sosia account --events plan.json --delta 1e-6
  sosia account --noise 1.1 --rate 0.01 --steps 10000 --delta 1e-5
From a target to noise:
  sosia account --epsilon 1 --delta 1e-6 --releases 3
  sosia account --plan open_plan.json --epsilon 1 --delta 1e-6 --json)";

const std::vector<std::string> kAccountants = {"gdp", "pld", "rdp", "rdp-mironov", "zcdp"};

/// The deltas of a curve for which none are named.
const std::vector<double> kDeltas = {1e-4, 1e-5, 1e-6, 1e-7, 1e-8};

struct Options {
  Argument events, noise, rate, steps, plan, epsilon, releases, delta, relation, accountant, curve;
  bool wants_curve = false, json = false;
};

/// Where the plan comes from: exactly one of four options, each with the options that go with it.
struct Source {
  const char* option;
  const Argument Options::* given;
  std::vector<const char*> needs, allows;
};

const Source kSources[] = {
    {"--events", &Options::events, {}, {}},
    {"--noise", &Options::noise, {}, {"--rate", "--steps", "--relation"}},
    {"--plan", &Options::plan, {"--epsilon"}, {}},
    {"--releases", &Options::releases, {"--epsilon"}, {"--relation"}},
};

[[noreturn]] void refuse(const std::string& problem, const std::string& fix) {
  throw Error(ErrorKind::usage, problem, "sosia account", fix);
}

bool contains(const std::vector<const char*>& names, const std::string& name) {
  return std::any_of(names.begin(), names.end(), [&](const char* known) { return name == known; });
}

const Source& source_of(const Options& options) {
  const Source* found = nullptr;
  for (const Source& source : kSources) {
    if (!(options.*source.given)) continue;
    if (found != nullptr) {
      refuse(fmt::format("{} and {} exclude each other", found->option, source.option), "keep one of the two");
    }
    found = &source;
  }
  if (found == nullptr && options.epsilon) {
    refuse("--epsilon is a target, but for what?", "add --releases K or --plan FILE");
  }
  if (found == nullptr) {
    refuse("there is nothing to account for", "pass one of: --events FILE, --noise X, --plan FILE, --releases K");
  }
  const std::pair<const char*, const Argument*> others[] = {{"--epsilon", &options.epsilon},
                                                            {"--rate", &options.rate},
                                                            {"--steps", &options.steps},
                                                            {"--relation", &options.relation}};
  for (const auto& [name, given] : others) {
    if (*given && !contains(found->needs, name) && !contains(found->allows, name)) {
      refuse(fmt::format("{} does not go with {}", name, found->option), fmt::format("remove {}", name));
    }
    if (!*given && contains(found->needs, name)) {
      refuse(fmt::format("{} needs {}", found->option, name), fmt::format("add {}, for example {} 1", name, name));
    }
  }
  return *found;
}

Plan plan_of(const Options& options, double delta) {
  const std::string source = source_of(options).option;
  if (source == "--events") return read_plan(*options.events);
  if (source == "--plan") {
    return calibrate(read_open_plan(*options.plan), positive("--epsilon", *options.epsilon), delta);
  }
  Plan plan;
  if (options.relation) plan.relation = neighbors_from(*options.relation);
  if (source == "--releases") {
    plan.events = {{Gaussian{1.0}, count_value("--releases", *options.releases), ""}};
    return calibrate({plan, {1.0}}, positive("--epsilon", *options.epsilon), delta);
  }
  const double noise = positive("--noise", *options.noise);
  Event event{Gaussian{noise}, 1, ""};
  if (options.rate) event.mechanism = SampledGaussian{rate_value("--rate", *options.rate), noise};
  if (options.steps) event.count = count_value("--steps", *options.steps);
  plan.events = {event};
  return plan;
}

/// The account of all accountants, or of the one that was asked for.
Account account_of(const Plan& plan, double delta, const Argument& accountant) {
  if (!accountant) return account(plan, delta);
  const Bound bound = bound_by(plan, delta, *accountant);
  return {delta, bound.epsilon, bound.accountant, std::nullopt, {bound}};
}

std::vector<std::pair<double, double>> curve_of(const Plan& plan, const std::vector<double>& deltas,
                                                const Argument& accountant) {
  if (!accountant) return curve(plan, deltas);
  std::vector<std::pair<double, double>> points;
  for (const double delta : deltas) points.emplace_back(delta, bound_by(plan, delta, *accountant).epsilon);
  return points;
}

std::string run_account(const Options& options) {
  source_of(options);
  const double delta = delta_value("--delta", required("--delta", options.delta, "1e-6"));
  if (options.accountant &&
      std::find(kAccountants.begin(), kAccountants.end(), *options.accountant) == kAccountants.end()) {
    refuse(fmt::format("there is no accountant \"{}\"", *options.accountant),
           fmt::format("choose one of: {}", fmt::join(kAccountants, ", ")));
  }
  std::vector<double> deltas;
  if (options.wants_curve) deltas = options.curve ? delta_values("--curve", *options.curve) : kDeltas;
  Priced priced{plan_of(options, delta), {}, {}};
  priced.account = account_of(priced.plan, delta, options.accountant);
  if (!deltas.empty()) priced.curve = curve_of(priced.plan, deltas, options.accountant);
  return options.json ? account_json(priced) : account_text(priced);
}

}  // namespace

std::vector<Command> add_account(const Declared& program) {
  const Declared command = program.command("account", "The price of releases, or the noise for a target", kExamples);
  const auto options = std::make_shared<Options>();
  command.option("--events", options->events, "Plan file (JSON): the events to price", "FILE");
  command.option("--noise", options->noise, "Price this Gaussian noise multiplier", "X");
  command.option("--rate", options->rate, "Poisson sampling rate: a number or a/b", "Q");
  command.option("--steps", options->steps, "Number of steps with this noise (default 1)", "N");
  command.option("--plan", options->plan, "Open plan file: find the noise of its shares", "FILE");
  command.option("--releases", options->releases, "Find the noise of K equal Gaussian releases", "K");
  command.option("--epsilon", options->epsilon, "Target of --plan and --releases", "E");
  command.option("--delta", options->delta, "Delta, between 0 and 1; always needed", "D");
  command.option("--relation", options->relation, "add-remove (default), zero-out or replace", "R");
  command.option("--accountant", options->accountant, "Show one only: gdp, pld, rdp, rdp-mironov or zcdp", "A");
  command.option("--curve", options->curve, options->wants_curve, "Also epsilon at other deltas", "[D,...]");
  command.flag("--json", options->json, "For programs; --events reads it back");
  return {{command, [options] { return run_account(*options); }}};
}

}  // namespace sosia::cli
