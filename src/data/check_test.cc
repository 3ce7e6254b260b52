// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sosia/table.h>

namespace sosia {
namespace {

using testing::ElementsAre;

class Check : public testing::Test {
 protected:
  CheckReport check(const std::string& csv, const std::string& columns, const CheckOptions& options = {}) {
    std::ofstream(path_) << csv;
    return check_table(path_, parse_schema(R"({"sosia-schema": 1, "columns": [)" + columns + "]}", "s"), options);
  }
  ~Check() override { std::filesystem::remove(path_); }
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() /
      ("sosia_check_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + ".csv");
};

TEST_F(Check, CountsNumbers) {
  const CheckReport report =
      check("a\n1\n\n300\nx\n2.5\n-1\n", R"({"name": "a", "type": "integer", "min": 0, "max": 100})");
  ASSERT_EQ(report.columns.size(), 1U);
  EXPECT_EQ(report.rows, 5 + (report.columns[0].missing > 0 ? 1 : 0));
  EXPECT_EQ(report.columns[0].outside, 2);
  EXPECT_EQ(report.columns[0].unreadable, 2);
  EXPECT_TRUE(report.columns[0].outside_fits);
  EXPECT_FALSE(report.fits());
}

TEST_F(Check, CountsValues) {
  const std::string column = R"({"name": "a", "type": "categorical", "values": ["x", "y"], "missing": true})";
  const std::string csv = "a,b\nx,1\ny,1\nz,1\nNA,1\n";
  const CheckReport report = check(csv, column);
  EXPECT_EQ(report.rows, 4);
  EXPECT_EQ(report.columns[0].missing, 1);
  EXPECT_EQ(report.columns[0].outside, 1);
  EXPECT_TRUE(report.fits());
  EXPECT_THAT(report.extra, ElementsAre(2));
  EXPECT_FALSE(check(csv, column, {.outside = Outside::refuse}).fits());
}

TEST_F(Check, ComparesColumns) {
  const CheckReport report = check("b,a\n1,2\n", R"({"name": "a", "type": "integer"}, {"name": "c", "type": "text"})");
  EXPECT_THAT(report.absent, ElementsAre("c"));
  EXPECT_THAT(report.extra, ElementsAre(1));
  EXPECT_FALSE(report.fits());
}

TEST_F(Check, MissingNeedsToBeDeclared) {
  const std::string csv = "a,b\nNA,1\n2,1\n";
  EXPECT_FALSE(check(csv, R"({"name": "a", "type": "integer"})").fits());
  EXPECT_TRUE(check(csv, R"({"name": "a", "type": "integer", "missing": true})").fits());
}

TEST_F(Check, BooleansAndDatesAreReadAsDeclared) {
  const CheckReport report = check("a,b\ntrue,05/03/2021\nNo,2021-03-05\nmaybe,31/12/2019\n",
                                   R"({"name": "a", "type": "boolean", "values": ["no", "yes"]},
                                      {"name": "b", "type": "date", "format": "%d/%m/%Y", "min": "2020-01-01"})");
  EXPECT_EQ(report.columns[0].outside, 1);
  EXPECT_EQ(report.columns[1].unreadable, 1);
  EXPECT_EQ(report.columns[1].outside, 1);
}

TEST_F(Check, WithoutAHeaderTheSchemasColumnsAreTakenInOrder) {
  const std::string columns =
      R"({"name": "age", "type": "integer", "min": 0, "max": 99}, {"name": "sex", "type": "text"})";
  const CheckReport report = check("34,f\n120,m\n", columns, {.spelling = {.header = false}});
  EXPECT_EQ(report.rows, 2);
  EXPECT_EQ(report.columns.at(0).outside, 1);
  EXPECT_TRUE(report.extra.empty() && report.fits());
  EXPECT_THAT(check("34,f\n120,m\n", columns).absent, ElementsAre("age", "sex"));
}

TEST_F(Check, MissingWordsAreThoseThatAreSaid) {
  const std::string column = R"({"name": "a", "type": "integer", "min": 0, "max": 9, "missing": true})";
  const CheckReport report = check("a,b\n-9,1\nNA,1\n3,1\n", column, {.spelling = {.missing_words = {"-9"}}});
  EXPECT_EQ(report.columns.at(0).missing, 1);
  EXPECT_EQ(report.columns.at(0).unreadable, 1);
}

TEST_F(Check, BoundsThatAreNotDeclaredLetEverythingThrough) {
  const CheckReport report = check("a,b\n1e308,-1\n-1e308,1e300\n0,5\n1e9,100\n",
                                   R"({"name": "a", "type": "real"}, {"name": "b", "type": "real", "min": 0})");
  EXPECT_EQ(report.columns.at(0).outside, 0);
  EXPECT_EQ(report.columns.at(1).outside, 1);
}

TEST_F(Check, CountsUnits) {
  std::ofstream(path_) << "id,a\nx,1\ny,1\nx,1\nx,1\nNA,1\nz,1\n,1\nz,1\nz,1\nz,1\n";
  Schema schema = parse_schema(
      R"({"sosia-schema": 1, "unit": {"column": "id", "max_rows": 2}, "columns": [
          {"name": "id", "type": "identifier", "missing": true}, {"name": "a", "type": "integer"}]})",
      "s");
  for (const bool leaves_out : {true, false}) {
    schema.columns[0].missing = leaves_out;
    const CheckReport report = check_table(path_, schema);
    ASSERT_TRUE(report.unit.has_value());
    EXPECT_EQ(report.unit->rows_without, 2);
    EXPECT_EQ(report.unit->units_above, 2);
    EXPECT_EQ(report.fits(), leaves_out) << "rows that are nobody's";
  }
  std::ofstream(path_) << "id,a\nx,1\nx,1\nx,1\n";
  EXPECT_TRUE(check_table(path_, schema).fits()) << "rows above max_rows are left out by the door";
  std::ofstream(path_) << "a\n1\n";
  EXPECT_FALSE(check_table(path_, schema).unit.has_value());
}

TEST_F(Check, TheDeclaredNumberOfRowsMustBeThere) {
  std::ofstream(path_) << "a,b\n1,1\n2,2\n";
  Schema schema = parse_schema(
      R"({"sosia-schema": 1, "relation": "replace", "rows": 2, "columns": [{"name": "a", "type": "integer"}]})", "s");
  EXPECT_TRUE(check_table(path_, schema).fits());
  schema.rows = 3;
  EXPECT_FALSE(check_table(path_, schema).fits());
}

}  // namespace
}  // namespace sosia
