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

#include <sosia/draft.h>
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

  /// The example's schema as a draft of its rows: types, precision and patterns are known, and all else waits.
  static Draft draft() {
    const Draft drafted = draft_schema(clinic());
    Schema facts = drafted.private_facts();
    Draft::Notes notes;
    const Schema known = example_schema("clinic");
    facts.target = known.target;
    for (Column& column : facts.columns) {
      const Column& truth = *known.find(column.name);
      column.type = truth.type;
      column.pattern = truth.pattern;
      column.decimals = truth.decimals;
      if (!has_values(column.type)) column.values = {};
      for (const Fact fact : {Fact::values, Fact::bounds, Fact::missing, Fact::atoms}) {
        if (applies(fact, column.type)) notes.unreviewed[column.name].push_back(fact);
      }
    }
    return Draft(facts, notes);
  }
  static Schema open_schema() { return draft().schema(); }
  static Ledger ledger(const Schema& schema, double epsilon = 5.0, std::uint64_t seed = 3) {
    return Ledger::for_tests(
        {.epsilon = epsilon, .delta = 1e-6, .relation = schema.relation, .unit = schema.unit, .selection_delta = 1e-7},
        seed);
  }
};

TEST_F(DiscoveryTest, FindsWhatTheClinicIsMadeOf) {
  const Schema schema = open_schema();
  Ledger budget = ledger(schema);
  const Discovery found = discover(clinic(), schema, {.share = 0.5, .quantiles = 8}, budget);
  EXPECT_THAT(found.not_found, IsEmpty());
  EXPECT_THAT(found.schema.open(), IsEmpty());
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

TEST_F(DiscoveryTest, ValuesOfAListThatIsCutComeFromWhereTheListDoes) {
  Schema schema = open_schema();
  for (Column& column : schema.columns) {
    if (column.name != "sex") continue;
    column.values = {{"F", "M", "U"}};
    column.confirmed = {Fact::values};
  }
  Ledger budget = ledger(schema, 5.0);
  const Schema found = discover(clinic(), schema, {.max_values = 2}, budget).schema;
  EXPECT_THAT(*found.find("sex")->values, ElementsAre("F", "M"));
  EXPECT_THAT(found.find("sex")->confirmed, ElementsAre(Fact::values));
  EXPECT_FALSE(is_bought(*found.find("sex"), Fact::values));
  EXPECT_EQ(found.purchases.size(), 1U);
}

TEST_F(DiscoveryTest, EveryFactSaysUnderWhatItWasBought) {
  const Schema schema = open_schema();
  const Promise promise{.epsilon = 5.0, .delta = 1e-6, .selection_delta = 1e-7};
  Ledger budget(promise);
  const Schema found = discover(clinic(), schema, {.quantiles = 4}, budget).schema;
  ASSERT_EQ(found.purchases.size(), 1U);
  EXPECT_EQ(found.purchases[0], (Purchase{.promise = promise}));
  EXPECT_TRUE(is_bought(*found.find("sex"), Fact::values));
  EXPECT_TRUE(is_bought(*found.find("age"), Fact::bounds));
  EXPECT_TRUE(is_bought(*found.find("age"), Fact::edges));
  EXPECT_TRUE(is_bought(*found.find("crp"), Fact::missing));
  EXPECT_FALSE(is_bought(*found.find("age"), Fact::type));
  // A second discovery adds a purchase and leaves the first one's facts alone.
  Schema more = found;
  more.columns[1].missing_is_open = true;
  Ledger second(promise);
  const Schema twice = discover(clinic(), more, {}, second).schema;
  EXPECT_EQ(twice.purchases.size(), 2U);
  EXPECT_THAT(twice.columns[1].bought, Contains(BoughtFact{Fact::missing, 1}));
  EXPECT_THAT(twice.find("ward")->bought, Contains(BoughtFact{Fact::values, 0}));
  Ledger tests = ledger(schema);
  EXPECT_FALSE(discover(clinic(), schema, {}, tests).schema.purchases[0].has_guarantee);
}

// What comes out is a function of releases and public numbers: facts that wait for review, all of which were read off
// the data, may say anything.
TEST_F(DiscoveryTest, FactsThatWaitForReviewNeverPass) {
  const Draft drafted = draft();
  Schema scrambled = drafted.private_facts();
  for (Column& column : scrambled.columns) {
    for (const Fact fact : drafted.unreviewed_of(column.name)) {
      if (fact == Fact::values) column.values = std::vector<std::string>{"x", "y"};
      if (fact == Fact::bounds) column.min = -1e15, column.max = 7e15;
      if (fact == Fact::atoms) column.atoms = {7.0};
      if (fact == Fact::missing) column.missing = !column.missing;
      if (column.type == ColumnType::date) column.min = 7.0, column.max = 8.0;
    }
  }
  const Schema other_schema = Draft(scrambled, drafted.notes()).schema();
  EXPECT_EQ(to_json(other_schema), to_json(drafted.schema()));
  Ledger one = ledger(other_schema), other = ledger(other_schema);
  EXPECT_EQ(to_json(discover(clinic(), drafted.schema(), {.quantiles = 4}, one).schema),
            to_json(discover(clinic(), other_schema, {.quantiles = 4}, other).schema));
}

TEST_F(DiscoveryTest, AnotherUnitThanThePromiseIsRefused) {
  Schema schema = open_schema();
  schema.unit = {"patient", 3};
  Ledger rows = Ledger::for_tests({.epsilon = 5.0, .delta = 1e-6, .selection_delta = 1e-7}, 1);
  EXPECT_THROW(discover(clinic(), schema, {}, rows), Error);
  EXPECT_TRUE(rows.events().empty());
}

TEST_F(DiscoveryTest, WorksWithoutPrivacyAndSaysSo) {
  const Schema schema = open_schema();
  Ledger open = Ledger::without_privacy(schema.relation, schema.unit);
  const Discovery found = discover(clinic(), schema, {}, open);
  EXPECT_THAT(*found.schema.find("sex")->values, ElementsAre("F", "M"));
  EXPECT_FALSE(open.has_guarantee());
  EXPECT_FALSE(found.schema.purchases.at(0).has_guarantee);
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
  const Schema schema = open_schema();
  Ledger budget = ledger(schema);
  const double before = budget.noise_for_share(0.9);
  discover(clinic(), schema, {.share = 0.1}, budget);
  EXPECT_NEAR(budget.noise_for_share(1.0), before, 1e-9 * before);
}

TEST_F(DiscoveryTest, ThePlanIsWhatIsCharged) {
  const Schema schema = open_schema();
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
  const Schema schema = open_schema();
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

TEST_F(DiscoveryTest, ValuesNeedAPartOfDelta) {
  Ledger no_delta = Ledger::for_tests({.epsilon = 1.0, .delta = 1e-6}, 1);
  EXPECT_THROW(plan_discovery(open_schema(), {}, no_delta), Error);
}

TEST_F(DiscoveryTest, UnitsAreProtectedAsAWhole) {
  Schema schema = open_schema();
  schema.unit = {"patient", 3};
  Ledger budget = ledger(schema);
  const Discovery found = discover(clinic(), schema, {}, budget);
  EXPECT_THAT(*found.schema.find("sex")->values, ElementsAre("F", "M"));
  const double per_row = plan_discovery(open_schema(), {}, ledger(open_schema()))[0].sigma;
  EXPECT_NEAR(plan_discovery(schema, {}, ledger(schema))[0].sigma, 3.0 * per_row, 1e-6 * per_row);
}

}  // namespace
}  // namespace sosia
