// SPDX-License-Identifier: Apache-2.0
#include <sosia/schema.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>
#include <unordered_set>

#include <fmt/format.h>

#include <sosia/error.h>

#include "base/json_reader.h"
#include "data/cell.h"
#include "data/image_schema.h"

namespace sosia {

namespace {

constexpr const char* kTypes[] = {"boolean", "categorical", "ordinal",    "integer", "real",
                                  "date",    "datetime",    "identifier", "text"};
constexpr const char* kOutsides[] = {"clamp", "other", "refuse"};
constexpr const char* kStored[] = {"text", "integer", "boolean"};
constexpr const char* kFacts[] = {"type",  "values", "bounds",  "missing", "precision",
                                  "atoms", "edges",  "pattern", "size",    "classes"};

template <typename Enum, std::size_t n>
Enum from_name(const char* const (&names)[n], std::string_view name, const char* noun, const char* where) {
  for (std::size_t i = 0; i < n; ++i) {
    if (name == names[i]) return static_cast<Enum>(i);
  }
  throw Error(ErrorKind::usage, fmt::format("there is no {} {}", noun, shown(name)), where,
              fmt::format("choose one of: {}", listed({names, names + n})));
}

/// Throws about one column.
class Complaint {
 public:
  Complaint(const std::string& where, const Column& column)
      : place_(fmt::format("{}column {}", where.empty() ? "" : where + ", ", shown(column.name))) {}

  [[noreturn]] void operator()(const char* key, const std::string& problem, const std::string& fix) const {
    throw Error(ErrorKind::schema, problem, fmt::format("{}, key \"{}\"", place_, key), fix);
  }
  void text(const char* key, std::string_view text) const {
    check_text(text, fmt::format("{}, key \"{}\"", place_, key), true);
  }

