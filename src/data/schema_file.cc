// SPDX-License-Identifier: Apache-2.0
// The grammar of a schema file, one JSON object; that of images is in image_schema.cc:
//
//   schema  = {"sosia-schema": 1, ("relation": "add-remove" | "zero-out" | "replace", default add-remove),
//              ("unit": {"column": NAME, "max_rows": whole >= 1} | "row"), ("target": NAME), ("rows": whole >= 1),
//              ("purchases": [as in schema_sources.cc, ...]), ("likely_units": [NAME, ...]), "columns": [column, ...]}
//   column  = {"name": NAME, "type": TYPE, keys of the type, ("missing": true | false | "unknown", default false),
//              ("unreviewed": [FACT, ...]), ("rare": [text, ...]),
//              ("confirmed": [FACT, ...]), ("discovered": {FACT: number of the purchase from 1, ...})}
//   FACT    = "type" | "values" | "bounds" | "missing" | "precision" | "atoms" | "edges" | "pattern"
//   TYPE and its keys, all of them optional:
//     "boolean"      "values": [false, true as they are spelled], "outside", "stored"
//     "categorical"  "values": [text, ...], "outside", "stored"
//     "ordinal"      "values": [text, ...], the least first, "outside", "stored"
//     "integer"      "min", "max": whole, "atoms": [whole, ...], "unit": text, "outside"
//     "real"         "min", "max": number, "atoms": [number, ...], "decimals": 0 .. 15, "unit": text, "outside"
//     "date"         "min", "max": "2024-12-31", "format": strptime, "outside"
//     "datetime"     "min", "max": "2024-12-31T23:59:59", "format": strptime, "outside"
//     "identifier"   "pattern": text, "stored"
//     "text"
//     and for the four types with bounds "edges": [as "min", ...], where one bin ends and the next begins
//   "outside" = "clamp" (numbers and dates, their default), "other" (values, their default) or "refuse"
//   "stored"  = "text" (default), "integer" or "boolean": how values stand in a typed file
//
// "likely_units", "unreviewed" and "rare" make a draft of the file; a schema has none of them.
// All other keys are refused. docs/schema.json says the same to editors.
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sosia/draft.h>
#include <sosia/error.h>
#include <sosia/schema.h>

#include "base/durable_file.h"
#include "base/json_reader.h"
#include "data/cell.h"
#include "data/image_schema.h"
#include "data/schema_sources.h"

namespace sosia {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr int kVersion = 1;

/// A name out of a fixed list, by the functions of schema.h; their usage errors become schema errors of this place.
template <typename Read>
auto named(const std::string& place, const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    throw Error(ErrorKind::schema, error.problem(), error.kind() == ErrorKind::schema ? error.where() : place,
                error.fix());
  }
}

bool is_date(ColumnType type) { return type == ColumnType::date || type == ColumnType::datetime; }

std::vector<std::string> keys_of(ColumnType type) {
  std::vector<std::string> keys = {"name", "type"};
  const auto add = [&](std::initializer_list<const char*> more) { keys.insert(keys.end(), more.begin(), more.end()); };
  if (has_values(type)) add({"values", "outside", "stored"});
  if (has_bounds(type)) add({"min", "max", "edges", "outside"});
  if (type == ColumnType::integer) add({"atoms", "unit"});
  if (type == ColumnType::real) add({"atoms", "decimals", "unit"});
  if (is_date(type)) add({"format"});
  if (type == ColumnType::identifier) add({"pattern", "stored"});
  add({"missing", "unreviewed", "rare", "confirmed", "discovered"});
  return keys;
}

void read_missing(const ObjectReader& reader, Column& column) {
  const json& value = reader.at("missing");
  column.missing_is_open = value == "unknown";
  if (column.missing_is_open) return;
  if (!value.is_boolean()) reader.refuse("missing", "must be true or false", "write true or false without quotes");
  column.missing = value.get<bool>();
}

std::vector<std::string> read_texts(const ObjectReader& reader, const std::string& key) {
  std::vector<std::string> texts;
  for (const json& value : reader.array(key)) {
    if (!value.is_string()) reader.refuse(key, "must be a list of texts", "write every one in double quotes");
    texts.push_back(value.get<std::string>());
  }
  return texts;
}

