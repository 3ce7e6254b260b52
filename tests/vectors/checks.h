// SPDX-License-Identifier: Apache-2.0
// Which function of sosia each kind of reference value tests.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "row.h"

namespace sosia::vectors {

/// What sosia says for a row. All rows are given, for quantities that build on another row.
using Check = std::function<double(const Row& row, const std::vector<Row>& rows)>;

/// By "kind/quantity".
const std::map<std::string, Check>& checks();

/// Kinds, or "kind/quantity", that sosia does not offer, and why.
const std::map<std::string, std::string>& not_offered();

}  // namespace sosia::vectors
