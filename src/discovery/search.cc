// SPDX-License-Identifier: Apache-2.0
#include "discovery/search.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include <sosia/certificate.h>

#include "base/json_reader.h"
#include "privacy/accounting/normal.h"

namespace sosia {

Search::Search(const Schema& schema_, const DiscoveryOptions& options_, const Promise& promise_)
    : schema(schema_), options(options_), promise(promise_), open(open_facts(schema_, options_)) {
  found.schema = schema;
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

void Search::record(const Purchase& purchase) {
  const std::size_t number = found.schema.purchases.size();
  found.schema.purchases.push_back(purchase);
  // Of `cuts`, which values are kept was bought, but what they are comes from where it came from before.
  for (const std::size_t i : open.keys) set_bought(column(i), Fact::values, number);
  for (const std::size_t i : open.bounds) {
    set_bought(column(i), Fact::bounds, number);
    if (applies(Fact::atoms, column(i).type)) set_bought(column(i), Fact::atoms, number);
  }
  for (const std::size_t i : open.fine) {
    if (!column(i).edges.empty()) set_bought(column(i), Fact::edges, number);
  }
  for (std::size_t i = 0; i < schema.columns.size(); ++i) {
    if (schema.columns[i].missing_is_open) set_bought(column(i), Fact::missing, number);
  }
}

Column as_counted(Column column) {
  column.atoms.clear();
  column.edges.clear();
  column.confirmed.clear();
  column.bought.clear();
  column.missing = true;
  column.missing_is_open = false;
  column.outside = has_values(column.type) ? Outside::other : Outside::clamp;
  return column;
}

Purchase purchase_of(const Ledger& ledger) {
  return {ledger.promise(), ledger.has_guarantee(), ledger.certificate().ledger_head};
}

void set_bought(Column& column, Fact fact, std::size_t purchase) {
  std::erase(column.confirmed, fact);
  std::erase_if(column.bought, [fact](const BoughtFact& bought) { return bought.fact == fact; });
  column.bought.push_back({fact, purchase});
}

double threshold_for(std::size_t cells, double sigma) {
  constexpr double kFalseAlarm = 0.01;
  return sigma * accounting::normal_upper_quantile(kFalseAlarm / static_cast<double>(std::max<std::size_t>(cells, 1)));
}

}  // namespace sosia
