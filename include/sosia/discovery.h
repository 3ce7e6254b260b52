// SPDX-License-Identifier: Apache-2.0
// Facts of a schema that nobody declares, bought from the data through the door.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <sosia/ledger.h>
#include <sosia/schema.h>
#include <sosia/table.h>

namespace sosia {

struct DiscoveryOptions {
  TableSpelling spelling = {};
  double share = 1.0;    ///< of what is left of the ledger's mu^2
  int max_values = 100;  ///< of a column: the commonest are kept, the rest becomes `other`
  int quantiles = 0;     ///< bins of about equal weight for every number and date; 0: only where bounds are unknown
  int threads = 0;       ///< 0: one per core
};

/// One release that will be made, in public numbers.
struct DiscoveryStep {
  std::string what;
  std::vector<std::string> columns;
  std::int64_t cells = 0;  ///< 0: as many as there are keys
  double noise = 0.0;      ///< the multiplier that is charged
  double sigma = 0.0;      ///< standard deviation of each count
  double delta = 0.0;      ///< out of selection_delta
  double threshold = 0.0;  ///< about as many rows must hold a value for it to be seen
};

/// What would be asked and at what price, in order. Reads no data. A usage error if values are to be found and the
/// promise sets no selection_delta aside.
std::vector<DiscoveryStep> plan_discovery(const Schema& schema, const DiscoveryOptions& options, const Ledger& ledger);

/// A promise for this table: its relation and unit, and a tenth of delta set aside where values are to be found among
/// all texts of a column.
Promise discovery_promise(const Schema& schema, double epsilon, double delta);

/// A line for people if delta is above 1 / (number of rows), where the schema declares that: such a delta allows to
/// publish a row as it is. Else empty. A promise with a delta above 0.1 is refused by every ledger.
std::string delta_warning(const Schema& schema, double delta);

struct Discovery {
  Schema schema;                        ///< with the facts that were found, and under which promise
  std::vector<std::string> not_found;   ///< "column \"cost\": bounds": too few rows for this budget
  std::vector<std::string> findings;    ///< a line for people about each column
  double rows = 0.0, rows_sigma = 0.0;  ///< the number of rows, with noise; exact where the schema declares it
  std::vector<std::pair<std::string, double>> classes;  ///< rows of each value of the target, with noise
};

/// What was bought, and under which promise, as a schema notes it.
Purchase purchase_of(const Ledger& ledger);
void set_bought(Column& column, Fact fact, std::size_t purchase);

/// Finds what the schema leaves open: values, bounds, missing cells, and atoms where bounds are not known. All of it
/// passes the ledger's door, within `share` of its budget.
Discovery discover(const std::filesystem::path& file, const Schema& schema, const DiscoveryOptions& options,
                   Ledger& ledger);

}  // namespace sosia
