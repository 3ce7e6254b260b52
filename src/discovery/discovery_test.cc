// SPDX-License-Identifier: Apache-2.0
// Noise is fixed by a seed; what is expected of it leaves at least 5.5 standard deviations (false alarm below 1e-6 in
// all for another seed).
#include <sosia/discovery.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <sosia/error.h>

namespace sosia {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class DiscoveryTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder() = fs::temp_directory_path() / ("sosia_discovery_" + std::to_string(::getpid()));
    fs::create_directories(folder());
    write_example("clinic", folder() / "clinic.csv", {.rows = 20000});
  }
  static void TearDownTestSuite() { fs::remove_all(folder()); }
  static fs::path& folder() {
    static fs::path path;
    return path;
  }
  static fs::path clinic() { return folder() / "clinic.csv"; }

  /// The example's schema as a draft: every fact but types, precision and patterns waits for review.
  static Schema draft() {
    Schema schema = draft_schema(clinic());
    const Schema known = example_schema("clinic");
    schema.target = known.target;
    for (Column& column : schema.columns) {
      const Column& truth = *known.find(column.name);
      column.type = truth.type;
      column.pattern = truth.pattern;
      column.decimals = truth.decimals;
      if (!has_values(column.type)) column.values = {};
      std::erase_if(column.unreviewed, [&](Fact fact) {
        const bool found = fact == Fact::values || fact == Fact::bounds || fact == Fact::missing || fact == Fact::atoms;
        return !found || (fact == Fact::values && !has_values(column.type));
      });
    }
    return schema;
  }
  static Ledger ledger(const Schema& schema, double epsilon = 5.0, std::uint64_t seed = 3) {
    return Ledger::for_tests(
        {.epsilon = epsilon, .delta = 1e-6, .relation = schema.relation, .unit = schema.unit, .selection_delta = 1e-7},
        seed);
  }
};

TEST_F(DiscoveryTest, FindsWhatTheClinicIsMadeOf) {
  const Schema schema = draft();
  Ledger budget = ledger(schema);
  const Discovery found = discover(clinic(), schema, {.share = 0.5, .quantiles = 8}, budget);
  EXPECT_THAT(found.not_found, IsEmpty());
  EXPECT_EQ(found.schema.unreviewed().size(), 13U);  // noise that can be reproduced protects nobody
  EXPECT_NO_THROW(validate(found.schema));
  EXPECT_NEAR(found.rows, 20000.0, 5.5 * found.rows_sigma);

  const Column& age = *found.schema.find("age");
  EXPECT_GE(*age.min, 0.0);
  EXPECT_LE(*age.max, 127.0);
  EXPECT_LT(*age.min, 30.0);
  EXPECT_GT(*age.max, 80.0);
  EXPECT_GE(age.edges.size(), 5U);
  EXPECT_THAT(*found.schema.find("sex")->values, ElementsAre("F", "M"));
  EXPECT_THAT(*found.schema.find("smoker")->values, ElementsAre("no", "yes"));
  EXPECT_TRUE(found.schema.find("crp")->missing);
  EXPECT_FALSE(found.schema.find("ward")->missing);
  EXPECT_THAT(found.schema.find("cost")->atoms, ElementsAre(0.0));
  EXPECT_EQ(*found.schema.find("cost")->min, 0.0);
  EXPECT_THAT(*found.schema.find("diagnosis")->values, Not(IsEmpty()));
  EXPECT_LE(found.schema.find("diagnosis")->values->size(), 100U);
  ASSERT_EQ(found.classes.size(), 2U);
  EXPECT_LT(budget.spent_epsilon(), 5.0);
}

// Bounds hold all but a few rows, and quantiles hold about the share that they say.
TEST_F(DiscoveryTest, BoundsAndQuantilesAreNearTheTruth) {
  const fs::path path = folder() / "numbers.csv";
  std::ofstream out(path);
  out << "x,y\n";
  for (int i = 0; i < 40000; ++i) out << 300 + (i * 7919LL) % 4000 << ',' << ((i * 31LL) % 1000) / 100.0 - 3.0 << '\n';
  out.close();
  const Schema schema{
      .columns = {{.name = "x", .type = ColumnType::integer}, {.name = "y", .type = ColumnType::real, .decimals = 2}}};
  Ledger budget = ledger(schema, 3.0);
  const Discovery found = discover(path, schema, {.quantiles = 4}, budget);
  ASSERT_THAT(found.not_found, IsEmpty());
  const Column& x = found.schema.columns[0];
  EXPECT_NEAR(*x.min, 300.0, 40.0);
  EXPECT_NEAR(*x.max, 4299.0, 40.0);
  ASSERT_EQ(x.edges.size(), 3U);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(x.edges[static_cast<std::size_t>(k)], 300.0 + 1000.0 * (k + 1), 25.0);
  const Column& y = found.schema.columns[1];
  EXPECT_NEAR(*y.min, -3.0, 0.1);
  EXPECT_NEAR(*y.max, 6.99, 0.1);
  EXPECT_NEAR(y.edges[1], 2.0, 0.1);
}

