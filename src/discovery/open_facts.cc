// SPDX-License-Identifier: Apache-2.0
#include "discovery/open_facts.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/number_text.h"

namespace sosia {

namespace {

bool values_are_open(const Column& column) { return has_values(column.type) && !column.values; }

bool bounds_are_open(const Column& column) { return has_bounds(column.type) && (!column.min || !column.max); }

}  // namespace

Promise discovery_promise(const Schema& schema, double epsilon, double delta) {
  const bool has_keys = std::any_of(schema.columns.begin(), schema.columns.end(), values_are_open);
  return {.epsilon = epsilon,
          .delta = delta,
          .relation = schema.relation,
          .unit = schema.unit,
          .selection_delta = has_keys ? delta / 10.0 : 0.0};
}

std::string delta_warning(const Schema& schema, double delta) {
  if (!schema.rows || delta * static_cast<double>(*schema.rows) <= 1.0) return "";
  return fmt::format(
      "Warning: delta {} is above 1 / {}, the number of rows: it allows to publish a row as it is. Take 1 / (10 rows) "
      "at most.\n",
      exact_or_up_text(delta), *schema.rows);
}

OpenFacts open_facts(const Schema& schema, const DiscoveryOptions& options) {
  validate(schema);
  OpenFacts open;
  open.rows = schema.relation == Neighbors::add_remove;
  for (std::size_t i = 0; i < schema.columns.size(); ++i) {
    const Column& column = schema.columns[i];
    if (!has_values(column.type) && !has_bounds(column.type)) continue;
    bool told = false;  // whether cells are missing
    if (values_are_open(column)) {
      open.keys.push_back(i);
    } else if (has_values(column.type)) {
      const bool cut = column.values->size() > static_cast<std::size_t>(options.max_values);
      if (cut) open.cuts.push_back(i);
      open.classes = open.classes || column.name == schema.target;
      told = cut || column.name == schema.target;
    } else {
      const bool unknown = bounds_are_open(column);
      if (unknown) open.bounds.push_back(i);
      if (unknown || (options.quantiles > 0 && column.edges.empty())) open.fine.push_back(i);
      told = unknown;
    }
    if (!told && column.missing_is_open) open.missing.push_back(i);
  }
  return open;
}

}  // namespace sosia
