// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <utility>

#include "discovery/number_scale.h"
#include "discovery/search.h"
#include "discovery/survey.h"

namespace sosia {

/// The first step: rows, classes, declared values that may be too many, missing cells, and where numbers lie roughly.
class RoughCounts {
 public:
  /// Where a column's numbers lie: cells of its widest scale, first and last.
  struct Range {
    NumberScale scale;
    std::pair<std::size_t, std::size_t> cells = {1, 0};
    bool is_found() const { return cells.first <= cells.second; }
  };

  explicit RoughCounts(Search& search);

  bool is_needed() const { return !survey_.empty(); }
  DiscoveryStep step(double noise) const;
  void run(const Source& source, double noise);
  /// By column, those without bounds.
  const std::map<std::size_t, Range>& ranges() const { return ranges_; }

 private:
  void read_range(std::size_t i, std::span<const double> counts, double threshold);
  void read_values(std::size_t i, std::span<const double> counts, double threshold);

  Search& search_;
  Survey survey_;
  std::map<std::size_t, std::size_t> questions_;  ///< by column
  std::map<std::size_t, Range> ranges_;
};

}  // namespace sosia
