// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <sosia/schema.h>

#include "data/column_profile.h"

namespace sosia {

/// The column that a profile looks like. Every fact in it is marked as unreviewed.
Column guess_column(const std::string& name, const ColumnProfile& profile);

/// Bounds around [min, max] in round numbers of about a tenth of the distance, so that the extremes themselves are not
/// shown. Whole numbers that are less than 10 apart are codes: these stay as they are.
void round_outwards(double& min, double& max, bool whole);

}  // namespace sosia
