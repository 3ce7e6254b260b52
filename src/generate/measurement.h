// SPDX-License-Identifier: Apache-2.0
// What is known of a private table after its releases: public numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "features/marginals.h"

namespace sosia {

/// Rows that sums, or a count of 1, without noise are taken to be off by.
inline constexpr double kLeastSigma = 0.25;

/// Noisy counts of the joint groups of some views.
struct Measurement {
  ViewSet views;
  std::vector<double> counts;
  double sigma = 0.0;                   ///< standard deviation of each count; 0 without noise
  std::vector<double> cell_sigma = {};  ///< the same by cell, where counts were added up; empty: all the same
};

struct Measurements {
  /// The finest view of each field that is told apart, in order; then coarser ones, which are functions of these.
  std::vector<View> views;
  std::size_t fields = 0;
  std::vector<std::vector<float>> spread;  ///< for each field the share of every state in its group of the finest view
  std::vector<Measurement> list;
  double rows = 0.0;         ///< about; above 0
  std::optional<int> label;  ///< the field that matters most
};

/// Whether states that share a group of the first view share one of the second, which has as many states.
bool is_function_of(const View& finest, const View& coarse);
/// Which group of the coarser view each group of the field's finest view belongs to.
std::vector<std::uint32_t> coarser_group(const View& finest, const View& coarse);

}  // namespace sosia
