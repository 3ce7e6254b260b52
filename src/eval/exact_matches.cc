// SPDX-License-Identifier: Apache-2.0
// Exact matches: the share of made rows that equal some real row in every column. Its parts: the share of real rows
// that some made row equals and, with a holdout, the share of made rows that equal a row of it, which is what chance
// does. Rows are told apart by 64-bit hashes: two different rows among n have the same one with chance n^2 / 2^65.
#include <algorithm>
#include <bit>
#include <cmath>

#include "eval/metrics.h"

namespace sosia::eval {

namespace {

std::uint64_t mixed(std::uint64_t x) {  // splitmix64 (Steele, Lea, Flood 2014)
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

std::vector<std::uint64_t> hashes_of(const Rows& rows, const Outline& outline) {
  constexpr std::uint64_t kMissing = 0x7FF8000000000000;  // one NaN for all
  std::vector<std::uint64_t> hashes(rows.count, 0);
  for (std::size_t c = 0; c < outline.size(); ++c) {
    for (std::size_t i = 0; i < rows.count; ++i) {
      std::uint64_t cell = rows.codes[c][i];
      if (outline[c].is_number()) {
        const double x = rows.numbers[c][i] + 0.0;  // -0 becomes 0
        cell = std::isnan(x) ? kMissing : std::bit_cast<std::uint64_t>(x);
      }
      hashes[i] = mixed((hashes[i] ^ cell) + 0x9E3779B97F4A7C15);
    }
  }
  return hashes;
}

/// The share of `rows` that are in `among`, which is sorted.
double share_in(const std::vector<std::uint64_t>& rows, const std::vector<std::uint64_t>& among) {
  const auto matches = std::count_if(rows.begin(), rows.end(), [&](std::uint64_t hash) {
    return std::binary_search(among.begin(), among.end(), hash);
  });
  return static_cast<double>(matches) / static_cast<double>(rows.size());
}

Finding measure(const Comparison& comparison) {
  const auto sorted_hashes = [&](const Rows& rows) {
    std::vector<std::uint64_t> hashes = hashes_of(rows, comparison.outline);
    std::sort(hashes.begin(), hashes.end());
    return hashes;
  };
  const auto real = sorted_hashes(comparison.real), made = sorted_hashes(comparison.made);
  Finding found{.value = share_in(made, real)};
  found.parts.push_back({{"real rows that are matched"}, share_in(real, made)});
  if (comparison.holdout != nullptr) {
    found.parts.push_back({{"made rows that match the holdout"}, share_in(made, sorted_hashes(*comparison.holdout))});
  }
  return found;
}

}  // namespace

Metric exact_matches_metric() {
  return {{.name = "exact_matches",
           .summary = "share of rows that equal a real row in every column",
           .group = MetricGroup::privacy},
          measure};
}

}  // namespace sosia::eval
