// SPDX-License-Identifier: Apache-2.0
// Worst-case neighbours for every way through the door.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <sosia/plan.h>

namespace sosia::audit {

/// Two neighbouring data sets on which the claimed guarantee is attained, and the test statistic that tells them apart
/// best: by the lemma of Neyman and Pearson it grows with the likelihood ratio.
struct Scenario {
  std::string name;
  Plan claim;
  /// The statistic is normal, and its means lie this many standard deviations apart: mu of the claim, attained. 0 if
  /// not so.
  double mu;
  /// Runs the door on the data set without (false) or with (true) the canary, with noise from this seed.
  std::function<double(bool with_canary, std::uint64_t seed)> statistic;
};

std::vector<Scenario> all_scenarios();

}  // namespace sosia::audit