 private:
  std::string place_;
};

void check_values(const Column& column, const Complaint& refuse) {
  if (!column.values) return;
  const std::vector<std::string>& values = *column.values;
  if (!has_values(column.type)) {
    refuse("values", fmt::format("type {} has no values", name_of(column.type)), "remove \"values\"");
  }
  if (values.empty()) refuse("values", "the list of values is empty", "list the values, or leave the key out");
  std::unordered_set<std::string_view> seen;
  for (const std::string& value : values) {
    refuse.text("values", value);
    if (value.empty()) refuse("values", "one of the values is empty", "set \"missing\" to true if that is meant");
    if (!seen.insert(value).second) refuse("values", fmt::format("{} is listed twice", shown(value)), "keep one");
  }
  if (column.type == ColumnType::boolean && values.size() != 2) {
    refuse("values", fmt::format("a boolean has two values, not {}", values.size()),
           "list how false and true are spelled, in this order");
  }
}

/// Least and greatest number that a column of this type can hold.
std::pair<double, double> range_of(ColumnType type) {
  if (type == ColumnType::date) return {static_cast<double>(kFirstDay), static_cast<double>(kLastDay)};
  if (type == ColumnType::datetime) return {static_cast<double>(kFirstSecond), static_cast<double>(kLastSecond)};
  if (type == ColumnType::integer) return {-kMaxWhole, kMaxWhole};
  return {std::numeric_limits<double>::lowest(), std::numeric_limits<double>::max()};
}

void check_number(const Column& column, const char* key, double value, const Complaint& refuse) {
  const auto [least, greatest] = range_of(column.type);
  if (!(value >= least && value <= greatest)) {
    refuse(key, fmt::format("a number is beyond what type {} can hold", name_of(column.type)), "correct the number");
  }
  if (column.type != ColumnType::real && value != std::floor(value)) {
    refuse(key, fmt::format("type {} takes whole numbers only", name_of(column.type)),
           column.type == ColumnType::integer ? "round it, or make the column real" : "use whole days or seconds");
  }
}

void check_bounds(const Column& column, const Complaint& refuse) {
  for (const auto& [key, bound] : {std::pair{"min", column.min}, std::pair{"max", column.max}}) {
    if (!bound) continue;
    if (!has_bounds(column.type)) {
      refuse(key, fmt::format("type {} has no bounds", name_of(column.type)), fmt::format("remove \"{}\"", key));
    }
    check_number(column, key, *bound, refuse);
  }
  if (column.min && column.max && *column.min > *column.max) {
    refuse("min", "min is above max", "exchange the two, or correct them");
  }
}

void check_atoms(const Column& column, const Complaint& refuse) {
  if (column.atoms.empty()) return;
  if (column.type != ColumnType::integer && column.type != ColumnType::real) {
    refuse("atoms", fmt::format("type {} has no atoms", name_of(column.type)), "remove \"atoms\"");
  }
  for (std::size_t i = 0; i < column.atoms.size(); ++i) {
    check_number(column, "atoms", column.atoms[i], refuse);
    if ((column.min && column.atoms[i] < *column.min) || (column.max && column.atoms[i] > *column.max)) {
      refuse("atoms", "an atom lies outside the bounds", "remove it, or widen the bounds");
    }
    if (i > 0 && !(column.atoms[i - 1] < column.atoms[i])) {
      refuse("atoms", "the atoms are not in rising order, each once", "sort them and remove doubles");
    }
  }
}

void check_edges(const Column& column, const Complaint& refuse) {
  if (column.edges.empty()) return;
  if (!has_bounds(column.type))
    refuse("edges", fmt::format("type {} has no bins", name_of(column.type)), "remove them");
  if (!column.min || !column.max) refuse("edges", "there are bins without bounds", "declare \"min\" and \"max\"");
  for (std::size_t i = 0; i < column.edges.size(); ++i) {
    const double edge = column.edges[i];
    if (!(edge > *column.min && edge <= *column.max)) {
      refuse("edges", "an edge does not lie between the bounds", "remove it, or widen the bounds");
    }
    if (i > 0 && !(column.edges[i - 1] < edge)) {
      refuse("edges", "the edges are not in rising order, each once", "sort them and remove doubles");
    }
  }
}

void check_sources(const Schema& schema, const Column& column, const Complaint& refuse) {
  std::set<Fact> seen;
  const auto check = [&](const char* key, Fact fact) {
    if (!applies(fact, column.type)) {
      refuse(key, fmt::format("type {} has no {}", name_of(column.type), name_of(fact)), "remove it");
    }
    if (!seen.insert(fact).second) refuse(key, fmt::format("{} has two sources", name_of(fact)), "keep one");
  };
  for (const Fact fact : column.confirmed) check("confirmed", fact);
  for (const BoughtFact& bought : column.bought) {
    check("discovered", bought.fact);
    if (bought.purchase < schema.purchases.size()) continue;
    refuse("discovered", "names a purchase that is not in the list", "number \"purchases\" from 1");
  }
}

void check_rest(const Column& column, const Complaint& refuse) {
  const bool date = column.type == ColumnType::date, datetime = column.type == ColumnType::datetime;
  if (!column.format.empty() && !((date || datetime) && is_known_format(column.format, datetime))) {
    refuse("format", fmt::format("type {} cannot be read in this format", name_of(column.type)),
           "for dates use %Y or %y, %m or %b, and %d, for datetimes also %H, %M and %S, each once");
  }
  if (column.decimals < 0 || column.decimals > 15) refuse("decimals", "out of range", "set it to 0, 1, ... or 15");
  if (!column.pattern.empty() && column.type != ColumnType::identifier) {
    refuse("pattern", fmt::format("type {} has no pattern", name_of(column.type)), "remove \"pattern\"");
  }
  if (column.stored != Stored::text && (has_bounds(column.type) || column.type == ColumnType::text)) {
    refuse("stored", fmt::format("type {} is stored in one way only", name_of(column.type)), "remove \"stored\"");
  }
  if (column.outside == Outside::other && has_bounds(column.type)) {
    refuse("outside", fmt::format("type {} has no value \"other\"", name_of(column.type)), "choose clamp or refuse");
  }
  refuse.text("unit", column.unit);
  refuse.text("pattern", column.pattern);
  refuse.text("format", column.format);
}

void check_roles(const Schema& schema, const std::string& where) {
  const std::string front = where.empty() ? "the schema" : where;
  const auto refuse = [&](const char* key, const std::string& problem, const std::string& fix) {
    throw Error(ErrorKind::schema, problem, fmt::format("{}, key \"{}\"", front, key), fix);
  };
  const auto find = [&](const char* key, const std::string& name) {
    const Column* column = schema.find(name);
    if (column == nullptr) refuse(key, fmt::format("there is no column {}", shown(name)), "name one of \"columns\"");
    return column;
  };
  if (!schema.target.empty()) {
    const ColumnType type = find("target", schema.target)->type;
    if (!has_values(type) && !has_bounds(type)) {
      refuse("target",
             fmt::format("column {} is of type {} and cannot be a target", shown(schema.target), name_of(type)),
             "choose a column with values or bounds");
    }
  }
  if (!schema.unit.column.empty() && find("unit", schema.unit.column)->type != ColumnType::identifier) {
    refuse("unit", fmt::format("column {} is not of type identifier", shown(schema.unit.column)),
           "what tells units apart is never learned from: make it an identifier");
  }
  if (schema.unit.max_rows < 1) refuse("unit", "\"max_rows\" must be 1 or above", "say how many rows a unit may have");
  if (schema.unit.column.empty() && schema.unit.max_rows != 1) {
    refuse("unit", "\"max_rows\" needs a column", "name the column that tells units apart");
  }
}

void check_purchases(const Schema& schema, const std::string& where) {
  for (const Purchase& purchase : schema.purchases) {
    const Promise& promise = purchase.promise;
    const bool is_kept = std::isfinite(promise.epsilon) || !purchase.has_guarantee;
    if (is_kept && promise.epsilon > 0.0 && promise.delta >= 0.0 && promise.delta <= 1.0 && promise.unit.max_rows >= 1)
      continue;
    throw Error(ErrorKind::schema, "a purchase has numbers that mean nothing",
                (where.empty() ? "the schema" : where) + ", key \"purchases\"", "copy the schema as it was made");
  }
}

void check_rows(const Schema& schema, const std::string& where) {
  if (!schema.rows) return;
  const auto refuse = [&](const char* problem, const char* fix) {
    throw Error(ErrorKind::schema, problem, (where.empty() ? "the schema" : where) + ", key \"rows\"", fix);
  };
  if (*schema.rows < 1) refuse("must be 1 or above", "correct the number, or leave the key out");
  if (schema.relation == Neighbors::add_remove) {
    refuse("under add-remove the number of rows is private",
           "remove \"rows\", or set \"relation\" to zero-out or replace");
  }
}

}  // namespace

const char* name_of(ColumnType type) noexcept { return kTypes[static_cast<int>(type)]; }
const char* name_of(Outside outside) noexcept { return kOutsides[static_cast<int>(outside)]; }
const char* name_of(Fact fact) noexcept { return kFacts[static_cast<int>(fact)]; }
const char* name_of(Stored stored) noexcept { return kStored[static_cast<int>(stored)]; }

ColumnType column_type_from(std::string_view name) {
  return from_name<ColumnType>(kTypes, name, "column type", "type");
}
Outside outside_from(std::string_view name) {
  return from_name<Outside>(kOutsides, name, "rule for values outside", "outside");
}
Fact fact_from(std::string_view name) { return from_name<Fact>(kFacts, name, "fact", "facts of a schema"); }
Stored stored_from(std::string_view name) { return from_name<Stored>(kStored, name, "way to store", "stored"); }

bool has_values(ColumnType type) noexcept {
  return type == ColumnType::boolean || type == ColumnType::categorical || type == ColumnType::ordinal;
}

bool has_bounds(ColumnType type) noexcept {
  return type == ColumnType::integer || type == ColumnType::real || type == ColumnType::date ||
         type == ColumnType::datetime;
}

const Column* Schema::find(std::string_view name) const {
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.name == name; });
  return found == columns.end() ? nullptr : &*found;
}

