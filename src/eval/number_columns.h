// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>

#include "eval/metric.h"

namespace sosia::eval {

/// A number column of both tables: present values, rising.
struct NumberPair {
  const ColumnOutline& column;
  std::span<const double> real, made;
};

/// One part for each number column, and their mean; columns are spread over threads.
Finding of_number_columns(const Comparison& comparison, const std::function<double(const NumberPair&)>& distance);

}  // namespace sosia::eval
