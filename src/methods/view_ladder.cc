// SPDX-License-Identifier: Apache-2.0
#include "methods/view_ladder.h"

#include <algorithm>

#include "methods/clean_counts.h"

namespace sosia {

ViewLadder::ViewLadder(Measurements& measured, const std::vector<std::vector<double>>& shares,
                       const std::vector<std::uint32_t>& ordered)
    : measured_(measured) {
  for (std::size_t f = 0; f < measured.fields; ++f) {
    views_.push_back({static_cast<int>(f)});
    for (std::uint32_t most = (measured.views[f].width + 1) / 2; most >= 2; most = (most + 1) / 2) {
      const std::vector<std::uint32_t> groups = coarsen(shares[f], ordered[f], most);
      View view{static_cast<int>(f), *std::max_element(groups.begin(), groups.end()) + 1, {}};
      for (const std::uint32_t group : measured.views[f].group) view.group.push_back(groups[group]);
      views_[f].push_back(static_cast<int>(measured.views.size()));
      measured.views.push_back(std::move(view));
      if (most == 2) break;
    }
  }
}

ViewSet ViewLadder::fitting(const std::vector<int>& fields, double most) const {
  std::vector<std::size_t> rung(fields.size());
  const auto view = [&](std::size_t k) { return views_[static_cast<std::size_t>(fields[k])][rung[k]]; };
  const auto width = [&](std::size_t k) { return measured_.views[static_cast<std::size_t>(view(k))].width; };
  for (;;) {
    double cells = 1.0;
    std::size_t widest = 0;
    for (std::size_t k = 0; k < fields.size(); ++k) {
      cells *= width(k);
      if (width(k) > width(widest)) widest = k;
    }
    if (cells <= most || rung[widest] + 1 >= views_[static_cast<std::size_t>(fields[widest])].size()) break;
    ++rung[widest];
  }
  ViewSet set;
  for (std::size_t k = 0; k < fields.size(); ++k) set.push_back(view(k));
  std::sort(set.begin(), set.end());
  return set;
}

ViewSet ViewLadder::with(ViewSet set, int field, std::uint32_t most) const {
  const std::vector<int>& views = views_[static_cast<std::size_t>(field)];
  std::size_t rung = 0;
  while (rung + 1 < views.size() && measured_.views[static_cast<std::size_t>(views[rung])].width > most) ++rung;
  set.insert(std::upper_bound(set.begin(), set.end(), views[rung]), views[rung]);
  return set;
}

}  // namespace sosia
