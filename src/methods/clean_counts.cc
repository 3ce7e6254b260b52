// SPDX-License-Identifier: Apache-2.0
#include "methods/clean_counts.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sosia {

std::vector<double> on_simplex(std::span<const double> counts, double total) {
  std::vector<double> sorted(counts.begin(), counts.end());
  std::sort(sorted.rbegin(), sorted.rend());
  double sum = 0.0, shift = 0.0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    sum += sorted[i];
    const double candidate = (sum - total) / static_cast<double>(i + 1);
    if (sorted[i] > candidate) shift = candidate;
  }
  std::vector<double> out;
  for (const double count : counts) out.push_back(std::max(count - shift, 0.0));
  return out;
}

std::vector<double> smooth(std::span<const double> counts, double sigma) {
  const std::size_t n = counts.size(), size = 2 * n;
  std::vector<double> low(counts.begin(), counts.end());  // and mirrored, so that the ends meet
  low.insert(low.end(), counts.rbegin(), counts.rend());
  std::vector<std::vector<double>> details;
  for (std::size_t step = 1; 2 * step <= n; step *= 2) {
    std::vector<double> next(size), detail(size);
    const double noise = sigma / std::sqrt(2.0 * static_cast<double>(step));
    for (std::size_t i = 0; i < size; ++i) {
      const double a = low[i], b = low[(i + step) % size];
      next[i] = (a + b) / 2.0;
      detail[i] = std::abs(a - b) / 2.0 > 2.0 * noise ? (a - b) / 2.0 : 0.0;
    }
    low.swap(next);
    details.push_back(std::move(detail));
  }
  for (std::size_t level = details.size(); level-- > 0;) {
    const std::size_t step = std::size_t{1} << level;
    std::vector<double> back(size);
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t before = (i + size - step) % size;
      back[i] = (low[i] + details[level][i] + low[before] - details[level][before]) / 2.0;
    }
    low.swap(back);
  }
  low.resize(n);
  return low;
}

double poisson_deviation(double mean) {
  const double m = std::max(mean, 1e-12), below = std::floor(m);
  return 2.0 * std::exp(-m + (below + 1.0) * std::log(m) - std::lgamma(below + 1.0));
}

std::vector<std::uint32_t> group_states(std::span<const double> counts, std::uint32_t ordered, double sigma,
                                        double least) {
  std::vector<std::uint32_t> group(counts.size());
  std::uint32_t next = 0, members = 0;
  double sum = 0.0;
  for (std::size_t s = 0; s < ordered; ++s) {
    group[s] = next;
    sum += counts[s];
    ++members;
    if (sum < least * sigma * std::sqrt(static_cast<double>(members))) continue;
    ++next;
    members = 0;
    sum = 0.0;
  }
  if (members > 0 && next > 0) {  // what is left at the end belongs to the last group
    for (std::size_t s = ordered - members; s < ordered; ++s) group[s] = next - 1;
  } else if (members > 0) {
    ++next;
  }
  std::vector<std::size_t> rare;
  double rest = 0.0;
  for (std::size_t s = ordered; s < counts.size(); ++s) {
    if (counts[s] >= least * sigma) {
      group[s] = next++;
    } else {
      rare.push_back(s);
      rest += counts[s];
    }
  }
  if (rare.empty()) return group;
  // The rare ones together, if that is more than noise; else beside the commonest state, where they do no harm.
  const bool is_seen = rest >= least * sigma * std::sqrt(static_cast<double>(rare.size()));
  const auto commonest = static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
  const bool is_alone = next == 0 || std::find(rare.begin(), rare.end(), commonest) != rare.end();
  const std::uint32_t target = is_seen || is_alone ? next : group[commonest];
  for (const std::size_t s : rare) group[s] = target;
  return group;
}

std::vector<std::uint32_t> coarsen(std::span<const double> shares, std::uint32_t ordered, std::uint32_t most) {
  std::vector<std::uint32_t> group(shares.size());
  if (shares.size() <= most) {
    std::iota(group.begin(), group.end(), 0U);
    return group;
  }
  const auto others = static_cast<std::uint32_t>(shares.size()) - ordered;
  const std::uint32_t for_others = std::min(others, most / (ordered > 0 ? 2 : 1));
  const std::uint32_t for_ordered = most - for_others;
  std::vector<double> root;
  for (std::size_t s = 0; s < ordered; ++s) root.push_back(std::sqrt(shares[s]));
  double total = std::accumulate(root.begin(), root.end(), 0.0), before = 0.0;
  if (!(total > 0.0)) {  // nothing is known of any: all alike
    root.assign(ordered, 1.0);
    total = ordered;
  }
  std::vector<std::uint32_t> raw(shares.size());
  for (std::size_t s = 0; s < ordered; ++s) {
    const double middle = (before + root[s] / 2.0) / total;
    raw[s] = std::min(static_cast<std::uint32_t>(middle * for_ordered), for_ordered - 1);
    before += root[s];
  }
  std::vector<std::size_t> order;
  for (std::size_t s = ordered; s < shares.size(); ++s) order.push_back(s);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return shares[a] != shares[b] ? shares[a] > shares[b] : a < b; });
  for (std::size_t k = 0; k < order.size(); ++k) {
    raw[order[k]] = for_ordered + std::min(static_cast<std::uint32_t>(k), for_others - 1);
  }
  std::vector<std::uint32_t> used(raw.begin(), raw.end());
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  for (std::size_t s = 0; s < raw.size(); ++s) {
    group[s] = static_cast<std::uint32_t>(std::lower_bound(used.begin(), used.end(), raw[s]) - used.begin());
  }
  return group;
}

}  // namespace sosia
