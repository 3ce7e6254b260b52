// SPDX-License-Identifier: Apache-2.0
#include "eval/quantile_edges.h"

#include <algorithm>
#include <cmath>

namespace sosia::eval {

std::vector<double> quantile_edges(std::vector<double> values, const Column& column, int bins) {
  std::erase_if(values, [&](double x) {
    return std::isnan(x) || std::binary_search(column.atoms.begin(), column.atoms.end(), x);
  });
  std::sort(values.begin(), values.end());
  std::vector<double> edges;
  for (int i = 1; i < bins && !values.empty(); ++i) {
    const double edge = values[values.size() * static_cast<std::size_t>(i) / static_cast<std::size_t>(bins)];
    const double last = edges.empty() ? *column.min : edges.back();
    if (edge > last && edge <= *column.max) edges.push_back(edge);
  }
  return edges;
}

}  // namespace sosia::eval
