// SPDX-License-Identifier: Apache-2.0
#include "eval/target_rows.h"

#include <algorithm>
#include <cmath>

namespace sosia::eval {

namespace {

constexpr std::size_t kMostRows = 50000, kLeastRows = 2000, kMostFeatures = 20'000'000;

}  // namespace

std::size_t affordable_rows(const Features& features, const ColumnOutline& target) {
  const std::size_t models = target.values > 2 ? target.values : 1;  // of boosted trees
  return std::clamp(kMostFeatures / (features.width() * models), kLeastRows, kMostRows);
}

TargetRows target_rows(const Rows& rows, const Outline& outline, std::size_t target, const Features& features,
                       std::size_t most, PublicRng& rng) {
  const bool is_number = outline[target].is_number();
  TargetRows chosen{.indices = draw_rows(rows.count, most, rng), .vectors = {}, .labels = {}, .numbers = {}};
  std::erase_if(chosen.indices, [&](std::size_t i) {
    return is_number ? std::isnan(rows.numbers[target][i]) : rows.codes[target][i] >= outline[target].values;
  });
  chosen.vectors = features.vectors(rows, chosen.indices);
  for (const std::size_t i : chosen.indices) {
    if (is_number) {
      chosen.numbers.push_back(rows.numbers[target][i]);
    } else {
      chosen.labels.push_back(rows.codes[target][i]);
    }
  }
  return chosen;
}

}  // namespace sosia::eval