TEST_F(DiscoveryTest, NothingWaitsForReviewAfterRealNoise) {
  const Schema schema = draft();
  Ledger budget({.epsilon = 5.0, .delta = 1e-6, .selection_delta = 1e-7});
  EXPECT_THAT(discover(clinic(), schema, {}, budget).schema.unreviewed(), IsEmpty());
}

// What comes out is a function of releases and public numbers: facts that wait for review, all of which were read off
// the data, may say anything.
TEST_F(DiscoveryTest, FactsThatWaitForReviewNeverPass) {
  const Schema schema = draft();
  Schema scrambled = schema;
  for (Column& column : scrambled.columns) {
    for (const Fact fact : column.unreviewed) {
      if (fact == Fact::values) column.values = std::vector<std::string>{"x", "y"};
      if (fact == Fact::bounds) column.min = column.max = 7.0;
      if (fact == Fact::atoms) column.atoms = {7.0};
      if (fact == Fact::missing) column.missing = !column.missing;
    }
  }
  Ledger one = ledger(schema), other = ledger(schema);
  EXPECT_EQ(to_json(discover(clinic(), schema, {.quantiles = 4}, one).schema),
            to_json(discover(clinic(), scrambled, {.quantiles = 4}, other).schema));

  // Atoms of a column whose bounds are known: nothing is asked, and nothing may stay.
  Schema bounded = example_schema("clinic");
  Column& cost = *std::find_if(bounded.columns.begin(), bounded.columns.end(),
                               [](const Column& column) { return column.name == "cost"; });
  cost.atoms = {0.0};
  cost.unreviewed = {Fact::atoms};
  Ledger budget = ledger(bounded);
  EXPECT_THAT(discover(clinic(), bounded, {}, budget).schema.find("cost")->atoms, IsEmpty());
}

TEST_F(DiscoveryTest, AnotherUnitThanThePromiseIsRefused) {
  Schema schema = draft();
  schema.unit = {"patient", 3};
  Ledger rows = Ledger::for_tests({.epsilon = 5.0, .delta = 1e-6, .selection_delta = 1e-7}, 1);
  EXPECT_THROW(discover(clinic(), schema, {}, rows), Error);
  EXPECT_TRUE(rows.events().empty());
}

TEST_F(DiscoveryTest, WorksWithoutPrivacyAndSaysSo) {
  const Schema schema = draft();
  Ledger open = Ledger::without_privacy(schema.relation, schema.unit);
  const Discovery found = discover(clinic(), schema, {}, open);
  EXPECT_THAT(*found.schema.find("sex")->values, ElementsAre("F", "M"));
  EXPECT_FALSE(open.has_guarantee());
  EXPECT_THAT(found.schema.unreviewed(), Not(IsEmpty()));
}

TEST_F(DiscoveryTest, WideBoundsOfManyDecimals) {
  const fs::path path = folder() / "wide.csv";
  std::ofstream out(path);
  out << "x\n";
  for (int i = 0; i < 5000; ++i) out << i * 2e9 << '\n';
  out.close();
  const Schema schema{.columns = {{.name = "x", .type = ColumnType::real, .min = 0.0, .max = 1e13, .decimals = 6}}};
  Ledger budget = ledger(schema);
  const Discovery found = discover(path, schema, {.quantiles = 2}, budget);
  ASSERT_EQ(found.schema.columns[0].edges.size(), 1U);
  EXPECT_NEAR(found.schema.columns[0].edges[0], 5e12, 5e11);
}

TEST_F(DiscoveryTest, SpendsItsShareAndNoMore) {
  const Schema schema = draft();
  Ledger budget = ledger(schema);
  const double before = budget.noise_for_share(0.9);
  discover(clinic(), schema, {.share = 0.1}, budget);
  EXPECT_NEAR(budget.noise_for_share(1.0), before, 1e-9 * before);
}

