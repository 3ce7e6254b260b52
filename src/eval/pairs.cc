// SPDX-License-Identifier: Apache-2.0
#include "eval/pairs.h"

#include <cmath>

namespace sosia::eval {

namespace {

constexpr std::size_t kMostColumns = 100;  // whose pairs still make a file that can be read

}  // namespace

std::vector<ColumnSet> pairs_of(const Comparison& comparison,
                                const std::function<bool(const ColumnOutline&)>& is_wanted) {
  std::vector<std::size_t> wanted;
  for (std::size_t c = 0; c < comparison.outline.size(); ++c) {
    if (is_wanted(comparison.outline[c])) wanted.push_back(c);
  }
  PublicRng rng = rng_of(comparison.seed, Stream::pair_columns);
  const std::vector<std::size_t> chosen = draw_columns(wanted.size(), kMostColumns, rng);
  std::vector<ColumnSet> pairs;
  for (std::size_t a = 0; a < chosen.size(); ++a) {
    for (std::size_t b = a + 1; b < chosen.size(); ++b) pairs.push_back({wanted[chosen[a]], wanted[chosen[b]]});
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
  found.counted = {{"pairs", static_cast<double>(pairs.size())}};
  return found;
}

}  // namespace sosia::eval
