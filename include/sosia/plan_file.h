// SPDX-License-Identifier: Apache-2.0
// Plans as JSON: what `sosia account --events` reads and ledgers and certificates hold.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <sosia/accounting.h>
#include <sosia/ledger.h>
#include <sosia/plan.h>

namespace sosia {

/// Reads a plan, all of whose events carry their noise. `where` names the source in errors.
Plan parse_plan(std::string_view json, const std::string& where);
Plan read_plan(const std::filesystem::path& path);

/// Reads a plan in which events may have a "share" in the place of their noise.
OpenPlan parse_open_plan(std::string_view json, const std::string& where);
OpenPlan read_open_plan(const std::filesystem::path& path);

/// The plan as JSON; parse_plan gives the same plan back, to the last bit of every number.
std::string to_json(const Plan& plan);

/// A promise as JSON, as ledger files and certificates hold it.
std::string to_json(const Promise& promise);

}  // namespace sosia
