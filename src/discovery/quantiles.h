// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "discovery/rough_counts.h"
#include "discovery/search.h"

namespace sosia {

/// The third step: bounds and quantiles of numbers and dates, inside what is declared or was found roughly.
class Quantiles {
 public:
  explicit Quantiles(Search& search) : search_(search) {}

  bool is_needed() const { return !search_.open.fine.empty(); }
  /// For trees of the largest size: what the first step finds may make them smaller, and the noise with them.
  DiscoveryStep step(double noise) const;
  void run(const Source& source, const RoughCounts& rough, double noise);

 private:
  struct Tree {
    std::size_t column, question;
    NumberScale scale;
    TreeShape shape;
    bool sets_bounds;
  };
  void read(const Tree& asked, const Survey& survey);

  Search& search_;
};

}  // namespace sosia
