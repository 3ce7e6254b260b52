// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sosia/schema.h>

#include "data/column_profile.h"

namespace sosia {

/// What a profile looks like: a column, and its facts, all of which were read off the rows.
struct ColumnGuess {
  Column column;
  std::vector<Fact> unreviewed;
  std::vector<std::string> rare = {};  ///< listed values that fewer than kFewRows rows hold
  bool is_likely_unit = false;         ///< looks like the id of somebody with several rows
};

ColumnGuess guess_column(const std::string& name, const ColumnProfile& profile);

/// Bounds around [min, max] in round numbers of about a tenth of the distance, so that the extremes themselves are not
/// shown. Whole numbers that are less than 10 apart are codes: these stay as they are.
void round_outwards(double& min, double& max, bool whole);

}  // namespace sosia
