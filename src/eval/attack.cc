// SPDX-License-Identifier: Apache-2.0
#include "eval/attack.h"

#include <algorithm>

#include "eval/order_statistics.h"

namespace sosia::eval {

namespace {

constexpr std::size_t kMostSuspects = 5000, kMostMade = 50000, kMostReference = 20000;
constexpr double kFalsePositives = 0.01;

/// The share of a sorted sample that is above x.
double share_above(std::span<const double> sorted, double x) {
  const auto above = sorted.end() - std::upper_bound(sorted.begin(), sorted.end(), x);
  return static_cast<double>(above) / static_cast<double>(sorted.size());
}

}  // namespace

Suspects draw_suspects(const Comparison& comparison, bool with_reference) {
  const auto& [outline, real, made, holdout, target, seed, pool] = comparison;
  const Ruler ruler(outline, real);
  PublicRng rng = rng_of(seed, Stream::member_rows);
  const std::vector<std::size_t> shuffled = draw_rows(holdout->count, holdout->count, rng);
  const std::size_t free = with_reference ? (holdout->count + 1) / 2 : holdout->count;
  const std::size_t count = std::min({kMostSuspects, free, real.count});
  const std::size_t most_made = with_reference ? kMostReference : kMostMade;
  Suspects suspects;
  suspects.members = ruler.place(real, draw_rows(real.count, count, rng));
  suspects.others = ruler.place(*holdout, std::span(shuffled).first(count));
  suspects.made = ruler.place(made, draw_rows(made.count, most_made, rng));
  const auto rest = std::span(shuffled).subspan(free);
  if (with_reference) suspects.reference = ruler.place(*holdout, rest.first(std::min(rest.size(), kMostReference)));
  return suspects;
}

Finding success(std::span<const double> members, std::span<const double> others) {
  const std::vector<double> high = sorted_numbers(members), low = sorted_numbers(others);
  double advantage = 0.0;
  for (const double x : high) advantage = std::max(advantage, share_above(high, x) - share_above(low, x));
  for (const double x : low) advantage = std::max(advantage, share_above(high, x) - share_above(low, x));
  Finding found{.value = chance_above(members, others)};
  found.parts = {{{"advantage"}, advantage},
                 {{"true positives at 1 % false"}, share_above(high, quantile(low, 1.0 - kFalsePositives))}};
  found.counted = {{"members", static_cast<double>(high.size())}, {"others", static_cast<double>(low.size())}};
  return found;
}

}  // namespace sosia::eval
