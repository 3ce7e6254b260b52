// SPDX-License-Identifier: Apache-2.0
// Matrices of one number for every two columns, real beside made.
#pragma once

#include <functional>
#include <vector>

#include "eval/column_sets.h"
#include "eval/metric.h"

namespace sosia::eval {

/// Every two of the columns that are wanted, or of 100 drawn ones of these if there are more.
std::vector<ColumnSet> pairs_of(const Comparison& comparison,
                                const std::function<bool(const ColumnOutline&)>& is_wanted);

/// The made table's numbers as parts, and the mean absolute difference from the real table's.
Finding compare_pairs(const Comparison& comparison, const std::vector<ColumnSet>& pairs,
                      const std::vector<double>& real, const std::vector<double>& made);

}  // namespace sosia::eval