double date_of(const ObjectReader& reader, ColumnType type, const std::string& key, const std::string& text) {
  if (type == ColumnType::date) {
    std::int64_t days = 0;
    if (!parse_date(text, "", days)) reader.refuse(key, "is no date", "write it as in \"2024-12-31\"");
    return static_cast<double>(days);
  }
  double seconds = 0.0;
  if (!parse_datetime(text, "", seconds)) {
    reader.refuse(key, "is no date with time", "write it as in \"2024-12-31T23:59:59\"");
  }
  return seconds;
}

double read_bound(const ObjectReader& reader, ColumnType type, const std::string& key) {
  return is_date(type) ? date_of(reader, type, key, reader.text(key)) : reader.number(key);
}

std::vector<double> read_list(const ObjectReader& reader, ColumnType type, const std::string& key) {
  if (!reader.has(key)) return {};
  std::vector<double> numbers;
  if (is_date(type)) {
    for (const std::string& text : read_texts(reader, key)) numbers.push_back(date_of(reader, type, key, text));
    return numbers;
  }
  for (const json& value : reader.array(key)) {
    if (!value.is_number()) reader.refuse(key, "must be a list of numbers", "write numbers without quotes");
    numbers.push_back(value.get<double>());
  }
  return numbers;
}

std::vector<Fact> read_facts(const ObjectReader& reader, const char* key, const std::string& place) {
  std::vector<Fact> facts;
  if (!reader.has(key)) return facts;
  for (const std::string& fact : read_texts(reader, key)) {
    facts.push_back(named(fmt::format("{}, key \"{}\"", place, key), [&] { return fact_from(fact); }));
  }
  return facts;
}

std::vector<BoughtFact> read_bought(const ObjectReader& reader, const std::string& place) {
  std::vector<BoughtFact> bought;
  if (!reader.has("discovered")) return bought;
  const json& value = reader.at("discovered");
  if (!value.is_object()) reader.refuse("discovered", "must be an object", "write {\"values\": 1}");
  for (const auto& [name, purchase] : value.items()) {
    const Fact fact = named(place + ", key \"discovered\"", [&, &fact_name = name] { return fact_from(fact_name); });
    if (!purchase.is_number_unsigned() || purchase.get<std::uint64_t>() < 1) {
      reader.refuse("discovered", "must name the number of a purchase", "write {\"values\": 1}");
    }
    bought.push_back({fact, purchase.get<std::uint64_t>() - 1});
  }
  return bought;
}

void read_numbers(const ObjectReader& reader, Column& column) {
  if (reader.has("min")) column.min = read_bound(reader, column.type, "min");
  if (reader.has("max")) column.max = read_bound(reader, column.type, "max");
  if (reader.has("decimals")) {
    const std::int64_t decimals = reader.whole("decimals");
    if (decimals < 0 || decimals > 15) reader.refuse("decimals", "is out of range", "set it to 0, 1, ... or 15");
    column.decimals = static_cast<int>(decimals);
  }
  column.atoms = read_list(reader, column.type, "atoms");
  column.edges = read_list(reader, column.type, "edges");
}

