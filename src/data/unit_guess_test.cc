// SPDX-License-Identifier: Apache-2.0
#include "data/unit_guess.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include <sosia/draft.h>
#include <sosia/error.h>

#include "data/column_guess.h"
#include "data/table_test_support.h"

namespace sosia {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

bool is_flagged(const std::string& name, int rows, const std::function<std::string(int)>& text_of) {
  ColumnProfile profile(100);
  for (int i = 0; i < rows; ++i) profile.add(text_of(i));
  return guess_column(name, profile).is_likely_unit;
}

/// So many ids, which repeat in turn.
std::function<std::string(int)> ids(int count, const std::string& before = "", const std::string& after = "") {
  return [=](int i) { return before + std::to_string(1000 + 37 * (i % count)) + after; };
}

TEST(UnitGuess, IdsThatRepeat) {
  EXPECT_TRUE(is_flagged("host_id", 20'000, ids(2'000)));
  EXPECT_TRUE(is_flagged("patient_id", 5'000, ids(50))) << "hundreds of rows each";
  EXPECT_TRUE(is_flagged("patientID", 5'000, ids(20))) << "few patients, many visits";
  EXPECT_TRUE(is_flagged("id", 400, ids(100)));
  EXPECT_TRUE(is_flagged("Subject", 180, ids(18)));
  EXPECT_TRUE(is_flagged("customer no", 1'000, ids(300)));
  EXPECT_TRUE(is_flagged("user_id", 3'000, ids(500, "", ".0"))) << "whole numbers stored as floating point";
  EXPECT_TRUE(is_flagged("member", 3'000, ids(500, "M-"))) << "text";
  EXPECT_TRUE(is_flagged("code", 3'000, [](int i) { return "X-" + std::to_string(1000 + i % 900); }))
      << "looks like an id whatever its name";
  EXPECT_TRUE(is_flagged("order_id", 3'000, ids(900)));
}

TEST(UnitGuess, WhatIsNobodysId) {
  EXPECT_FALSE(is_flagged("id", 5'000, ids(5'000))) << "a row each";
  EXPECT_FALSE(is_flagged("dept_id", 5'000, ids(30))) << "a code of few values";
  EXPECT_FALSE(is_flagged("user_type", 5'000, ids(60)));
  EXPECT_FALSE(is_flagged("patient_id", 5'000, ids(2))) << "too few";
  EXPECT_FALSE(is_flagged("amount", 5'000, ids(700)));
  EXPECT_FALSE(is_flagged("user", 5'000, [](int i) { return std::to_string(i % 700) + ".5"; })) << "decimals";
  EXPECT_FALSE(is_flagged("visit_id", 5'000, [](int i) {
    return "20" + std::to_string(10 + i % 80) + "-0" + std::to_string(1 + i % 9) + "-1" + std::to_string(i % 10);
  })) << "dates";
  EXPECT_FALSE(is_flagged("id", 0, ids(1)));
}

std::string long_table() {
  std::string text = "patient_id,age\n";
  for (int i = 0; i < 60; ++i) text += std::to_string(100 + i % 20) + "," + std::to_string(20 + i) + "\n";
  return text;
}

std::string refusal_of(const Draft& draft) {
  try {
    draft.schema();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::schema);
    return error.what();
  }
  return "no error";
}

TEST(UnitGuess, ARowLevelPromiseNeedsAWord) {
  const TestFolder folder;
  const auto path = folder.file("visits.csv", long_table());
  Draft draft = draft_schema(path);
  EXPECT_THAT(draft.notes().likely_units, ElementsAre("patient_id"));
  draft.confirm();
  EXPECT_THAT(refusal_of(draft), HasSubstr("column \"patient_id\" looks like the id of somebody"));
  EXPECT_THAT(refusal_of(draft), HasSubstr("--unit patient_id:MAX"));
  EXPECT_THAT(refusal_of(parse_draft(to_json(draft), "again")), HasSubstr("patient_id")) << "also through a file";

  Draft rows = draft;
  rows.set_unit({});
  EXPECT_THAT(rows.schema().unit.column, IsEmpty());
  EXPECT_THAT(parse_draft(to_json(rows), "again").schema().unit.column, IsEmpty());

  Draft patients = draft;
  patients.set_unit({.column = "patient_id", .max_rows = 3});
  EXPECT_EQ(patients.schema().unit, (PrivacyUnit{"patient_id", 3}));
  EXPECT_EQ(patients.schema().find("patient_id")->type, ColumnType::identifier) << "an id is never learned from";
  EXPECT_THROW(draft.set_unit({.column = "nobody"}), Error);
}

TEST(UnitGuess, WhetherIdsAreMissingIsNotReadOffTheRows) {
  const TestFolder folder;
  const auto path = folder.file("visits.csv", long_table() + ",33\n");
  Draft draft = draft_schema(path);
  ASSERT_TRUE(draft.private_facts().find("patient_id")->missing);
  Draft confirmed = draft;
  draft.set_unit({.column = "patient_id", .max_rows = 3});
  EXPECT_FALSE(draft.private_facts().find("patient_id")->missing);
  confirmed.confirm();
  confirmed.set_unit({.column = "patient_id", .max_rows = 3});
  EXPECT_TRUE(confirmed.schema().find("patient_id")->missing) << "by the owner's word: rows without an id are left out";
}

}  // namespace
}  // namespace sosia
