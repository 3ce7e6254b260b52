// SPDX-License-Identifier: Apache-2.0
#include "eval/learners/success.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "eval/order_statistics.h"

namespace sosia::eval {

Ranking ranking_of(std::span<const double> scores, std::span<const std::uint32_t> labels) {
  std::vector<double> margins, high, low;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    margins.push_back(scores[2 * i + 1] - scores[2 * i]);
    (labels[i] == 1 ? high : low).push_back(margins.back());
  }
  if (high.empty() || low.empty()) {
    return {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
  }
  std::vector<std::size_t> order(labels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return margins[a] > margins[b]; });
  double precision = 0.0, found = 0.0;
  for (std::size_t i = 0; i < order.size();) {
    // Rows with equal margins come together.
    double more = 0.0;
    std::size_t last = i;
    for (; last < order.size() && margins[order[last]] == margins[order[i]]; ++last) more += labels[order[last]];
    found += more;
    precision += more * found / static_cast<double>(last);
    i = last;
  }
  return {chance_above(high, low), precision / static_cast<double>(high.size())};
}

std::vector<std::uint32_t> guesses_of(std::span<const double> scores, std::size_t classes) {
  std::vector<std::uint32_t> guesses;
  for (std::size_t i = 0; i < scores.size(); i += classes) {
    const auto row = scores.subspan(i, classes);
    guesses.push_back(static_cast<std::uint32_t>(std::max_element(row.begin(), row.end()) - row.begin()));
  }
  return guesses;
}

double accuracy(std::span<const std::uint32_t> guesses, std::span<const std::uint32_t> labels) {
  double right = 0.0;
  for (std::size_t i = 0; i < labels.size(); ++i) right += guesses[i] == labels[i] ? 1.0 : 0.0;
  return right / static_cast<double>(labels.size());
}

double macro_f1(std::span<const std::uint32_t> guesses, std::span<const std::uint32_t> labels, std::size_t classes) {
  std::vector<double> right(classes, 0.0), named(classes, 0.0);  // named: as a label or as a guess
  for (std::size_t i = 0; i < labels.size(); ++i) {
    named[labels[i]] += 1.0;
    named[guesses[i]] += 1.0;
    if (guesses[i] == labels[i]) right[labels[i]] += 1.0;
  }
  double sum = 0.0, present = 0.0;
  for (std::size_t k = 0; k < classes; ++k) {
    if (named[k] == 0.0) continue;
    sum += 2.0 * right[k] / named[k];
    present += 1.0;
  }
  return sum / present;
}

}  // namespace sosia::eval
