// SPDX-License-Identifier: Apache-2.0
// Tries to refute the guarantee: runs the door on worst-case neighbours and bounds epsilon from below.
//
//   door_audit [--runs N] [--expect-caught]      SOSIA_AUDIT=long in the environment: 200,000 runs
//
// For each scenario the threshold of the test is fixed on one half of the runs and judged on the other; from the rates
// there the definition of DP bounds epsilon from below (Clopper-Pearson, confidence 1 - 5e-8 for each scenario, so that
// a correct door is accused with probability below 1e-6). A bound above the claim refutes it. Also reports how much of
// the claim was found: a door that wastes noise shows as a bound far below.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

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

/// True if some scenario refutes its claim.
bool audit(int runs) {
  bool caught = false;
  fmt::print("{:<46} {:>8} {:>8}\n", fmt::format("epsilon at delta {}, {} runs a side", kDelta, runs), "claimed",
             "found");
  std::uint64_t seed = 20'261'115;
  for (const Scenario& scenario : all_scenarios()) {
    const double claimed = account(scenario.claim, kDelta).epsilon;
    const double threshold = choose_threshold(draw(scenario, runs / 2, seed));
    const double found = bound_at(draw(scenario, runs - runs / 2, seed + 1'000'000'000), threshold, kAlpha);
    const bool refuted = found > claimed;
    caught = caught || refuted;
    fmt::print("{:<46} {:>8.4f} {:>8.4f}{}\n", scenario.name, claimed, found, refuted ? "  REFUTED" : "");
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
