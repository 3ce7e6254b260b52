// SPDX-License-Identifier: Apache-2.0
#include "data/schema_sources.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sosia/error.h>

#include "base/json_reader.h"
#include "base/number_text.h"
#include "data/cell.h"

namespace sosia {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

Purchase read_purchase(const json& value, const std::string& where) {
  const ObjectReader reader(value, where, "a purchase",
                            {"epsilon", "delta", "selection_delta", "relation", "unit", "guarantee", "ledger_head"});
  Purchase purchase;
  Promise& promise = purchase.promise;
  promise.epsilon = reader.has("epsilon") ? reader.number("epsilon") : std::numeric_limits<double>::infinity();
  promise.delta = reader.number("delta");
  promise.selection_delta = reader.number("selection_delta");
  try {
    promise.relation = neighbors_from(reader.text("relation"));
  } catch (const Error& error) {
    reader.refuse("relation", error.problem(), error.fix());
  }
  if (reader.has("unit")) {
    const ObjectReader unit(reader.at("unit"), where + ", key \"unit\"", "a unit", {"column", "max_rows"});
    promise.unit = {unit.text("column"), unit.whole("max_rows")};
  }
  if (!reader.at("guarantee").is_boolean()) reader.refuse("guarantee", "must be true or false", "copy it as it was");
  purchase.has_guarantee = reader.at("guarantee").get<bool>();
  if (reader.has("ledger_head")) purchase.ledger_head = reader.text("ledger_head");
  return purchase;
}

std::string value_text(const Column& column, double value) {
  if (column.type == ColumnType::date) return format_date(static_cast<std::int64_t>(value));
  if (column.type == ColumnType::datetime) return format_datetime(value);
  return format_number(value, 15);
}

/// The first ones of a list, and how many there are.
template <class Item, class Text>
std::string few(const std::vector<Item>& items, const Text& text) {
  constexpr std::size_t kMost = 12;
  std::string out;
  for (std::size_t i = 0; i < items.size() && i < kMost; ++i) out += (i == 0 ? "" : ", ") + text(items[i]);
  return items.size() > kMost ? fmt::format("{}, ... ({} in all)", out, items.size()) : out;
}

std::string type_text(const Column& column) {
  std::string text = fmt::format("type {}", name_of(column.type));
  if (!column.format.empty()) text += fmt::format(", written as {}", column.format);
  if (column.stored != Stored::text) text += fmt::format(", stored as {}", name_of(column.stored));
  return text;
}

bool is_stated(const Column& column, Fact fact) {
  switch (fact) {
    case Fact::values:
      return column.values.has_value();
    case Fact::bounds:
      return column.min || column.max;
    case Fact::missing:
      return !column.missing_is_open;
    case Fact::atoms:
      return !column.atoms.empty();
    case Fact::edges:
      return !column.edges.empty();
    case Fact::pattern:
      return !column.pattern.empty();
    default:
      return true;
  }
}

bool holds(const std::vector<Fact>& facts, Fact fact) { return std::ranges::find(facts, fact) != facts.end(); }

void add_column(const Column& column, FactSources& sources) {
  for (const Fact fact : all_facts()) {
    const std::string name = fmt::format("column {}: {}", shown(column.name), name_of(fact));
    const auto bought = std::ranges::find(column.bought, fact, &BoughtFact::fact);
    if (bought != column.bought.end()) {
      sources.bought[bought->purchase].push_back(name);
    } else if (holds(column.confirmed, fact)) {
      sources.confirmed.push_back(name);
    } else if (applies(fact, column.type) && is_stated(column, fact)) {
      sources.declared.push_back(name);
    }
  }
}

}  // namespace

FactSources sources_of(const Schema& schema) {
  FactSources sources;
  sources.bought.resize(schema.purchases.size());
  for (const Column& column : schema.columns) add_column(column, sources);
  if (schema.images) {
    for (const Fact fact : {Fact::size, Fact::classes}) {
      if (fact == Fact::classes && schema.images->classes.empty()) continue;
      const bool confirmed = holds(schema.images->confirmed, fact);
      (confirmed ? sources.confirmed : sources.declared).push_back(fmt::format("images: {}", name_of(fact)));
    }
  }
  return sources;
}

std::vector<Purchase> read_purchases(const ObjectReader& schema) {
  std::vector<Purchase> purchases;
  for (const json& value : schema.array("purchases")) {
    purchases.push_back(read_purchase(value, fmt::format("{}, purchase {}", schema.where(), purchases.size() + 1)));
  }
  return purchases;
}

ordered_json purchases_json(const std::vector<Purchase>& purchases) {
  ordered_json out = ordered_json::array();
  for (const Purchase& purchase : purchases) {
    const Promise& promise = purchase.promise;
    ordered_json item;
    if (std::isfinite(promise.epsilon)) item["epsilon"] = promise.epsilon;
    item["delta"] = promise.delta;
    item["selection_delta"] = promise.selection_delta;
    item["relation"] = name_of(promise.relation);
    if (!promise.unit.column.empty()) {
      item["unit"] = {{"column", promise.unit.column}, {"max_rows", promise.unit.max_rows}};
    }
    item["guarantee"] = purchase.has_guarantee;
    if (!purchase.ledger_head.empty()) item["ledger_head"] = purchase.ledger_head;
    out.push_back(item);
  }
  return out;
}

std::string said(const Column& column, Fact fact) {
  const auto number = [&](double value) { return value_text(column, value); };
  switch (fact) {
    case Fact::type:
      return type_text(column);
    case Fact::values:
      return column.values ? "values " + few(*column.values, [](const std::string& value) { return shown(value); })
                           : "";
    case Fact::bounds:
      return fmt::format("bounds {} to {}", column.min ? number(*column.min) : "?",
                         column.max ? number(*column.max) : "?");
    case Fact::missing:
      return column.missing ? "cells may be missing" : "no cell is missing";
    case Fact::precision:
      return fmt::format("{} decimals", column.decimals);
    case Fact::atoms:
      return column.atoms.empty() ? "no atoms" : "atoms " + few(column.atoms, number);
    case Fact::edges:
      return fmt::format("{} bins", column.edges.size() + 1);
    case Fact::pattern:
      return "pattern " + shown(column.pattern);
    default:
      return "";
  }
}

}  // namespace sosia
