// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "eval/metric.h"

namespace sosia::eval {

/// The share of rows in each state of a column.
std::vector<double> shares_of(const Rows& rows, const Outline& outline, std::size_t column);

/// One part for each boolean, categorical and ordinal column, and their mean. The distance is given the shares of
/// states in the real and in the made rows.
Finding of_category_columns(const Comparison& comparison,
                            const std::function<double(std::span<const double>, std::span<const double>)>& distance);

}  // namespace sosia::eval
