// SPDX-License-Identifier: Apache-2.0
#include "eval/category_columns.h"

namespace sosia::eval {

std::vector<double> shares_of(const Rows& rows, const Outline& outline, std::size_t column) {
  std::vector<std::size_t> counts(outline[column].states, 0);
  for (const std::uint32_t code : rows.codes[column]) ++counts[code];
  std::vector<double> shares;
  for (const std::size_t count : counts) {
    shares.push_back(static_cast<double>(count) / static_cast<double>(rows.count));
  }
  return shares;
}

Finding of_category_columns(const Comparison& comparison,
                            const std::function<double(std::span<const double>, std::span<const double>)>& distance) {
  Finding found;
  for (std::size_t c = 0; c < comparison.outline.size(); ++c) {
    if (comparison.outline[c].is_number()) continue;
    const std::vector<double> real = shares_of(comparison.real, comparison.outline, c);
    const std::vector<double> made = shares_of(comparison.made, comparison.outline, c);
    found.parts.push_back({{comparison.outline[c].name}, distance(real, made)});
  }
  found.value = mean_of(found.parts);
  return found;
}

}  // namespace sosia::eval
