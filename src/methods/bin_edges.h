// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sosia/schema.h>

namespace sosia {

/// Gives bins to numbers that span orders of magnitude (from at most a hundredth of the larger bound on, with more than
/// kManyValues values) and have none yet: even in log(1 + |x|), so that small amounts are told apart as large ones are.
/// A function of the schema alone.
void add_log_edges(Schema& schema);
/// Whether it would give bins to a number that has none.
bool spans_magnitudes(const Column& column);
inline constexpr double kManyValues = 1000.0;
inline constexpr int kLogBins = 64;

}  // namespace sosia
