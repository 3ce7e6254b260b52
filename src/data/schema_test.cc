// SPDX-License-Identifier: Apache-2.0
#include <sosia/schema.h>

#include <cmath>
#include <limits>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sosia/draft.h>
#include <sosia/error.h>

#include "data/cell.h"

namespace sosia {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string schema_of(const std::string& columns, const std::string& more = "") {
  return R"({"sosia-schema": 1, )" + more + R"("columns": [)" + columns + "]}";
}

/// The message of the schema error for this text, or "accepted".
std::string refusal(const std::string& text) {
  try {
    parse_schema(text, "s.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::schema) << error.what();
    return error.what();
  }
  return "accepted";
}

std::string column_refusal(const std::string& keys) { return refusal(schema_of(R"({"name": "x", )" + keys + "}")); }

constexpr char kFull[] = R"({"sosia-schema": 1,
 "relation": "replace",
 "unit": {"column": "patient", "max_rows": 3},
 "target": "readmitted",
 "rows": 20000,
 "columns": [
  {"name": "patient", "type": "identifier", "pattern": "P######", "missing": false},
  {"name": "age", "type": "integer", "min": 0, "max": 110, "unit": "years", "missing": true, "outside": "clamp", "unreviewed": ["bounds"]},
  {"name": "cost", "type": "real", "min": 0, "max": 100000.5, "atoms": [0, 0.1], "decimals": 2, "missing": false, "outside": "refuse"},
  {"name": "readmitted", "type": "boolean", "values": ["no", "yes"], "missing": false, "outside": "other"},
  {"name": "grade", "type": "ordinal", "values": ["low", "high"], "missing": false, "outside": "refuse", "unreviewed": ["type", "values", "missing"]},
  {"name": "admitted", "type": "date", "min": "2020-01-01", "max": "2024-12-31", "format": "%d/%m/%Y", "missing": false, "outside": "clamp"},
  {"name": "seen", "type": "datetime", "min": "1999-12-31T23:59:59", "missing": false, "outside": "clamp"},
  {"name": "code", "type": "categorical", "missing": false, "outside": "other"},
  {"name": "note", "type": "text", "missing": true}
]}
)";

TEST(Schema, ReadsAndWritesEverything) {
  const Draft draft = parse_draft(kFull, "s.json");
  EXPECT_EQ(to_json(draft), kFull);
  const Schema& schema = draft.private_facts();
  EXPECT_EQ(schema.relation, Neighbors::replace);
  EXPECT_EQ(schema.unit.column, "patient");
  EXPECT_EQ(schema.unit.max_rows, 3);
  EXPECT_EQ(schema.rows, 20000);
  const Column& age = *schema.find("age");
  EXPECT_EQ(age.max, 110.0);
  EXPECT_TRUE(age.missing);
  EXPECT_THAT(draft.unreviewed_of("age"), ElementsAre(Fact::bounds));
  EXPECT_THAT(schema.find("cost")->atoms, ElementsAre(0.0, 0.1));
  EXPECT_EQ(schema.find("admitted")->min, 18262.0);
  EXPECT_EQ(schema.find("seen")->min, 946684799.0);
  EXPECT_FALSE(schema.find("seen")->max.has_value());
  EXPECT_FALSE(schema.find("code")->values.has_value());
  EXPECT_EQ(schema.find("none"), nullptr);
}

TEST(Schema, HasDefaults) {
  const Schema schema = parse_schema(schema_of(R"({"name":"a","type":"boolean"},{"name":"b","type":"real"})"), "s");
  EXPECT_EQ(schema.relation, Neighbors::add_remove);
  EXPECT_THAT(*schema.columns[0].values, ElementsAre("false", "true"));
  EXPECT_EQ(schema.columns[0].outside, Outside::other);
  EXPECT_EQ(schema.columns[1].outside, Outside::clamp);
  EXPECT_EQ(schema.columns[1].decimals, 6);
}

TEST(Schema, ADraftIsNoSchema) {
  EXPECT_THAT(refusal(kFull), HasSubstr("that nobody has reviewed\nwhere: column \"age\": bounds and 3 others"));
  EXPECT_EQ(refusal(schema_of(R"({"name": "a", "type": "real"})")), "accepted");
}