Column read_column(const json& value, const std::string& where, std::size_t index, Draft::Notes& notes) {
  const bool has_name = value.is_object() && value.contains("name") && value["name"].is_string();
  const std::string place = has_name ? fmt::format("{}, column {}", where, shown(value["name"].get<std::string>()))
                                     : fmt::format("{}, column {}", where, index + 1);
  const bool has_type = value.is_object() && value.contains("type") && value["type"].is_string();
  if (!has_type) {
    throw Error(ErrorKind::schema, "a column must be a JSON object with the keys \"name\" and \"type\", both texts",
                place, "write {\"name\": \"age\", \"type\": \"integer\", ...}");
  }
  Column column;
  column.type = named(place + ", key \"type\"", [&] { return column_type_from(value["type"].get<std::string>()); });
  const ObjectReader reader(value, place, fmt::format("a column of type {}", name_of(column.type)),
                            keys_of(column.type));
  column.name = reader.text("name");
  if (reader.has("values")) column.values = read_texts(reader, "values");
  if (column.type == ColumnType::boolean && !column.values) column.values = {"false", "true"};
  read_numbers(reader, column);
  if (reader.has("unit")) column.unit = reader.text("unit");
  if (reader.has("pattern")) column.pattern = reader.text("pattern");
  if (reader.has("format")) column.format = reader.text("format");
  if (reader.has("missing")) read_missing(reader, column);
  if (reader.has("stored")) {
    column.stored = named(place + ", key \"stored\"", [&] { return stored_from(reader.text("stored")); });
  }
  column.outside = has_values(column.type) ? Outside::other : Outside::clamp;
  if (reader.has("outside")) {
    column.outside = named(place + ", key \"outside\"", [&] { return outside_from(reader.text("outside")); });
    if (has_values(column.type) && column.outside == Outside::clamp) {
      reader.refuse("outside", "cannot be clamp: values have no nearest one", "choose other or refuse");
    }
  }
  column.confirmed = read_facts(reader, "confirmed", place);
  column.bought = read_bought(reader, place);
  if (reader.has("unreviewed")) notes.unreviewed[column.name] = read_facts(reader, "unreviewed", place);
  if (reader.has("rare")) notes.rare[column.name] = read_texts(reader, "rare");
  return column;
}

std::vector<std::string> table_keys() {
  return {"sosia-schema", "relation", "unit", "target", "rows", "purchases", "likely_units", "columns"};
}

void read_table(const ObjectReader& reader, const std::string& where, Schema& schema, Draft::Notes& notes) {
  if (reader.has("likely_units")) notes.likely_units = read_texts(reader, "likely_units");
  if (reader.has("unit")) notes.likely_units.clear();  // it was said
  if (reader.has("unit") && reader.at("unit") != "row") {
    const ObjectReader unit(reader.at("unit"), where + ", key \"unit\"", "a unit", {"column", "max_rows"});
    schema.unit = {unit.text("column"), unit.whole("max_rows")};
    if (schema.unit.column.empty()) unit.refuse("column", "is empty", "name the column that tells units apart");
  }
  if (reader.has("target")) schema.target = reader.text("target");
  for (const json& value : reader.array("columns")) {
    schema.columns.push_back(read_column(value, where, schema.columns.size(), notes));
  }
}

/// Whole numbers without ".0", as people write them.
ordered_json number_json(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15) return static_cast<std::int64_t>(value);
  return value;
}

ordered_json bound_json(const Column& column, double bound) {
  if (column.type == ColumnType::date) return format_date(static_cast<std::int64_t>(bound));
  if (column.type == ColumnType::datetime) return format_datetime(bound);
  return number_json(bound);
}

ordered_json column_json(const Column& column, const Draft& draft) {
  ordered_json out = {{"name", column.name}, {"type", name_of(column.type)}};
  if (column.values) out["values"] = *column.values;
  if (column.min) out["min"] = bound_json(column, *column.min);
  if (column.max) out["max"] = bound_json(column, *column.max);
  for (const double atom : column.atoms) out["atoms"].push_back(number_json(atom));
  for (const double edge : column.edges) out["edges"].push_back(bound_json(column, edge));
  if (column.type == ColumnType::real) out["decimals"] = column.decimals;
  if (!column.unit.empty()) out["unit"] = column.unit;
  if (!column.pattern.empty()) out["pattern"] = column.pattern;
  if (!column.format.empty()) out["format"] = column.format;
  if (column.stored != Stored::text) out["stored"] = name_of(column.stored);
  out["missing"] = column.missing_is_open ? ordered_json("unknown") : ordered_json(column.missing);
  if (has_bounds(column.type)) out["outside"] = name_of(column.outside);
  if (has_values(column.type)) out["outside"] = column.outside == Outside::refuse ? "refuse" : "other";
  for (const Fact fact : draft.unreviewed_of(column.name)) out["unreviewed"].push_back(name_of(fact));
  const auto rare = draft.notes().rare.find(column.name);
  if (rare != draft.notes().rare.end()) out["rare"] = rare->second;
  for (const Fact fact : column.confirmed) out["confirmed"].push_back(name_of(fact));
  for (const BoughtFact& bought : column.bought) out["discovered"][name_of(bought.fact)] = bought.purchase + 1;
  return out;
}

