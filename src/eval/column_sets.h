// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "random/public_rng.h"

namespace sosia::eval {

using ColumnSet = std::vector<std::size_t>;

/// Sets of `size` columns out of `columns`, each rising: all of them if they are at most `most`, else `most` different
/// ones drawn uniformly. In lexicographic order.
std::vector<ColumnSet> column_sets(std::size_t columns, std::size_t size, std::size_t most, PublicRng& rng);

/// How many sets there are; a double, since there may be very many.
double count_sets(std::size_t columns, std::size_t size);

}  // namespace sosia::eval