std::vector<std::string> Schema::open() const {
  std::vector<std::string> open;
  for (const Column& column : columns) {
    const auto add = [&](Fact fact) {
      open.push_back(fmt::format("column {}: {}", shown(column.name), name_of(fact)));
    };
    if (has_values(column.type) && !column.values) add(Fact::values);
    if (has_bounds(column.type) && !(column.min && column.max)) add(Fact::bounds);
    if (column.missing_is_open) add(Fact::missing);
  }
  return open;
}

bool applies(Fact fact, ColumnType type) noexcept {
  switch (fact) {
    case Fact::type:
    case Fact::missing:
      return true;
    case Fact::values:
      return has_values(type);
    case Fact::bounds:
    case Fact::edges:
      return has_bounds(type);
    case Fact::precision:
      return type == ColumnType::real;
    case Fact::atoms:
      return type == ColumnType::integer || type == ColumnType::real;
    case Fact::pattern:
      return type == ColumnType::identifier;
    case Fact::size:
    case Fact::classes:
      return false;
  }
  return false;
}

bool is_bought(const Column& column, Fact fact) noexcept {
  return std::ranges::any_of(column.bought, [fact](const BoughtFact& bought) { return bought.fact == fact; });
}

std::span<const Fact> all_facts() noexcept {
  static constexpr std::array<Fact, std::size(kFacts)> kAll = {
      Fact::type,  Fact::values, Fact::bounds,  Fact::missing, Fact::precision,
      Fact::atoms, Fact::edges,  Fact::pattern, Fact::size,    Fact::classes};
  return kAll;
}

void validate(const Schema& schema, const std::string& where) {
  if (schema.images) {
    validate_images(schema, where);
    check_rows(schema, where);
    check_purchases(schema, where);
    return;
  }
  if (schema.columns.empty()) {
    throw Error(ErrorKind::schema, "the schema has no columns", where.empty() ? "key \"columns\"" : where,
                "list at least one column");
  }
  std::unordered_set<std::string_view> names;
  for (const Column& column : schema.columns) {
    const Complaint refuse(where, column);
    refuse.text("name", column.name);
    if (column.name.empty()) refuse("name", "a column has no name", "name it as the file does");
    if (!names.insert(column.name).second) refuse("name", "two columns have the same name", "rename or remove one");
    check_values(column, refuse);
    check_bounds(column, refuse);
    check_atoms(column, refuse);
    check_edges(column, refuse);
    check_rest(column, refuse);
    check_sources(schema, column, refuse);
  }
  check_roles(schema, where);
  check_rows(schema, where);
  check_purchases(schema, where);
}

}  // namespace sosia
