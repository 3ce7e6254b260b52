// SPDX-License-Identifier: Apache-2.0
#include "privacy/accounting/composition.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace sosia::accounting {

namespace {

constexpr double kRoundUp = 1.0 + 4.0 * std::numeric_limits<double>::epsilon();

/// The multiplier of a mechanism that is a plain Gaussian. With rate 1 every unit takes part; under `replace`, and by
/// groups, two contributions of norm C may then be 2 C apart.
std::optional<double> gaussian_multiplier(const Mechanism& mechanism, Neighbors relation) {
  if (const auto* plain = std::get_if<Gaussian>(&mechanism)) return plain->noise;
  if (const auto* grouped = std::get_if<GroupedGaussian>(&mechanism)) {
    return grouped->rate == 1.0 ? std::optional(grouped->noise / 2.0) : std::nullopt;
  }
  const auto* sampled = std::get_if<SampledGaussian>(&mechanism);
  if (sampled == nullptr || sampled->rate != 1.0) return std::nullopt;
  return relation == Neighbors::replace ? sampled->noise / 2.0 : sampled->noise;
}

struct SameMechanism {
  bool operator()(const Gaussian& a, const Gaussian& b) const { return a.noise == b.noise; }
  bool operator()(const SampledGaussian& a, const SampledGaussian& b) const {
    return a.rate == b.rate && a.noise == b.noise;
  }
  bool operator()(const GroupedGaussian& a, const GroupedGaussian& b) const { return a == b; }
  bool operator()(const Laplace& a, const Laplace& b) const { return a.epsilon == b.epsilon; }
  bool operator()(const Geometric& a, const Geometric& b) const {
    return a.epsilon == b.epsilon && a.sensitivity == b.sensitivity;
  }
  bool operator()(const DiscreteGaussian& a, const DiscreteGaussian& b) const {
    return a.sigma == b.sigma && a.sensitivity == b.sensitivity;
  }
  bool operator()(const Exponential& a, const Exponential& b) const { return a.epsilon == b.epsilon; }
  bool operator()(const NoisyMax& a, const NoisyMax& b) const { return a.epsilon == b.epsilon; }
  bool operator()(const PartitionSelection& a, const PartitionSelection& b) const {
    return a.epsilon == b.epsilon && a.delta == b.delta;
  }
  template <typename A, typename B>
  bool operator()(const A&, const B&) const {
    return false;
  }
};

}  // namespace

Composition::Composition(std::vector<Part> parts, double total_mu) : parts_(std::move(parts)), total_mu_(total_mu) {
  double log_finite = 0.0;
  for (const Part& part : parts_) {
    const double mass = part.model->infinity_mass();
    if (mass > 0.0) log_finite += static_cast<double>(part.count) * std::log1p(-mass) * kRoundUp;
  }
  infinity_mass_ = std::min(1.0, -std::expm1(log_finite) * kRoundUp);
}

double Composition::steps() const {
  double total = 0.0;
  for (const Part& part : parts_) total += static_cast<double>(part.count);
  return total;
}

double Composition::largest_loss(Direction direction) const {
  double total = 0.0;
  for (const Part& part : parts_) total += static_cast<double>(part.count) * part.model->largest_loss(direction);
  return total * (1.0 + (static_cast<double>(parts_.size()) + 4.0) * std::numeric_limits<double>::epsilon());
}

bool Composition::symmetric() const {
  return std::all_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.model->symmetric(); });
}

bool Composition::smooth() const {
  return std::any_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.model->smooth(); });
}

bool Composition::tight() const {
  return std::all_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.model->tight(); });
}

std::complex<double> Composition::log_moment(std::complex<double> s, Direction direction) const {
  std::complex<double> sum = 0.0;
  for (const Part& part : parts_) sum += static_cast<double>(part.count) * part.model->log_moment(s, direction);
  return sum;
}

double Composition::renyi(double order) const {
  double sum = 0.0;
  for (const Part& part : parts_) sum += static_cast<double>(part.count) * part.model->renyi(order);
  return sum;
}

Composition compose_models(const Plan& plan) {
  validate(plan);
  double mu_squared = 0.0;
  std::vector<std::pair<Mechanism, std::int64_t>> others;
  for (const Event& event : plan.events) {
    if (const auto noise = gaussian_multiplier(event.mechanism, plan.relation)) {
      mu_squared += static_cast<double>(event.count) / (*noise * *noise);
      continue;
    }
    const auto same = std::find_if(others.begin(), others.end(), [&](const auto& other) {
      return std::visit(SameMechanism{}, other.first, event.mechanism);
    });
    if (same != others.end()) {
      // Counts are at most 10^12 each; as many events as would overflow their sum do not fit into memory.
      same->second += event.count;
    } else {
      others.emplace_back(event.mechanism, event.count);
    }
  }
  std::vector<Part> parts;
  const double mu = std::sqrt(mu_squared);
  if (mu > 0.0) parts.push_back({make_loss_model(Gaussian{1.0 / mu}, plan.relation), 1});
  for (const auto& [mechanism, count] : others) parts.push_back({make_loss_model(mechanism, plan.relation), count});
  return Composition(std::move(parts), mu);
}

}  // namespace sosia::accounting
