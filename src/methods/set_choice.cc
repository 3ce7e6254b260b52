// SPDX-License-Identifier: Apache-2.0
#include "methods/set_choice.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sosia {

SetChoice choose_sets(const std::vector<Candidate>& candidates, double noise_cost, std::size_t most) {
  const auto cost = [&](std::size_t i) { return std::pow(candidates[i].weight * candidates[i].cells, 2.0 / 3.0); };
  const auto gain = [&](std::size_t i) { return candidates[i].weight * candidates[i].gap; };
  std::vector<std::size_t> order(candidates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const double left = gain(a) / cost(a), right = gain(b) / cost(b);
    return left != right ? left > right : a < b;
  });
  double costs = 0.0, error = 0.0;  // error against measuring nothing
  double best_error = 0.0, best_costs = 0.0;
  std::size_t best = 0;
  for (std::size_t k = 0; k < order.size() && k < most; ++k) {
    costs += cost(order[k]);
    error -= gain(order[k]);
    const double total = error + noise_cost * std::pow(costs, 1.5);
    if (total >= best_error) continue;
    best_error = total;
    best_costs = costs;
    best = k + 1;
  }
  SetChoice choice;
  for (std::size_t k = 0; k < best; ++k) {
    choice.picked.push_back(order[k]);
    choice.shares.push_back(cost(order[k]) / best_costs);
  }
  return choice;
}

}  // namespace sosia
