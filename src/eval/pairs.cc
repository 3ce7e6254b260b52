// SPDX-License-Identifier: Apache-2.0
#include "eval/pairs.h"

#include <cmath>

namespace sosia::eval {

std::vector<ColumnSet> pairs_of(const Outline& outline, const std::function<bool(const ColumnOutline&)>& is_wanted) {
  std::vector<ColumnSet> pairs;
  for (std::size_t a = 0; a < outline.size(); ++a) {
    for (std::size_t b = a + 1; b < outline.size(); ++b) {
      if (is_wanted(outline[a]) && is_wanted(outline[b])) pairs.push_back({a, b});
    }
  }
  return pairs;
}

Finding compare_pairs(const Comparison& comparison, const std::vector<ColumnSet>& pairs,
                      const std::vector<double>& real, const std::vector<double>& made) {
  Finding found;
  double sum = 0.0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    found.parts.push_back({{comparison.outline[pairs[i][0]].name, comparison.outline[pairs[i][1]].name}, made[i]});
    sum += std::abs(real[i] - made[i]);
  }
  found.value = sum / static_cast<double>(pairs.size());
  return found;
}

}  // namespace sosia::eval
