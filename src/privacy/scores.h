// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "privacy/count_map.h"

namespace sosia {

/// For each slot the L1 distance between its counts and the public expected counts, both times the slot's grid weight.
/// `counts` and `expected` hold the cells of all slots; `counts` has the weight in it already, `expected` has not.
///
/// Sensitivity: a row that comes or goes moves one cell of slot j by its grid weight w_j, so by the triangle inequality
/// it moves score j by at most w_j, and all scores together by at most sqrt(sum of w_j^2) in L2, the norm of the grid.
/// A row that is replaced moves them by at most twice that. What is expected does not matter, and neither does the cap
/// at 2^62, as min(x, cap) never moves more than x.
std::vector<std::int64_t> slot_scores(std::span<const CountSlot> slots, std::span<const std::int64_t> grid_weights,
                                      std::span<const std::int64_t> counts, std::span<const double> expected);

/// The indices of the `picks` largest scores, best first; among equals the first.
std::vector<int> largest(std::span<const std::int64_t> scores, int picks);

}  // namespace sosia
