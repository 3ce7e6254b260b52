// SPDX-License-Identifier: Apache-2.0
#include "methods/clean_singles.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "generate/fit_mixture.h"
#include "methods/clean_counts.h"

namespace sosia {

namespace {

constexpr std::uint32_t kLeastToSmooth = 8;

/// How many of the first bins there are until those that follow hold no more than noise would: all of them together,
/// from any on, since far from the others rows must be sure; and the next few, near them.
std::size_t seen_until(std::span<const double> counts, double sigma) {
  constexpr double kSeenFar = 4.0, kSeenNear = 3.0;  // sigmas
  std::vector<double> below(counts.size() + 1, 0.0);
  std::partial_sum(counts.begin(), counts.end(), below.begin() + 1);
  const auto holds_rows = [&](std::size_t first, std::size_t end, double sigmas) {
    return below[end] - below[first] > sigmas * sigma * std::sqrt(static_cast<double>(end - first));
  };
  std::size_t seen = counts.size(), length = 1;
  while (seen > 0 && !holds_rows(seen - 1, counts.size(), kSeenFar)) --seen;
  while (seen + length <= counts.size()) {
    const bool is_more = holds_rows(seen, seen + length, kSeenNear);
    seen += is_more ? length : 0;
    length = is_more ? 1 : 2 * length;
  }
  return seen;
}

/// Bins after the last in which rows were seen are no evidence of any, and what they seem to hold becomes a quarter
/// with every octave, so that rows which nobody saw make neither mean nor variance. Left as even as smoothing makes it,
/// noise would make rows that are magnitudes larger than any other.
void let_end_fall_off(std::span<const double> counts, double sigma, double octaves, std::span<double> plausible,
                      std::span<double> evidence) {
  const std::size_t seen = seen_until(counts, sigma);
  double left = std::accumulate(plausible.begin() + static_cast<std::ptrdiff_t>(seen), plausible.end(), 0.0);
  const double kept = std::exp2(-2.0 * octaves);
  for (std::size_t s = seen; s < counts.size(); ++s) {
    plausible[s] = left * (1.0 - kept);
    left *= kept;
    evidence[s] = 0.0;
  }
}

/// The same at the beginning.
void let_beginning_fall_off(std::span<const double> counts, double sigma, double octaves, std::span<double> plausible,
                            std::span<double> evidence) {
  const std::vector<double> reversed(counts.rbegin(), counts.rend());
  std::reverse(plausible.begin(), plausible.end());
  std::reverse(evidence.begin(), evidence.end());
  let_end_fall_off(reversed, sigma, octaves, plausible, evidence);
  std::reverse(plausible.begin(), plausible.end());
  std::reverse(evidence.begin(), evidence.end());
}

/// Classes too rare to be seen are counted with the commonest one, and rows of them would look like it: none are made,
/// where others are seen, so that there is something to learn. `seen`: what a count must be.
void drop_unseen_classes(std::span<const double> counts, std::span<const std::uint32_t> group, double seen,
                         std::span<float> spread) {
  const auto commonest = static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
  const auto is_other = [&](std::uint32_t of_state) { return of_state != group[commonest]; };
  if (counts[commonest] < seen || std::none_of(group.begin(), group.end(), is_other)) return;
  for (std::size_t s = 0; s < counts.size(); ++s) {
    if (group[s] == group[commonest] && counts[s] < seen) spread[s] = 0.0F;
  }
}

}  // namespace

std::vector<std::uint32_t> clean_singles(Measurements& measured, const Outline& outline, double least,
                                         std::uint32_t few) {
  std::vector<std::uint32_t> ordered_groups;
  for (std::size_t f = 0; f < measured.fields; ++f) {
    Measurement& known = measured.list[f];
    const std::uint32_t ordered = outline.ordered[f];
    std::vector<double> counts = known.counts;
    if (ordered >= kLeastToSmooth) {
      const auto smoothed = smooth(std::span(counts).first(ordered), known.sigma);
      std::copy(smoothed.begin(), smoothed.end(), counts.begin());
    }
    std::vector<double> plausible = on_simplex(counts, measured.rows);
    std::vector<double> evidence = known.counts;
    std::copy_n(plausible.begin(), ordered, evidence.begin());
    const std::span<double> in_order(plausible.data(), ordered), seen(evidence.data(), ordered);
    const std::span<const double> noisy(known.counts.data(), ordered);
    const FarEnds& far = outline.far_ends[f];
    const bool has_two = far.low > 0.0 && far.high > 0.0;  // then the smallest numbers are somewhere between
    const bool is_seen = !has_two || seen_until(noisy, known.sigma) > 0;
    if (far.high > 0.0 && is_seen) let_end_fall_off(noisy, known.sigma, far.high, in_order, seen);
    if (far.low > 0.0 && is_seen) let_beginning_fall_off(noisy, known.sigma, far.low, in_order, seen);
    const std::uint32_t declared = outline.widths[f] - outline.spare[f];
    if (declared <= few) std::fill_n(evidence.begin(), declared, measured.rows);
    View& view = measured.views[f];
    view.group = group_states(evidence, ordered, known.sigma, least);
    view.width = *std::max_element(view.group.begin(), view.group.end()) + 1;
    std::vector<double> grouped(view.width), members(view.width);
    std::uint32_t groups_in_order = 0;
    for (std::size_t s = 0; s < counts.size(); ++s) {
      grouped[view.group[s]] += counts[s];
      members[view.group[s]] += 1.0;
      measured.spread[f][s] = static_cast<float>(std::max(s < ordered ? plausible[s] : known.counts[s], 0.0));
      if (s < ordered) groups_in_order = std::max(groups_in_order, view.group[s] + 1);
    }
    if (ordered == 0 && measured.label && f == static_cast<std::size_t>(*measured.label)) {
      drop_unseen_classes(evidence, view.group, least * known.sigma, measured.spread[f]);
    }
    known.counts = on_simplex(grouped, measured.rows);
    known.cell_sigma.clear();
    for (const double count : members) known.cell_sigma.push_back(known.sigma * std::sqrt(count));
    ordered_groups.push_back(groups_in_order);
  }
  return ordered_groups;
}

std::vector<std::vector<double>> positive_shares(const Measurements& measured) {
  std::vector<std::vector<double>> shares = single_shares(measured);
  for (std::vector<double>& field : shares) {
    double total = 0.0;
    for (double& share : field) total += share = std::max(share, 0.5 / measured.rows);
    for (double& share : field) share /= total;
  }
  return shares;
}

}  // namespace sosia
