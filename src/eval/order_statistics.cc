// SPDX-License-Identifier: Apache-2.0
#include "eval/order_statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sosia::eval {

namespace {

/// Calls work(x, F(x), G(x)) at every different number of either sample, rising.
template <class Work>
void for_steps(std::span<const double> first, std::span<const double> second, const Work& work) {
  std::size_t i = 0, j = 0;
  while (i < first.size() || j < second.size()) {
    const bool from_first = j == second.size() || (i < first.size() && first[i] <= second[j]);
    const double x = from_first ? first[i] : second[j];
    while (i < first.size() && first[i] <= x) ++i;
    while (j < second.size() && second[j] <= x) ++j;
    work(x, static_cast<double>(i) / static_cast<double>(first.size()),
         static_cast<double>(j) / static_cast<double>(second.size()));
  }
}

}  // namespace

std::vector<double> sorted_numbers(std::span<const double> numbers) {
  std::vector<double> sorted;
  sorted.reserve(numbers.size());
  std::copy_if(numbers.begin(), numbers.end(), std::back_inserter(sorted), [](double x) { return !std::isnan(x); });
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

double largest_gap(std::span<const double> first, std::span<const double> second) {
  if (first.empty() || second.empty()) return first.size() == second.size() ? 0.0 : 1.0;
  double gap = 0.0;
  for_steps(first, second, [&](double, double f, double g) { gap = std::max(gap, std::abs(f - g)); });
  return gap;
}

double area_between(std::span<const double> first, std::span<const double> second) {
  double area = 0.0, last = std::min(first.front(), second.front()), difference = 0.0;
  for_steps(first, second, [&](double x, double f, double g) {
    area += difference * (x - last);
    difference = std::abs(f - g);
    last = x;
  });
  return area;
}

double quantile(std::span<const double> sorted, double share) {
  const double place = std::ceil(share * static_cast<double>(sorted.size())) - 1.0;
  const auto last = static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<std::size_t>(std::clamp(place, 0.0, last))];
}

double chance_above(std::span<const double> high, std::span<const double> low) {
  const std::vector<double> sorted = sorted_numbers(low);
  double wins = 0.0;
  for (const double x : high) {
    const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), x);
    wins += static_cast<double>(first - sorted.begin()) + 0.5 * static_cast<double>(last - first);
  }
  return wins / (static_cast<double>(high.size()) * static_cast<double>(low.size()));
}

double mean(std::span<const double> numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
}

double standard_deviation(std::span<const double> numbers) {
  if (numbers.empty()) return 0.0;
  const double center = mean(numbers);
  double sum = 0.0;
  for (const double x : numbers) sum += (x - center) * (x - center);
  return std::sqrt(sum / static_cast<double>(numbers.size()));
}

double correlation(std::span<const double> x, std::span<const double> y) {
  double n = 0.0, mean_x = 0.0, mean_y = 0.0, xx = 0.0, yy = 0.0, xy = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i]) || std::isnan(y[i])) continue;
    // Welford 1962: no cancellation of large sums.
    n += 1.0;
    const double from_x = x[i] - mean_x, from_y = y[i] - mean_y;
    mean_x += from_x / n;
    mean_y += from_y / n;
    xx += from_x * (x[i] - mean_x);
    yy += from_y * (y[i] - mean_y);
    xy += from_x * (y[i] - mean_y);
  }
  return xx > 0.0 && yy > 0.0 ? xy / std::sqrt(xx * yy) : 0.0;
}

}  // namespace sosia::eval
