// SPDX-License-Identifier: Apache-2.0
// What the steps of a discovery have in common.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <sosia/discovery.h>

#include "base/thread_pool.h"
#include "data/table_file.h"
#include "discovery/open_facts.h"

namespace sosia {

/// Public numbers and what was released so far.
struct Search {
  Search(const Schema& schema, const DiscoveryOptions& options, const Promise& promise);

  const Schema& schema;
  const DiscoveryOptions& options;
  const Promise& promise;
  OpenFacts open;
  Discovery found;

  Column& column(std::size_t i) { return found.schema.columns[i]; }
  std::vector<std::string> names(const std::vector<std::size_t>& columns) const;
  void tell(std::size_t i, const std::string& text);
  void miss(std::size_t i, Fact fact);
  /// Keeps the commonest values, max_values at most, whose counts are above the threshold, in the order given.
  void keep(std::size_t i, const std::vector<std::string>& values, std::span<const double> counts, double threshold);
  /// Writes down under which promise the facts were found.
  void record(const Purchase& purchase);
};

/// Where a step asks.
struct Source {
  const std::shared_ptr<const TableFile>& file;
  Ledger& ledger;
  ThreadPool& threads;
};

/// A column as it is counted: nothing refused, nothing taken for granted.
Column as_counted(Column column);

/// With so many cells, a noisy count above this is no empty cell's, up to a chance of 1 % for all of them.
double threshold_for(std::size_t cells, double sigma);

}  // namespace sosia
