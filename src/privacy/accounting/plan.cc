// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <iterator>
#include <string>

#include <fmt/format.h>

#include <sosia/error.h>
#include <sosia/plan.h>

#include "privacy/accounting/ranges.h"

namespace sosia {

namespace {

using namespace accounting;

constexpr Neighbors kRelations[] = {Neighbors::add_remove, Neighbors::zero_out, Neighbors::replace};

/// In the order of the variant.
constexpr const char* kMechanisms[] = {"gaussian",  "sampled-gaussian",    "laplace",
                                       "geometric", "discrete-gaussian",   "exponential",
                                       "noisy-max", "partition-selection", "grouped-gaussian"};
static_assert(std::size(kMechanisms) == std::variant_size_v<Mechanism>);

/// The event as people know it: its label if it has one, and its mechanism.
std::string describe(const Event& event) {
  if (event.label.empty()) return fmt::format("{} event", name_of(event.mechanism));
  return fmt::format("{} event \"{}\"", name_of(event.mechanism), event.label);
}

/// Checks the numbers of one event; an overload for each mechanism.
class Validator {
 public:
  explicit Validator(const Event& event) : event_(event) {}

  void operator()(const Gaussian& m) const { within("noise", m.noise, kNoise); }
  void operator()(const SampledGaussian& m) const {
    within("rate", m.rate, kRate);
    within("noise", m.noise, kNoise);
  }
  void operator()(const GroupedGaussian& m) const { (*this)(SampledGaussian{m.rate, m.noise}); }
  void operator()(const Laplace& m) const { within("epsilon", m.epsilon, kEpsilon); }
  void operator()(const Geometric& m) const {
    within("epsilon", m.epsilon, kEpsilon);
    at_least_one("sensitivity", m.sensitivity);
  }
  void operator()(const DiscreteGaussian& m) const {
    within("sigma", m.sigma, kSigma);
    at_least_one("sensitivity", m.sensitivity);
  }
  void operator()(const Exponential& m) const { within("epsilon", m.epsilon, kEpsilon); }
  void operator()(const NoisyMax& m) const { within("epsilon", m.epsilon, kEpsilon); }
  void operator()(const PartitionSelection& m) const {
    if (m.epsilon != 0.0) within("epsilon", m.epsilon, kEpsilon);
    if (!(m.delta >= 0.0 && m.delta < 1.0)) refuse("delta", fmt::format("{}", m.delta), "a number in [0, 1)");
  }

  void at_least_one(const char* parameter, std::int64_t value) const {
    if (value < 1 || value > kMostCount) {
      refuse(parameter, fmt::format("{}", value), "a whole number between 1 and 10^12");
    }
  }

 private:
  void within(const char* parameter, double value, Range range) const {
    // Written so that NaN fails.
    if (!(value >= range.least && value <= range.most)) {
      refuse(parameter, fmt::format("{}", value),
             fmt::format("a number between {:g} and {:g}", range.least, range.most).c_str());
    }
  }

  [[noreturn]] void refuse(const char* parameter, const std::string& value, const char* wanted) const {
    throw Error(ErrorKind::usage, fmt::format("{} is {}, outside its range", parameter, value), describe(event_),
                fmt::format("set {} to {}", parameter, wanted));
  }

  const Event& event_;
};

}  // namespace

const char* name_of(Neighbors relation) noexcept {
  switch (relation) {
    case Neighbors::add_remove:
      return "add-remove";
    case Neighbors::zero_out:
      return "zero-out";
    case Neighbors::replace:
      return "replace";
  }
  return "unknown";
}

Neighbors neighbors_from(std::string_view name) {
  for (const Neighbors relation : kRelations) {
    if (name == name_of(relation)) return relation;
  }
  throw Error(ErrorKind::usage, fmt::format("there is no neighbouring relation \"{}\"", name), "relation",
              "choose one of: add-remove, zero-out, replace");
}

const char* name_of(const Mechanism& mechanism) noexcept {
  // By index rather than by visit, which may throw.
  return mechanism.index() < std::size(kMechanisms) ? kMechanisms[mechanism.index()] : "unknown";
}

void validate(const Event& event) {
  const Validator validator(event);
  std::visit(validator, event.mechanism);
  validator.at_least_one("count", event.count);
}

void validate(const Plan& plan) {
  for (const Event& event : plan.events) validate(event);
}

Plan compose(const Plan& first, const Plan& second) {
  if (first.relation != second.relation) {
    throw Error(ErrorKind::usage, "plans of different neighbouring relations cannot share a budget",
                fmt::format("a plan under {} and one under {}", name_of(first.relation), name_of(second.relation)),
                "state both plans under the same relation");
  }
  Plan both = first;
  both.events.insert(both.events.end(), second.events.begin(), second.events.end());
  return both;
}

}  // namespace sosia
