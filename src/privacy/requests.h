// SPDX-License-Identifier: Apache-2.0
// What a release asks of its grid, for each kind of map. Public numbers only; what makes no sense is a usage error.
#pragma once

#include <cstdint>

#include <sosia/ledger.h>

#include "privacy/bounded_map.h"
#include "privacy/count_map.h"
#include "privacy/factored_map.h"
#include "privacy/lattice.h"

namespace sosia {

GridRequest request_for(const BoundedMap& map, const NoisySum& how, const Promise& promise, std::int64_t row_limit);
/// By groups, all rows of a unit are in one, and a group's vector is within the bound, however many rows it has.
GridRequest request_for(const FactoredMap& map, const NoisySum& how, const Promise& promise, std::int64_t row_limit);
GridRequest request_for(const CountMap& map, const NoisySum& how, const Promise& promise, std::int64_t row_limit);

}  // namespace sosia