TEST(Schema, RefusesWrongColumns) {
  EXPECT_THAT(column_refusal(R"("type": "integr")"),
              HasSubstr("there is no column type \"integr\"\nwhere: s.json, column \"x\", key \"type\"\nfix:   choose "
                        "one of: boolean"));
  EXPECT_THAT(column_refusal(R"("type": "integer", "vals": 1)"),
              HasSubstr("unknown key \"vals\" in a column of type integer\nwhere: s.json, column \"x\""));
  EXPECT_THAT(column_refusal(R"("type": "integer", "values": ["a"])"), HasSubstr("unknown key \"values\""));
  EXPECT_THAT(column_refusal(R"("type": "integer", "min": "0")"), HasSubstr("key \"min\""));
  EXPECT_THAT(column_refusal(R"("type": "integer", "min": 0.5)"), HasSubstr("whole numbers only"));
  EXPECT_THAT(column_refusal(R"("type": "integer", "min": 1e17)"), HasSubstr("beyond"));
  EXPECT_THAT(column_refusal(R"("type": "real", "min": 2, "max": 1)"),
              HasSubstr("min is above max\nwhere: s.json, column \"x\", key \"min\""));
  EXPECT_THAT(column_refusal(R"("type": "real", "decimals": 16)"), HasSubstr("decimals"));
  EXPECT_THAT(column_refusal(R"("type": "real", "min": 0, "atoms": [-1])"), HasSubstr("outside the bounds"));
  EXPECT_THAT(column_refusal(R"("type": "real", "atoms": [1, 1])"), HasSubstr("rising order"));
  EXPECT_THAT(column_refusal(R"("type": "real", "outside": "other")"), HasSubstr("choose clamp or refuse"));
  EXPECT_THAT(column_refusal(R"("type": "categorical", "outside": "clamp")"), HasSubstr("choose other or refuse"));
  EXPECT_THAT(column_refusal(R"("type": "categorical", "values": [])"), HasSubstr("the list of values is empty"));
  EXPECT_THAT(column_refusal(R"("type": "categorical", "values": [""])"), HasSubstr("one of the values is empty"));
  EXPECT_THAT(column_refusal(R"("type": "categorical", "values": ["a", "a"])"), HasSubstr("\"a\" is listed twice"));
  EXPECT_THAT(column_refusal(R"("type": "categorical", "values": [1])"), HasSubstr("list of texts"));
  EXPECT_THAT(column_refusal(R"("type": "categorical", "values": ["\u001b[2J"])"), HasSubstr("control characters"));
  EXPECT_THAT(column_refusal(R"("type": "boolean", "values": ["a"])"), HasSubstr("two values, not 1"));
  EXPECT_THAT(column_refusal(R"("type": "date", "min": "2020-02-30")"), HasSubstr("is no date"));
  EXPECT_THAT(column_refusal(R"("type": "date", "format": "%q")"), HasSubstr("cannot be read in this format"));
  EXPECT_THAT(column_refusal(R"("type": "datetime", "min": "2020-01-01T00:00:00.5")"), HasSubstr("whole"));
  EXPECT_THAT(column_refusal(R"("type": "text", "missing": 1)"), HasSubstr("must be true or false"));
  EXPECT_THAT(column_refusal(R"("type": "text", "unreviewed": ["bounds"])"), HasSubstr("type text has no bounds"));
  EXPECT_THAT(column_refusal(R"("type": "text", "unreviewed": ["name"])"), HasSubstr("there is no fact \"name\""));
  EXPECT_THAT(column_refusal(R"("type": "text", "unreviewed": ["type", "type"])"), HasSubstr("listed twice"));
  EXPECT_THAT(column_refusal(R"("type": "text", "discovered": {"missing": 1})"), HasSubstr("purchase"));
  EXPECT_THAT(column_refusal(R"("type": "text", "discovered": {"missing": 0})"), HasSubstr("number of a purchase"));
  EXPECT_THAT(column_refusal(R"("type": "text", "confirmed": ["bounds"])"), HasSubstr("has no bounds"));
  EXPECT_THAT(column_refusal(R"("type": "real", "stored": "integer")"), HasSubstr("unknown key \"stored\""));
  EXPECT_THAT(column_refusal(R"("type": "categorical", "stored": "double")"),
              HasSubstr("choose one of: text, integer, boolean"));
}

TEST(Schema, NoPurchaseIsAGuaranteeWithoutAnEpsilon) {
  Schema schema{.columns = {{.name = "a", .type = ColumnType::real, .min = 0.0, .max = 1.0}}};
  schema.purchases = {{.promise = {.epsilon = std::numeric_limits<double>::infinity(), .delta = 1e-6}}};
  EXPECT_THROW(validate(schema), Error);
  schema.purchases[0].has_guarantee = false;
  EXPECT_NO_THROW(validate(schema));
}

TEST(Schema, RefusesWrongTables) {
  const std::string two = R"({"name": "a", "type": "identifier"}, {"name": "b", "type": "real"})";
  EXPECT_EQ(refusal(schema_of(two)), "accepted");
  EXPECT_THAT(refusal(R"({"columns": []})"), HasSubstr("\"sosia-schema\" is missing"));
  EXPECT_THAT(refusal(R"({"sosia-schema": 2, "columns": []})"), HasSubstr("version"));
  EXPECT_THAT(refusal(schema_of("")), HasSubstr("no columns"));
  EXPECT_THAT(refusal(schema_of("7")), HasSubstr("s.json, column 1"));
  EXPECT_THAT(refusal(schema_of(two + "," + two)), HasSubstr("two columns have the same name"));
  EXPECT_THAT(refusal(schema_of(R"({"name": "", "type": "text"})")), HasSubstr("a column has no name"));
  EXPECT_THAT(refusal(schema_of(two, R"("target": "c", )")),
              HasSubstr("there is no column \"c\"\nwhere: s.json, key \"target\""));
  EXPECT_THAT(refusal(schema_of(two, R"("target": "a", )")), HasSubstr("cannot be a target"));
  EXPECT_THAT(refusal(schema_of(two, R"("unit": {"column": "c", "max_rows": 1}, )")), HasSubstr("there is no column"));
  EXPECT_THAT(refusal(schema_of(two, R"("unit": {"column": "b", "max_rows": 1}, )")),
              HasSubstr("not of type identifier"));
  EXPECT_THAT(refusal(schema_of(two, R"("unit": {"column": "a", "max_rows": 0}, )")), HasSubstr("max_rows"));
  EXPECT_THAT(refusal(schema_of(two, R"("unit": {"column": "a"}, )")), HasSubstr("\"max_rows\" is missing"));
  EXPECT_THAT(refusal(schema_of(two, R"("rows": 10, )")), HasSubstr("the number of rows is private"));
  EXPECT_THAT(refusal(schema_of(two, R"("relation": "swap", )")), HasSubstr("s.json, key \"relation\""));
  EXPECT_THAT(refusal(schema_of(two, R"("sosia": 1, )")), HasSubstr("valid keys: sosia-schema"));
}

TEST(Schema, TakesTenThousandColumnsInStride) {
  std::string columns;
  for (int i = 0; i < 10000; ++i) {
    columns += fmt::format(R"({}{{"name": "c{}", "type": "real"}})", i == 0 ? "" : ",", i);
  }
  const Schema schema = parse_schema(schema_of(columns, R"("target": "c9999", )"), "s");
  EXPECT_EQ(schema.columns.size(), 10000U);
  EXPECT_EQ(to_json(parse_schema(to_json(schema), "s")), to_json(schema));
  EXPECT_THAT(refusal(schema_of(columns + R"(, {"name": "c77", "type": "real"})")), HasSubstr("column \"c77\""));
}

/// Any schema that validates.
Schema random_schema(std::mt19937_64& random) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  Schema schema;
  const int columns = 1 + below(8);
  for (int i = 0; i < columns; ++i) {
    Column column;
    column.name = fmt::format("età \"{}\" \\", i);
    column.type = static_cast<ColumnType>(below(9));
    column.missing = below(2) == 0;
    column.outside = has_values(column.type) ? Outside::other : Outside::clamp;
    if ((has_values(column.type) || has_bounds(column.type)) && below(2) == 0) column.outside = Outside::refuse;
    if (column.type == ColumnType::boolean || (has_values(column.type) && below(2) == 0)) column.values = {"b", "a ö"};
    if (column.type == ColumnType::real) {
      column.min = -std::ldexp(static_cast<double>(random()), below(1000) - 564);
      column.max = std::ldexp(static_cast<double>(random()), below(1000) - 564);
      column.atoms = {*column.min * 0.3, 0.0};
      column.decimals = below(16);
    }
    if (column.type == ColumnType::integer) column.max = static_cast<double>(random() >> (11 + below(50)));
    if (column.type == ColumnType::date) column.min = static_cast<double>(below(1000000)) + kFirstDay;
    if (column.type == ColumnType::datetime) column.max = static_cast<double>(kLastSecond - (random() >> 28));
    column.missing_is_open = !column.missing && below(2) == 0;
    if (below(2) == 0) column.confirmed = {Fact::type};
    if (below(2) == 0) column.bought = {{Fact::missing, static_cast<std::size_t>(below(2))}};
    if (column.type == ColumnType::identifier && below(2) == 0) column.stored = Stored::integer;
    schema.columns.push_back(column);
  }
  Purchase purchase;
  purchase.promise = {.epsilon = 0.1 + below(9), .delta = 1e-7};
  purchase.promise.unit = {"p", 3};
  schema.purchases.push_back(purchase);
  purchase.has_guarantee = false;
  purchase.ledger_head = "3:ab";
  schema.purchases.push_back(purchase);
  return schema;
}

TEST(Schema, EverySchemaComesBack) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 3000; ++round) {
    const Schema schema = random_schema(random);
    const Schema back = parse_schema(to_json(schema), "back");
    ASSERT_EQ(to_json(back), to_json(schema));
    ASSERT_EQ(back.columns.size(), schema.columns.size());
    for (std::size_t i = 0; i < schema.columns.size(); ++i) {
      const Column &a = schema.columns[i], &b = back.columns[i];
      ASSERT_TRUE(a.name == b.name && a.type == b.type && a.values == b.values && a.min == b.min && a.max == b.max);
      ASSERT_TRUE(a.atoms == b.atoms && a.missing == b.missing && a.outside == b.outside);
      ASSERT_TRUE(a.confirmed == b.confirmed && a.bought == b.bought && a.missing_is_open == b.missing_is_open);
      ASSERT_TRUE(a.stored == b.stored && (a.type != ColumnType::real || a.decimals == b.decimals));
    }
    ASSERT_EQ(back.purchases, schema.purchases);
  }
}

}  // namespace
}  // namespace sosia
