// SPDX-License-Identifier: Apache-2.0
// The table of the audit: every kind of release, for every shape of a unit, under every relation.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <sosia/ledger.h>

#include "scenarios.h"

namespace sosia::audit {

/// How many rows the unit has that differs, and how many of them may be used.
struct UnitShape {
  const char* name;
  int rows;
  PrivacyUnit unit;
};

inline const std::array<UnitShape, 3> kUnitShapes = {
    {{"a row", 1, {}}, {"a unit of 4 rows", 4, {"id", 4}}, {"a unit of 9 rows where 4 are allowed", 9, {"id", 4}}}};
inline constexpr std::array kRelations = {Neighbors::add_remove, Neighbors::zero_out, Neighbors::replace};

/// The unit that differs. Other units have numbers from 0.
inline constexpr std::uint64_t kCanaryUnit = 77'777;

inline std::string name_of(const char* kind, const UnitShape& shape, Neighbors relation) {
  return std::string(kind) + ", " + shape.name + ", " + name_of(relation);
}

/// The numbers of a release in units of its noise, which is a power of two of its grid: nothing is rounded.
Shown shown(const Release& release);

/// What goes through the door from rows in memory, and from tables in files.
std::vector<Scenario> scenarios_of_rows();
std::vector<Scenario> scenarios_of_files();

}  // namespace sosia::audit
