// SPDX-License-Identifier: Apache-2.0
#include "methods/clean_singles.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "generate/fit_mixture.h"
#include "methods/clean_counts.h"

namespace sosia {

namespace {

constexpr double kSmoothing = 1.0;
constexpr std::uint32_t kLeastToSmooth = 8;

}  // namespace

std::vector<std::uint32_t> clean_singles(Measurements& measured, const Outline& outline, double least,
                                         std::uint32_t few) {
  std::vector<std::uint32_t> ordered_groups;
  for (std::size_t f = 0; f < measured.fields; ++f) {
    Measurement& known = measured.list[f];
    const std::uint32_t ordered = outline.ordered[f];
    std::vector<double> counts = known.counts;
    if (ordered >= kLeastToSmooth) {
      const auto smoothed = smooth(std::span(counts).first(ordered), known.sigma, kSmoothing);
      std::copy(smoothed.begin(), smoothed.end(), counts.begin());
    }
    std::vector<double> plausible = on_simplex(counts, measured.rows);
    std::vector<double> evidence = known.counts;
    std::copy_n(plausible.begin(), ordered, evidence.begin());
    const std::uint32_t declared = outline.widths[f] - outline.spare[f];
    if (declared <= few) std::fill_n(evidence.begin(), declared, measured.rows);
    View& view = measured.views[f];
    view.group = group_states(evidence, ordered, known.sigma, least);
    view.width = *std::max_element(view.group.begin(), view.group.end()) + 1;
    std::vector<double> grouped(view.width), members(view.width);
    std::uint32_t in_order = 0;
    for (std::size_t s = 0; s < counts.size(); ++s) {
      grouped[view.group[s]] += counts[s];
      members[view.group[s]] += 1.0;
      measured.spread[f][s] = static_cast<float>(std::max(s < ordered ? plausible[s] : known.counts[s], 0.0));
      if (s < ordered) in_order = std::max(in_order, view.group[s] + 1);
    }
    known.counts = on_simplex(grouped, measured.rows);
    known.cell_sigma.clear();
    for (const double count : members) known.cell_sigma.push_back(known.sigma * std::sqrt(count));
    ordered_groups.push_back(in_order);
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
