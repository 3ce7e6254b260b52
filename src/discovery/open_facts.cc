// SPDX-License-Identifier: Apache-2.0
#include "discovery/open_facts.h"

#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>

#include <sosia/error.h>

namespace sosia {

namespace {

bool can_be_discovered(Fact fact) {
  return fact == Fact::values || fact == Fact::bounds || fact == Fact::missing || fact == Fact::atoms;
}

void check_reviewed(const Schema& schema) {
  std::size_t columns = 0;
  std::set<std::string> kinds;
  for (const Column& column : schema.columns) {
    bool waits = false;
    for (const Fact fact : column.unreviewed) {
      if (can_be_discovered(fact)) continue;
      kinds.insert(name_of(fact));
      waits = true;
    }
    columns += waits ? 1 : 0;
  }
  if (kinds.empty()) return;
  throw Error(
      ErrorKind::schema,
      fmt::format("{} of {} {} for review and cannot be discovered privately", fmt::join(kinds, " and "),
                  columns == 1 ? "a column" : fmt::format("{} columns", columns), kinds.size() == 1 ? "waits" : "wait"),
      "the schema", fmt::format("review them, then confirm: --confirm {}", fmt::join(kinds, ",")));
}

bool values_are_open(const Column& column) {
  return has_values(column.type) && (!column.values || is_unreviewed(column, Fact::values));
}

bool bounds_are_open(const Column& column) {
  return has_bounds(column.type) && (!column.min || !column.max || is_unreviewed(column, Fact::bounds));
}

}  // namespace

bool is_unreviewed(const Column& column, Fact fact) {
  return std::find(column.unreviewed.begin(), column.unreviewed.end(), fact) != column.unreviewed.end();
}

Promise discovery_promise(const Schema& schema, double epsilon, double delta) {
  const bool has_keys = std::any_of(schema.columns.begin(), schema.columns.end(), values_are_open);
  return {.epsilon = epsilon,
          .delta = delta,
          .relation = schema.relation,
          .unit = schema.unit,
          .selection_delta = has_keys ? delta / 10.0 : 0.0};
}

OpenFacts open_facts(const Schema& schema, const DiscoveryOptions& options) {
  validate(schema);
  check_reviewed(schema);
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
    if (!told && is_unreviewed(column, Fact::missing)) open.missing.push_back(i);
  }
  return open;
}

}  // namespace sosia
