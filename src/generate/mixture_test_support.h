// SPDX-License-Identifier: Apache-2.0
// Small random mixtures, and their marginals the long way: cell by cell, in double precision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "generate/measurement.h"
#include "random/public_rng.h"

namespace sosia {

/// Four fields of 3, 4, 2 and 5 states, and (view 4) the last one in three groups.
inline std::vector<View> test_views() {
  std::vector<View> views;
  const std::vector<std::uint32_t> widths = {3, 4, 2, 5};
  for (std::size_t f = 0; f < widths.size(); ++f) views.push_back(View::finest(static_cast<int>(f), widths[f]));
  views.push_back({3, 3, {0, 0, 1, 1, 2}});
  return views;
}
inline constexpr std::size_t kTestFields = 4;

inline std::size_t width_of(const std::vector<View>& views, std::size_t fields) {
  std::size_t width = 0;
  for (std::size_t f = 0; f < fields; ++f) width += views[f].width;
  return width;
}

/// A row for each component, a distribution for each field.
inline std::vector<float> random_mixture(const std::vector<View>& views, std::size_t fields, std::size_t components,
                                         std::uint64_t seed) {
  PublicRng rng(seed);
  std::vector<float> p;
  for (std::size_t c = 0; c < components; ++c) {
    for (std::size_t f = 0; f < fields; ++f) {
      std::vector<double> weights(views[f].width);
      double total = 0.0;
      for (double& weight : weights) total += weight = 0.02 + rng.uniform() * rng.uniform();
      for (const double weight : weights) p.push_back(static_cast<float>(weight / total));
    }
  }
  return p;
}

/// The share of the joint groups of these views: over every component and every state of every field in the set.
template <class Number>
std::vector<double> marginal_by_definition(const std::vector<View>& views, std::size_t fields,
                                           const std::vector<Number>& p, const ViewSet& set) {
  const std::size_t width = width_of(views, fields), components = p.size() / width;
  std::vector<double> shares(cells_of(set, views));
  for (std::size_t c = 0; c < components; ++c) {
    for (std::size_t cell = 0; cell < shares.size(); ++cell) {
      double product = 1.0 / static_cast<double>(components);
      std::size_t rest = cell;
      for (std::size_t k = set.size(); k-- > 0;) {
        const View& view = views[static_cast<std::size_t>(set[k])];
        const auto field = static_cast<std::size_t>(view.field);
        const std::size_t group = rest % view.width, first = width_of(views, field);
        rest /= view.width;
        const std::vector<std::uint32_t> coarser = coarser_group(views[field], view);
        double share = 0.0;
        for (std::size_t g = 0; g < coarser.size(); ++g) {
          if (coarser[g] == group) share += static_cast<double>(p[c * width + first + g]);
        }
        product *= share;
      }
      shares[cell] += product;
    }
  }
  return shares;
}

}  // namespace sosia
