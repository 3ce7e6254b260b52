// SPDX-License-Identifier: Apache-2.0
// From a schema file to public facts: what its owner confirms on the command line, and whose privacy is protected.
#pragma once

#include <string>

#include <sosia/draft.h>

#include "cli/arguments.h"
#include "cli/declared.h"

namespace sosia::cli {

struct FactArguments {
  Argument schema, confirm, unit;
};

void add_unit_option(const Declared& command, Argument& unit);
/// --schema, --confirm and --unit.
void add_fact_options(const Declared& command, FactArguments& arguments, const char* schema_help);

/// "COLUMN", "COLUMN:MAX", or "row" for single rows.
PrivacyUnit unit_value(const std::string& text);

/// What is confirmed, fact by fact, and which values few rows hold: for the owner's eyes, on standard error.
std::string confirmed_text(const std::vector<std::string>& facts, const std::vector<std::string>& risks);

/// The draft in the file, with unit and confirmation as asked for; what is confirmed is shown.
Draft confirmed_draft(const FactArguments& arguments);

}  // namespace sosia::cli
