// SPDX-License-Identifier: Apache-2.0
#include "methods/clean_embeddings.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "methods/clean_counts.h"

namespace sosia {

namespace {

// In deviations of the noise: counts of classes, those of declared ones where columns were picked, sums of states.
constexpr double kSeen = 2.0, kSeenSooner = 1.0, kStateSeen = 1.5;

/// One block, with the sum that it would have without noise.
void clean_block(std::span<double> block, double least, double total) {
  const double most = *std::max_element(block.begin(), block.end());
  std::vector<double> seen;
  for (const double sum : block) {
    if (sum >= std::min(least, most)) seen.push_back(sum);
  }
  const std::vector<double> plausible = on_simplex(seen, total);
  auto next = plausible.begin();
  for (double& sum : block) sum = sum >= std::min(least, most) ? *next++ : 0.0;
}

}  // namespace

void count_by_states(const std::vector<int>& states, const Embedding& known, Embeddings& out) {
  if (states.empty()) return;
  const auto dim = static_cast<std::size_t>(std::accumulate(states.begin(), states.end(), 0));
  const double total = std::sqrt(static_cast<double>(states.size()));  // the sum of a row's vector
  const double sigma = known.sigma * std::sqrt(static_cast<double>(dim)) / total;
  const bool is_first = out.counts.empty();
  if (is_first) out.counts.resize(known.sums.size() / dim);
  const double before = out.count_sigma * out.count_sigma, both = before + sigma * sigma;
  const double trust = is_first ? 1.0 : both > 0.0 ? before / both : 0.0;
  for (std::size_t p = 0; p < out.counts.size(); ++p) {
    const auto first = known.sums.begin() + static_cast<std::ptrdiff_t>(p * dim);
    const double again = std::accumulate(first, first + static_cast<std::ptrdiff_t>(dim), 0.0) / total;
    out.counts[p] += trust * (again - out.counts[p]);
  }
  out.count_sigma = is_first ? sigma : out.count_sigma * std::sqrt(1.0 - trust);
}

void clean_parts(const Outline& outline, Embeddings& out) {
  const bool has_picks = !out.picked.empty();
  const std::size_t declared =
      has_picks ? out.counts.size() - outline.spare[static_cast<std::size_t>(*outline.target)] : 0;
  std::vector<std::size_t> order(declared);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return out.counts[a] > out.counts[b]; });
  const double sooner = std::max(kSeenSooner * out.count_sigma, 0.5);
  for (std::size_t p = 0; p < out.counts.size(); ++p) {
    const double least = p < declared ? sooner : std::max(kSeen * out.count_sigma, 0.5);
    if (out.counts[p] < least) out.counts[p] = 0.0;
  }
  for (std::size_t i = 0; i < std::min<std::size_t>(2, declared); ++i) {
    out.counts[order[i]] = std::max(out.counts[order[i]], sooner);
  }
  const double total = std::accumulate(out.counts.begin(), out.counts.end(), 0.0);
  if (total == 0.0) std::fill(out.counts.begin(), out.counts.end(), 1.0);
  out.rows = outline.rows.value_or(std::max(total, 1.0));
}

void clean_states(const std::vector<int>& states, double rows, const std::vector<double>& counts, Embedding& known) {
  if (states.empty()) return;
  const double scale = 1.0 / std::sqrt(static_cast<double>(states.size()));  // of a row's one-hot codes
  const std::vector<double> parts = known.by_part ? counts : std::vector<double>{rows};
  std::span<double> left(known.sums);
  for (const double of_part : parts) {
    for (const int count : states) {
      const std::span<double> block = left.first(static_cast<std::size_t>(count));
      if (of_part > 0.0) clean_block(block, kStateSeen * known.sigma, of_part * scale);
      left = left.subspan(block.size());
    }
  }
}

}  // namespace sosia
