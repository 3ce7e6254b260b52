// SPDX-License-Identifier: Apache-2.0
// What a schema leaves open.
#pragma once

#include <cstddef>
#include <vector>

#include <sosia/discovery.h>

namespace sosia {

/// Columns by number, each list in the schema's order.
struct OpenFacts {
  std::vector<std::size_t> keys;     ///< the values are not known: to be found among all texts
  std::vector<std::size_t> cuts;     ///< more values are declared than are to be kept
  std::vector<std::size_t> bounds;   ///< the bounds are not known
  std::vector<std::size_t> fine;     ///< quantiles are to be found; all of `bounds` are among them
  std::vector<std::size_t> missing;  ///< whether cells are missing is not known, and none of the above tells
  bool classes = false;              ///< the target's declared values are to be counted
  bool rows = false;                 ///< the number of rows is private

  bool nothing() const { return keys.empty() && cuts.empty() && bounds.empty() && fine.empty() && missing.empty(); }
};

OpenFacts open_facts(const Schema& schema, const DiscoveryOptions& options);

}  // namespace sosia
