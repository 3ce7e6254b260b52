// SPDX-License-Identifier: Apache-2.0
// Tries to refute the guarantee: runs the door on worst-case neighbours.
//
//   door_audit [--runs N] [--only TEXT]      SOSIA_AUDIT=long in the environment: 40,000 runs, whatever N
//
// Three tests of each scenario, where they apply:
//  - Under the same noise, the releases of the two data sets differ by exactly what their sums differ by. It must not
//  be
//    more than the claim, to the last digit, and not 3 % less where the claim is attained: noise must not be wasted.
//  - Under noise of their own, the projections of releases on this difference have means that lie so far apart, in
//    standard deviations: the noise has the size that it should have.
//  - The threshold of a test is fixed on one half of the runs and judged on the other; from the rates there the
//    definition of DP bounds epsilon from below (Clopper-Pearson). A bound above the claim refutes it.
// The first has no false alarms. The others have 5e-9 at most for each scenario, 1e-6 for all (up to 200 of them).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include <sosia/accounting.h>
#include <sosia/error.h>

#include "audit_bounds.h"
#include "base/thread_pool.h"
#include "scenarios.h"

namespace sosia::audit {

namespace {

constexpr double kAlpha = 2e-9;
// Of a distance, which is a t statistic of 2,000 degrees of freedom or more: it is above with probability 3e-9.
constexpr double kSigmas = 6.0;
constexpr int kLeastRuns = 2'000;  // below this there is no telling

using Numbers = std::vector<double>;

/// Seeds of a scenario's own.
class Seeds {
 public:
  explicit Seeds(std::size_t scenario) : next_(20'261'115 + scenario * 10'000'000'000) {}
  std::uint64_t next() { return next_++; }

 private:
  std::uint64_t next_;
};

struct Difference {
  Numbers direction;      ///< of length 1
  double distance = 0.0;  ///< in standard deviations; infinite if the releases have not the same numbers
};

/// The largest difference of releases under the same noise, and the same sample, of so many that some have the canary.
Difference difference(const Scenario& scenario, Seeds& seeds) {
  constexpr int kTries = 40;
  Difference largest;
  for (int i = 0; i < kTries; ++i) {
    const std::uint64_t seed = seeds.next();
    const Numbers without = scenario.run(false, seed).numbers, with = scenario.run(true, seed).numbers;
    if (without.size() != with.size()) return {{}, INFINITY};
    Numbers apart(with.size());
    std::transform(with.begin(), with.end(), without.begin(), apart.begin(), std::minus<>());
    const double distance = std::sqrt(std::inner_product(apart.begin(), apart.end(), apart.begin(), 0.0));
    if (!(distance > largest.distance)) continue;
    for (double& x : apart) x /= distance;
    largest = {std::move(apart), distance};
  }
  return largest;
}

struct Sample {
  Numbers without, with;
};

Sample draw(const Scenario& scenario, const Numbers& direction, int runs, Seeds& seeds) {
  const auto statistic = [&](bool canary) {
    const Numbers numbers = scenario.run(canary, seeds.next()).numbers;
    if (direction.empty()) return numbers.front();
    if (numbers.size() != direction.size()) {
      throw Error(ErrorKind::internal, "a release has another number of numbers than before", "the audit",
                  "let the scenario hold keys that are shown for certain");
    }
    return std::inner_product(numbers.begin(), numbers.end(), direction.begin(), 0.0);
  };
  Sample sample;
  for (int i = 0; i < runs; ++i) {
    sample.without.push_back(statistic(false));
    sample.with.push_back(statistic(true));
  }
  return sample;
}

std::int64_t above(const Numbers& values, double threshold) {
  return std::count_if(values.begin(), values.end(), [&](double v) { return v > threshold; });
}

double bound_at(const Sample& sample, double threshold, double delta) {
  const auto runs = static_cast<std::int64_t>(sample.with.size());
  return accounting::audit_epsilon({above(sample.with, threshold), runs, above(sample.without, threshold), runs}, delta,
                                   kAlpha);
}

/// The threshold with the best bound on the runs set apart for choosing it.
double choose_threshold(const Sample& sample, double delta) {
  Numbers sorted = sample.without;
  sorted.insert(sorted.end(), sample.with.begin(), sample.with.end());
  std::ranges::sort(sorted);
  double best = sorted.front(), best_bound = -INFINITY;
  for (std::size_t i = 0; i < 100; ++i) {
    const double threshold = sorted[i * sorted.size() / 100];
    const double bound = bound_at(sample, threshold, delta);
    if (bound > best_bound) best = threshold, best_bound = bound;
  }
  return best;
}

/// How many standard deviations the two means are apart.
double mean_distance(const Sample& sample) {
  const auto mean = [](const Numbers& v) {
    return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
  };
  const auto squares = [](const Numbers& v, double centre) {
    return std::accumulate(v.begin(), v.end(), 0.0,
                           [&](double sum, double x) { return sum + (x - centre) * (x - centre); });
  };
  const double with = mean(sample.with), without = mean(sample.without);
  const double variance = (squares(sample.with, with) + squares(sample.without, without)) /
                          static_cast<double>(sample.with.size() + sample.without.size() - 2);
  return (with - without) / std::sqrt(variance);
}

/// Of a mixture the means tell nothing.
bool is_mixture(const Plan& claim) {
  return std::ranges::any_of(claim.events, [](const Event& event) {
    const auto* sampled = std::get_if<SampledGaussian>(&event.mechanism);
    const auto* grouped = std::get_if<GroupedGaussian>(&event.mechanism);
    return (sampled != nullptr && sampled->rate < 1.0) || (grouped != nullptr && grouped->rate < 1.0);
  });
}

struct Verdict {
  std::string line;
  bool is_refuted = false;
};

Verdict judge(const Scenario& scenario, int runs, Seeds seeds) {
  std::string line = fmt::format("{:<78}", scenario.name);
  Difference apart;
  bool refuted = false;
  if (scenario.reach > 0.0) {
    apart = difference(scenario, seeds);
    refuted = apart.distance > scenario.reach * (1.0 + 1e-12) ||
              (scenario.is_attained && apart.distance < 0.97 * scenario.reach);
    line += fmt::format(" {:>7.4f} {:>7.4f}", scenario.reach, apart.distance);
    if (runs < kLeastRuns || std::isinf(apart.distance)) runs = 0;
  } else {
    line += fmt::format(" {:>15}", "");
  }
  if (runs > 0) {
    const double claimed = account(scenario.claim, scenario.delta).epsilon;
    const double threshold = choose_threshold(draw(scenario, apart.direction, runs / 2, seeds), scenario.delta);
    const Sample sample = draw(scenario, apart.direction, runs - runs / 2, seeds);
    const double found = bound_at(sample, threshold, scenario.delta);
    refuted = refuted || found > claimed;
    if (scenario.reach > 0.0 && !is_mixture(scenario.claim)) {
      const double measured = mean_distance(sample);
      // The variance of the estimate: that of two means, and that of the standard deviation that it is measured by.
      const auto size = static_cast<double>(sample.with.size());
      const double margin = kSigmas * std::sqrt((2.0 + 0.25 * measured * measured) / size);
      refuted = refuted || std::abs(measured - apart.distance) > margin;
      line += fmt::format(" {:>7.4f}", measured);
    } else {
      line += fmt::format(" {:>7}", "");
    }
    line += fmt::format(" {:>7.4f} {:>7.4f} {:>7}", claimed, std::max(0.0, found), sample.with.size());
  }
  return {line + (refuted ? "  REFUTED" : ""), refuted};
}

/// Prints verdicts in the order of the scenarios, whoever is done first.
class Table {
 public:
  explicit Table(std::size_t size) : verdicts_(size) {}

