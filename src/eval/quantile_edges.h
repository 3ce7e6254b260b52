// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <sosia/schema.h>

namespace sosia::eval {

/// Where to cut a column into at most `bins` bins of about the same number of its values. Missing values (NaN) and
/// atoms, which have states of their own, do not count. Rising, inside the bounds; fewer where values repeat.
std::vector<double> quantile_edges(std::vector<double> values, const Column& column, int bins);

}  // namespace sosia::eval
