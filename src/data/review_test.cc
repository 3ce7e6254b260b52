// SPDX-License-Identifier: Apache-2.0
// From a draft to a schema: what nobody has reviewed is absent there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sosia/draft.h>
#include <sosia/error.h>

namespace sosia {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Two columns of which everything was read off rows.
Draft drafted() {
  Schema facts;
  facts.columns = {{.name = "age", .type = ColumnType::integer, .min = 3, .max = 97, .atoms = {18}, .missing = true},
                   {.name = "town", .values = {{"Lodi", "Turin"}}, .outside = Outside::other}};
  return Draft(facts, {.unreviewed = {{"age", {Fact::type, Fact::bounds, Fact::missing, Fact::atoms}},
                                      {"town", {Fact::type, Fact::values, Fact::missing}}},
                       .rare = {{"town", {"Lodi"}}}});
}

std::string refusal(const Draft& draft) {
  try {
    draft.schema();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::schema);
    return error.what();
  }
  return "accepted";
}

TEST(Review, WhatNobodyReviewedIsAbsent) {
  Draft draft = drafted();
  const Fact type[] = {Fact::type};
  EXPECT_THAT(draft.confirm(type), ElementsAre("column \"age\": type integer", "column \"town\": type categorical"));
  const Schema schema = draft.schema();
  const Column &age = schema.columns[0], &town = schema.columns[1];
  EXPECT_FALSE(age.min || age.max || age.missing || town.values);
  EXPECT_TRUE(age.missing_is_open && town.missing_is_open);
  EXPECT_THAT(age.atoms, IsEmpty());
  EXPECT_THAT(age.confirmed, ElementsAre(Fact::type));
  EXPECT_THAT(schema.open(), ElementsAre("column \"age\": bounds", "column \"age\": missing", "column \"town\": values",
                                         "column \"town\": missing"));
  EXPECT_THROW(draft.reviewed(), Error);
}

TEST(Review, ConfirmingSaysWhatIsConfirmedAndWhatMayPointToSomebody) {
  Draft draft = drafted();
  const Fact bounds[] = {Fact::bounds};
  EXPECT_THAT(draft.risks(bounds), IsEmpty());
  EXPECT_THAT(draft.risks(all_facts()), ElementsAre("column \"town\": \"Lodi\""));
  EXPECT_THAT(draft.confirm(),
              ElementsAre("column \"age\": type integer", "column \"age\": bounds 3 to 97",
                          "column \"age\": cells may be missing", "column \"age\": atoms 18",
                          "column \"town\": type categorical", "column \"town\": values \"Lodi\", \"Turin\"",
                          "column \"town\": no cell is missing"));
  EXPECT_THAT(draft.confirm(), IsEmpty());
  EXPECT_THAT(draft.risks(all_facts()), IsEmpty());
  EXPECT_THAT(draft.reviewed().columns[0].confirmed, ElementsAre(Fact::type, Fact::bounds, Fact::missing, Fact::atoms));
}

TEST(Review, ATypeMustBeConfirmed) {
  EXPECT_THAT(refusal(drafted()), HasSubstr("type of 2 columns waits for review"));
  EXPECT_THAT(refusal(drafted()), HasSubstr("--confirm type"));
}

TEST(Review, OwnersSayWhoIsProtectedWhereAColumnLooksLikeAnId) {
  Schema facts;
  facts.columns = {{.name = "patient", .type = ColumnType::integer, .min = 1, .max = 900, .missing = true},
                   {.name = "age", .type = ColumnType::integer, .min = 0, .max = 110}};
  Draft draft(facts, {.unreviewed = {{"patient", {Fact::type, Fact::bounds}}}, .likely_units = {"patient"}});
  EXPECT_THAT(refusal(draft), HasSubstr("looks like the id of somebody with several rows"));
  Draft rows = draft, units = draft;
  rows.confirm();
  EXPECT_THAT(refusal(rows), HasSubstr("--unit patient:MAX"));  // confirming facts says nothing of units
  rows.set_unit({});
  EXPECT_EQ(rows.schema().columns[0].type, ColumnType::integer);
  units.set_unit({"patient", 5});
  const Schema schema = units.schema();
  EXPECT_EQ(schema.unit, (PrivacyUnit{"patient", 5}));
  EXPECT_EQ(schema.columns[0].type, ColumnType::identifier);  // an id is never learned from
  EXPECT_FALSE(schema.columns[0].min);
  EXPECT_THROW(Draft(facts).set_unit({"nobody", 1}), Error);
}

TEST(Review, WhetherIdsMayBeMissingKeepsItsSource) {
  Schema facts;
  facts.columns = {{.name = "patient", .type = ColumnType::integer, .min = 1, .max = 900, .missing = true},
                   {.name = "age", .type = ColumnType::integer, .min = 0, .max = 110}};
  Draft confirmed(facts, {.unreviewed = {{"patient", {Fact::type, Fact::bounds, Fact::missing}}}});
  confirmed.confirm();
  confirmed.set_unit({"patient", 5});
  EXPECT_TRUE(confirmed.schema().columns[0].missing);
  EXPECT_THAT(confirmed.schema().columns[0].confirmed, testing::ElementsAre(Fact::missing));
  facts.purchases = {{.promise = {.epsilon = 1.0, .delta = 1e-6}}};
  facts.columns[0].bought = {{Fact::bounds, 0}, {Fact::missing, 0}};
  Draft found(facts);
  found.set_unit({"patient", 5});
  EXPECT_THAT(found.schema().columns[0].bought, testing::ElementsAre(BoughtFact{Fact::missing, 0}));
}

}  // namespace
}  // namespace sosia