  void add(std::size_t i, Verdict verdict) {
    const std::lock_guard lock(mutex_);
    verdicts_[i] = std::move(verdict);
    for (; printed_ < verdicts_.size() && verdicts_[printed_]; ++printed_) {
      fmt::print("{}\n", verdicts_[printed_]->line);
      std::fflush(stdout);
    }
  }
  std::int64_t refuted() const {
    return std::ranges::count_if(verdicts_, [](const auto& verdict) { return verdict->is_refuted; });
  }

 private:
  std::mutex mutex_;
  std::vector<std::optional<Verdict>> verdicts_;
  std::size_t printed_ = 0;
};

int audit(int runs, std::string_view only) {
  fmt::print("{:<78} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7}\n", "distance claimed, same noise, own noise; epsilon",
             "claim", "same", "own", "claim", "found", "runs");
  const std::vector<Scenario> scenarios = all_scenarios();
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    if (scenarios[i].name.find(only) != std::string::npos) chosen.push_back(i);
  }
  Table table(chosen.size());
  ThreadPool threads;
  threads.parallel_for(static_cast<std::int64_t>(chosen.size()), [&](std::int64_t i) {
    const std::size_t number = chosen[static_cast<std::size_t>(i)];
    const Scenario& scenario = scenarios[number];
    table.add(static_cast<std::size_t>(i), judge(scenario, runs / scenario.cost, Seeds(number)));
  });
  fmt::print("{} scenarios, {} refute the guarantee\n", chosen.size(), table.refuted());
  return !chosen.empty() && table.refuted() == 0 ? 0 : 1;
}

}  // namespace

}  // namespace sosia::audit

int main(int argc, char** argv) {
  const char* length = std::getenv("SOSIA_AUDIT");
  const bool is_long = length != nullptr && std::string_view(length) == "long";
  int runs = is_long ? 40'000 : 4'000;
  std::string_view only;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    if (option == "--runs" && !is_long) runs = std::max(200, std::atoi(argv[i + 1]));
    if (option == "--only") only = argv[i + 1];
  }
  try {
    return sosia::audit::audit(runs, only);
  } catch (const sosia::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