/// On one line, with the spaces that people put in.
std::string on_one_line(const ordered_json& value) {
  if (!value.is_structured()) return value.dump();
  std::string out;
  for (const auto& item : value.items()) {
    if (!out.empty()) out += ", ";
    if (value.is_object()) out += ordered_json(item.key()).dump() + ": ";
    out += on_one_line(item.value());
  }
  return value.is_object() ? "{" + out + "}" : "[" + out + "]";
}

}  // namespace

Draft parse_draft(std::string_view text, const std::string& where) {
  const json document = parse_json(text, where);
  const bool is_images = document.is_object() && document.contains(kImagesKey);
  const std::string version = is_images ? kImagesKey : "sosia-schema";
  const ObjectReader reader(document, where, is_images ? "a schema of images" : "a schema",
                            is_images ? image_keys() : table_keys());
  if (reader.whole(version) != kVersion) {
    reader.refuse(version, "is of a version that this program does not know", "write 1, or update sosia");
  }
  Schema schema;
  Draft::Notes notes;
  if (reader.has("relation")) {
    const std::string name = reader.text("relation");
    schema.relation = named(where + ", key \"relation\"", [&] { return neighbors_from(name); });
  }
  if (reader.has("rows")) schema.rows = reader.whole("rows");
  if (reader.has("purchases")) schema.purchases = read_purchases(reader);
  if (is_images) {
    schema.images = read_images(reader);
    schema.images->confirmed = read_facts(reader, "confirmed", where);
    if (reader.has("unreviewed")) notes.unreviewed[""] = read_facts(reader, "unreviewed", where);
  } else {
    read_table(reader, where, schema, notes);
  }
  return Draft(std::move(schema), std::move(notes), where);
}

Draft read_draft(const std::filesystem::path& path) { return parse_draft(read_text_file(path), path.string()); }
Schema parse_schema(std::string_view json, const std::string& where) { return parse_draft(json, where).reviewed(); }
Schema read_schema(const std::filesystem::path& path) { return parse_schema(read_text_file(path), path.string()); }

void write_schema(const Schema& schema, const std::filesystem::path& path) {
  create_durable_file(path, to_json(schema));
}

void write_draft(const Draft& draft, const std::filesystem::path& path, bool replace) {
  const std::string text = to_json(draft);
  if (replace && std::filesystem::exists(path)) {
    FileLock(path, 0.0).replace(text);
  } else {
    create_durable_file(path, text);
  }
}

std::string to_json(const Schema& schema) { return to_json(Draft(schema)); }

std::string to_json(const Draft& draft) {
  const Schema& schema = draft.private_facts();
  if (schema.images) return images_json(draft, kVersion);
  std::string out =
      fmt::format("{{\"sosia-schema\": {},\n \"relation\": \"{}\",\n", kVersion, name_of(schema.relation));
  const auto add = [&](const char* key, const ordered_json& value) {
    out += fmt::format(" \"{}\": {},\n", key, on_one_line(value));
  };
  if (!schema.unit.column.empty()) {
    add("unit", {{"column", schema.unit.column}, {"max_rows", schema.unit.max_rows}});
  }
  if (!schema.target.empty()) add("target", schema.target);
  if (schema.rows) add("rows", *schema.rows);
  if (!schema.purchases.empty()) add("purchases", purchases_json(schema.purchases));
  if (!draft.notes().likely_units.empty()) add("likely_units", draft.notes().likely_units);
  out += " \"columns\": [";
  for (std::size_t i = 0; i < schema.columns.size(); ++i) {
    out += (i == 0 ? "\n  " : ",\n  ") + on_one_line(column_json(schema.columns[i], draft));
  }
  return out + "\n]}\n";
}

}  // namespace sosia
