// SPDX-License-Identifier: Apache-2.0
// Tries to refute the guarantee: runs the door on worst-case neighbours and bounds epsilon from below.
//
//   door_audit [--runs N] [--expect-caught]      SOSIA_AUDIT=long in the environment: 200,000 runs
//
// For each scenario the threshold of a test is fixed on one half of the runs and judged on the other; from the rates
// there the definition of DP bounds epsilon from below (Clopper-Pearson, confidence 1 - 5e-8 for each scenario). A
// bound above the claim refutes it. Where the best statistic is normal, the distance of its two means is estimated as
// well, which is far sharper: it must not lie above the claimed mu, and not 3 % below it, as noise must not be wasted
// either. Each is 5.5 standard errors, or 2e-8, away from a false alarm: 1e-6 in all for a correct door.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include <sosia/accounting.h>
#include <sosia/error.h>

#include "privacy/accounting/audit_bounds.h"
#include "scenarios.h"

namespace sosia::audit {

namespace {

constexpr double kDelta = 0.1;  // where a few thousand runs see most: epsilon of about 1 for unit noise
constexpr double kAlpha = 5e-8;

struct Sample {
  std::vector<double> without, with;
};

Sample draw(const Scenario& scenario, int runs, std::uint64_t seed) {
  Sample sample;
  for (int i = 0; i < runs; ++i) {
    sample.without.push_back(scenario.statistic(false, seed + 2 * static_cast<std::uint64_t>(i)));
    sample.with.push_back(scenario.statistic(true, seed + 2 * static_cast<std::uint64_t>(i) + 1));
  }
  return sample;
}

std::int64_t above(const std::vector<double>& values, double threshold) {
  return std::count_if(values.begin(), values.end(), [&](double v) { return v > threshold; });
}

double bound_at(const Sample& sample, double threshold, double alpha) {
  const auto runs = static_cast<std::int64_t>(sample.with.size());
  return accounting::audit_epsilon({above(sample.with, threshold), runs, above(sample.without, threshold), runs},
                                   kDelta, alpha);
}

/// The threshold with the best bound on the runs set apart for choosing it.
double choose_threshold(const Sample& sample) {
  std::vector<double> sorted = sample.without;
  sorted.insert(sorted.end(), sample.with.begin(), sample.with.end());
  std::ranges::sort(sorted);
  double best = sorted.front(), best_bound = -INFINITY;
  for (std::size_t i = 1; i < 100; ++i) {
    const double threshold = sorted[i * sorted.size() / 100];
    const double bound = bound_at(sample, threshold, kAlpha);
    if (bound > best_bound) best = threshold, best_bound = bound;
  }
  return best;
}

/// How many standard deviations the two means are apart.
double distance(const Sample& sample) {
  const auto mean = [](const std::vector<double>& v) {
    return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
  };
  const auto squares = [](const std::vector<double>& v, double centre) {
    return std::accumulate(v.begin(), v.end(), 0.0,
                           [&](double sum, double x) { return sum + (x - centre) * (x - centre); });
  };
  const double with = mean(sample.with), without = mean(sample.without);
  const double variance = (squares(sample.with, with) + squares(sample.without, without)) /
                          static_cast<double>(sample.with.size() + sample.without.size() - 2);
  return (with - without) / std::sqrt(variance);
}

/// True if some scenario refutes its claim.
bool audit(int runs) {
  bool caught = false;
  fmt::print("{:<54} {:>8} {:>8}\n", fmt::format("epsilon at delta {}, {} runs a side", kDelta, runs), "claimed",
             "found");
  std::uint64_t seed = 20'261'115;
  for (const Scenario& scenario : all_scenarios()) {
    const double claimed = account(scenario.claim, kDelta).epsilon;
    const double threshold = choose_threshold(draw(scenario, runs / 2, seed));
    const Sample sample = draw(scenario, runs - runs / 2, seed + 1'000'000'000);
    const double found = bound_at(sample, threshold, kAlpha);
    const double apart = distance(sample), margin = 5.5 * std::sqrt(2.0 / static_cast<double>(sample.with.size()));
    const bool wrong = scenario.mu > 0.0 && (apart > scenario.mu + margin || apart < 0.97 * scenario.mu - margin);
    const bool refuted = found > claimed || wrong;
    caught = caught || refuted;
    const std::string mu = scenario.mu > 0.0 ? fmt::format("{:>8.4f} {:>8.4f}", scenario.mu, apart) : "";
    fmt::print("{:<54} {:>8.4f} {:>8.4f} {}{}\n", scenario.name, claimed, found, mu, refuted ? "  REFUTED" : "");
    seed += 10'000'000'000;
  }
  return caught;
}

}  // namespace

}  // namespace sosia::audit

int main(int argc, char** argv) {
  const char* length = std::getenv("SOSIA_AUDIT");
  int runs = length != nullptr && std::strcmp(length, "long") == 0 ? 200'000 : 4'000;
  bool expect_caught = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--expect-caught") == 0) expect_caught = true;
    if (std::strcmp(argv[i], "--runs") == 0 && i + 1 < argc) runs = std::max(200, std::atoi(argv[++i]));
  }
  try {
    const bool caught = sosia::audit::audit(runs);
    fmt::print("{}\n", caught ? "the guarantee is refuted" : "nothing found");
    return caught == expect_caught ? 0 : 1;
  } catch (const sosia::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
