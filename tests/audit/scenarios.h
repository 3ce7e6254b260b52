// SPDX-License-Identifier: Apache-2.0
// Worst-case neighbours for every way through the door.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <sosia/plan.h>

namespace sosia::audit {

/// What somebody sees who knows everything but one unit.
struct Shown {
  std::vector<double> numbers = {};  ///< of a release, in units of its noise; or a single number
  bool is_normal = false;            ///< the numbers are those of a release
};

/// Two neighbouring data sets, on which the claimed guarantee is attained or nearly so.
struct Scenario {
  std::string name;
  Plan claim;
  double delta = 0.1;  ///< at which epsilon is claimed and sought: about 1 for unit noise, where a few runs see most
  /// Releases of both data sets under the same noise are at most so far apart: the claim, to the last digit. 0 where
  /// there is no such statement.
  double reach = 0.0;
  bool is_attained = true;  ///< they are so far apart
  int cost = 1;             ///< of one run, in runs of the cheapest
  /// Runs the door on the data set without (false) or with (true) the canary, with noise from this seed.
  std::function<Shown(bool with_canary, std::uint64_t seed)> run;
};

/// Every kind of release, for rows and for units, under every relation (grid.cc); and some that are special.
std::vector<Scenario> all_scenarios();

}  // namespace sosia::audit
