// SPDX-License-Identifier: Apache-2.0
#include "discovery/search.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "base/json_reader.h"
#include "privacy/accounting/normal.h"

namespace sosia {

Search::Search(const Schema& schema_, const DiscoveryOptions& options_, const Promise& promise_)
    : schema(schema_), options(options_), promise(promise_), open(open_facts(schema_, options_)) {
  found.schema = schema;
  // Facts that wait for review were read off the data: none of them may stay, even where nothing is asked instead.
  for (Column& column : found.schema.columns) {
    for (const Fact fact : column.unreviewed) {
      if (fact == Fact::values) column.values = {};
      if (fact == Fact::bounds) column.min = column.max = {};
      if (fact == Fact::bounds || fact == Fact::atoms) column.atoms.clear();
      if (fact == Fact::missing) column.missing = false;
    }
    column.unreviewed.clear();
  }
}

std::vector<std::string> Search::names(const std::vector<std::size_t>& columns) const {
  std::vector<std::string> names;
  for (const std::size_t i : columns) names.push_back(schema.columns[i].name);
  return names;
}

void Search::tell(std::size_t i, const std::string& text) {
  found.findings.push_back(fmt::format("column {}: {}", shown(schema.columns[i].name), text));
}

void Search::miss(std::size_t i, Fact fact) {
  found.not_found.push_back(fmt::format("column {}: {}", shown(schema.columns[i].name), name_of(fact)));
}

void Search::keep(std::size_t i, const std::vector<std::string>& values, std::span<const double> counts,
                  double threshold) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return counts[a] != counts[b] ? counts[a] > counts[b] : a < b; });
  order.resize(std::min(order.size(), static_cast<std::size_t>(options.max_values)));
  std::erase_if(order, [&](std::size_t v) { return counts[v] <= threshold; });
  std::sort(order.begin(), order.end());
  std::vector<std::string> kept;
  for (const std::size_t v : order) kept.push_back(values[v]);
  const bool is_boolean = column(i).type == ColumnType::boolean;
  column(i).outside = Outside::other;
  column(i).values = {};
  if (is_boolean ? kept.size() != 2 : kept.empty()) {
    miss(i, Fact::values);
  } else {
    column(i).values = std::move(kept);
  }
}

Column as_counted(Column column) {
  column.unreviewed.clear();
  column.atoms.clear();
  column.edges.clear();
  column.missing = true;
  column.outside = has_values(column.type) ? Outside::other : Outside::clamp;
  return column;
}

double threshold_for(std::size_t cells, double sigma) {
  constexpr double kFalseAlarm = 0.01;
  return sigma * accounting::normal_upper_quantile(kFalseAlarm / static_cast<double>(std::max<std::size_t>(cells, 1)));
}

}  // namespace sosia