TEST_F(DiscoveryTest, ThePlanIsWhatIsCharged) {
  const Schema schema = draft();
  Ledger budget = ledger(schema);
  const std::vector<DiscoveryStep> plan = plan_discovery(schema, {.share = 0.2}, budget);
  EXPECT_TRUE(budget.events().empty());
  ASSERT_EQ(plan.size(), 3U);
  discover(clinic(), schema, {.share = 0.2}, budget);
  ASSERT_EQ(budget.events().size(), 4U);  // keys are two events
  EXPECT_EQ(std::get<Gaussian>(budget.events()[0].mechanism).noise, plan[0].noise);
  EXPECT_EQ(std::get<Gaussian>(budget.events()[1].mechanism).noise, plan[1].noise);
  EXPECT_EQ(std::get<PartitionSelection>(budget.events()[2].mechanism).delta, plan[1].delta);
  EXPECT_EQ(std::get<Gaussian>(budget.events()[3].mechanism).noise, plan[2].noise);
}

TEST_F(DiscoveryTest, TheSameForAnyNumberOfThreads) {
  const Schema schema = draft();
  std::string expected;
  for (const int threads : {1, 3}) {
    Ledger budget = ledger(schema);
    const Discovery found = discover(clinic(), schema, {.quantiles = 16, .threads = threads}, budget);
    if (expected.empty()) expected = to_json(found.schema);
    EXPECT_EQ(to_json(found.schema), expected);
  }
}

TEST_F(DiscoveryTest, ManyDeclaredValuesAreCutToTheCommonOnes) {
  Schema schema = example_schema("clinic");
  Column& diagnosis = *std::find_if(schema.columns.begin(), schema.columns.end(),
                                    [](const Column& c) { return c.name == "diagnosis"; });
  for (int i = 0; i < 3000; ++i) diagnosis.values->push_back("never " + std::to_string(i));
  Ledger budget = ledger(schema);
  const Discovery found = discover(clinic(), schema, {.max_values = 30}, budget);
  const std::vector<std::string>& kept = *found.schema.find("diagnosis")->values;
  EXPECT_LE(kept.size(), 30U);
  EXPECT_GE(kept.size(), 10U);
  for (const std::string& value : kept) EXPECT_THAT(value, Not(HasSubstr("never")));
  EXPECT_EQ(found.schema.find("diagnosis")->outside, Outside::other);
}

TEST_F(DiscoveryTest, TooFewRowsAreSaidAndNothingIsMadeUp) {
  const fs::path path = folder() / "few.csv";
  std::ofstream(path) << "x,word,flag\n5,one,yes\n7,two,no\n";
  const Schema schema{.columns = {{.name = "x", .type = ColumnType::integer},
                                  {.name = "word", .type = ColumnType::categorical},
                                  {.name = "flag", .type = ColumnType::boolean}}};
  Ledger budget = ledger(schema, 1.0);
  const Discovery found = discover(path, schema, {}, budget);
  EXPECT_THAT(found.not_found,
              ElementsAre("column \"x\": bounds", "column \"word\": values", "column \"flag\": values"));
  EXPECT_FALSE(found.schema.columns[0].min);
  EXPECT_FALSE(found.schema.columns[1].values);
}

TEST_F(DiscoveryTest, WhatCannotBeDiscoveredIsRefused) {
  Schema schema = draft();
  schema.columns[1].unreviewed.push_back(Fact::type);
  Ledger budget = ledger(schema);
  EXPECT_THROW(plan_discovery(schema, {}, budget), Error);
  Ledger no_delta = Ledger::for_tests({.epsilon = 1.0, .delta = 1e-6}, 1);
  EXPECT_THROW(plan_discovery(draft(), {}, no_delta), Error);
}

TEST_F(DiscoveryTest, UnitsAreProtectedAsAWhole) {
  Schema schema = draft();
  schema.unit = {"patient", 3};
  Ledger budget = ledger(schema);
  const Discovery found = discover(clinic(), schema, {}, budget);
  EXPECT_THAT(*found.schema.find("sex")->values, ElementsAre("F", "M"));
  const double per_row = plan_discovery(draft(), {}, ledger(draft()))[0].sigma;
  EXPECT_NEAR(plan_discovery(schema, {}, ledger(schema))[0].sigma, 3.0 * per_row, 1e-6 * per_row);
}

}  // namespace
}  // namespace sosia
