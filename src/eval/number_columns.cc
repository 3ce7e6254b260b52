// SPDX-License-Identifier: Apache-2.0
#include "eval/number_columns.h"

#include "eval/order_statistics.h"

namespace sosia::eval {

Finding of_number_columns(const Comparison& comparison, const std::function<double(const NumberPair&)>& distance) {
  std::vector<std::size_t> columns;
  Finding found;
  for (std::size_t c = 0; c < comparison.outline.size(); ++c) {
    if (!comparison.outline[c].is_number()) continue;
    columns.push_back(c);
    found.parts.push_back({{comparison.outline[c].name}});
  }
  comparison.pool.parallel_for(static_cast<std::int64_t>(columns.size()), [&](std::int64_t i) {
    const std::size_t c = columns[static_cast<std::size_t>(i)];
    const std::vector<double> real = sorted_numbers(comparison.real.numbers[c]);
    const std::vector<double> made = sorted_numbers(comparison.made.numbers[c]);
    found.parts[static_cast<std::size_t>(i)].value = distance({comparison.outline[c], real, made});
  });
  found.value = mean_of(found.parts);
  return found;
}

}  // namespace sosia::eval
