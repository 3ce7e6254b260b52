// SPDX-License-Identifier: Apache-2.0
// What is released about private data, said in public numbers: mechanisms, events, plans.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sosia {

/// Which two data sets count as neighbours. One ledger, one relation: mixing them is refused.
enum class Neighbors {
  add_remove,  ///< one unit more or less; the number of records is private (default)
  zero_out,    ///< one unit replaced by one that contributes nothing; the number of records is public
  replace      ///< one unit replaced by any other; the number of records is public
};

/// Gaussian noise on a vector. `noise` is the multiplier sigma / L2 sensitivity under the plan's relation.
struct Gaussian {
  double noise;
  bool operator==(const Gaussian&) const = default;
};

/// Gaussian noise on the sum over a true Poisson sample. `noise` is sigma / (largest L2 norm of one unit's
/// contribution); under `replace` the accountant itself uses the worst pair of contributions (-C, +C).
struct SampledGaussian {
  double rate;  ///< probability that a unit takes part, in (0, 1]
  double noise;
  bool operator==(const SampledGaussian&) const = default;
};

/// Gaussian noise on the sum over a true Poisson sample of groups, over which units are spread at random, each by
/// itself. `noise` is sigma / (largest L2 norm of one group's vector). A unit can make any other vector of its group's,
/// so the worst pair is (-C, +C) under every relation.
struct GroupedGaussian {
  double rate;  ///< probability that a group takes part, in (0, 1]
  double noise;
  bool operator==(const GroupedGaussian&) const = default;
};

/// Laplace noise of scale (L1 sensitivity) / epsilon.
struct Laplace {
  double epsilon;
  bool operator==(const Laplace&) const = default;
};

/// Two-sided geometric noise, P(x) ~ exp(-(epsilon / sensitivity) |x|), on one integer of this sensitivity.
struct Geometric {
  double epsilon;
  std::int64_t sensitivity = 1;
  bool operator==(const Geometric&) const = default;
};

/// Discrete Gaussian noise, P(x) ~ exp(-x^2 / (2 sigma^2)) on the integers, on one integer of this sensitivity.
struct DiscreteGaussian {
  double sigma;
  std::int64_t sensitivity = 1;
  bool operator==(const DiscreteGaussian&) const = default;
};

/// The exponential mechanism with P(r) ~ exp(epsilon u(r) / (2 Delta)): epsilon-DP and of bounded range epsilon.
struct Exponential {
  double epsilon;
  bool operator==(const Exponential&) const = default;
};

/// Any other epsilon-DP selection: report-noisy-max with Laplace noise, permute-and-flip, randomised response.
/// (With Gaussian noise on all scores a selection is a Gaussian event.)
struct NoisyMax {
  double epsilon;
  bool operator==(const NoisyMax&) const = default;
};

/// Release of the keys of a histogram by an (epsilon, delta)-DP rule. For a Gaussian threshold, account for the
/// noise as a Gaussian event and for the chance that a lone key passes as a partition selection of epsilon 0.
struct PartitionSelection {
  double epsilon;
  double delta;
  bool operator==(const PartitionSelection&) const = default;
};

using Mechanism = std::variant<Gaussian, SampledGaussian, Laplace, Geometric, DiscreteGaussian, Exponential, NoisyMax,
                               PartitionSelection, GroupedGaussian>;

/// A mechanism run `count` times on the same data, its parameters fixed beforehand.
struct Event {
  Mechanism mechanism;
  std::int64_t count = 1;
  std::string label = {};  ///< what it is for, shown to people
};

/// Events fixed before any private data is read, under one neighbouring relation.
struct Plan {
  Neighbors relation = Neighbors::add_remove;
  std::vector<Event> events = {};
};

/// "add-remove", "zero-out" or "replace", and back. An unknown name is a usage error that lists the valid ones.
const char* name_of(Neighbors relation) noexcept;
Neighbors neighbors_from(std::string_view name);

/// The mechanism's name in files and tables: "gaussian", "sampled-gaussian", ...
const char* name_of(const Mechanism& mechanism) noexcept;

/// Throws a usage error that names the offending parameter unless every number of the event is in its range.
void validate(const Event& event);
void validate(const Plan& plan);

/// Both plans under one budget. Plans of different relations are refused.
Plan compose(const Plan& first, const Plan& second);

}  // namespace sosia
