// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/matrix.h"
#include "eval/features.h"
#include "eval/metric.h"

namespace sosia::eval {

/// Rows that have a value in the target column, as vectors without that column.
struct TargetRows {
  std::vector<std::size_t> indices;  ///< in their table
  std::vector<float> vectors;
  std::vector<std::uint32_t> labels;  ///< of categories: the declared value
  std::vector<double> numbers;        ///< of numbers

  bool empty() const { return indices.empty(); }
  MatrixView<const float> x() const { return {vectors.data(), indices.size(), vectors.size() / indices.size()}; }
};

/// Rows that a metric trains many models on: 50,000, and fewer, but 2,000 at least, where there are more than 20
/// million features in all, counted once a class if there are more than two.
std::size_t affordable_rows(const Features& features, const ColumnOutline& target);

/// At most `most` rows, of which those are left out that have none of the declared values, or no number. `features`
/// lacks the target.
TargetRows target_rows(const Rows& rows, const Outline& outline, std::size_t target, const Features& features,
                       std::size_t most, PublicRng& rng);

}  // namespace sosia::eval
