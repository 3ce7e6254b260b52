// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sosia/draft.h>
#include <sosia/error.h>

#include "data/cell.h"
#include "data/column_guess.h"

namespace sosia {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ColumnGuess guess_of(const std::vector<std::string>& cells, const std::string& name = "x", int max_values = 100) {
  ColumnProfile profile(max_values);
  for (const std::string& cell : cells) cell.empty() ? profile.add_missing() : profile.add(cell);
  return guess_column(name, profile);
}
Column guess(const std::vector<std::string>& cells) { return guess_of(cells).column; }

template <typename Make>
std::vector<std::string> many(int n, const Make& make) {
  std::vector<std::string> cells;
  for (int i = 0; i < n; ++i) cells.push_back(make(i));
  return cells;
}

TEST(Draft, TellsBooleansAndCategories) {
  const auto [yes, facts, rare, is_unit] = guess_of({"yes", "no", "", "yes"});
  EXPECT_EQ(yes.type, ColumnType::boolean);
  EXPECT_THAT(*yes.values, ElementsAre("no", "yes"));
  EXPECT_TRUE(yes.missing);
  EXPECT_THAT(facts, ElementsAre(Fact::type, Fact::values, Fact::missing));
  EXPECT_THAT(rare, ElementsAre("no", "yes"));
  EXPECT_FALSE(is_unit);
  EXPECT_EQ(guess({"0", "1", "1"}).type, ColumnType::boolean);
  EXPECT_EQ(guess({"0", "1", "2"}).type, ColumnType::integer);
  const Column sex = guess({"male", "female", "male"});
  EXPECT_EQ(sex.type, ColumnType::categorical);
  EXPECT_THAT(*sex.values, ElementsAre("female", "male"));
  EXPECT_EQ(sex.outside, Outside::other);
}

TEST(Draft, TellsNumbers) {
  const auto [age, facts, rare, is_unit] = guess_of(many(500, [](int i) { return std::to_string(17 + i * 7 % 74); }));
  EXPECT_EQ(age.type, ColumnType::integer);
  EXPECT_EQ(age.min, 15.0);
  EXPECT_EQ(age.max, 95.0);
  EXPECT_THAT(facts, ElementsAre(Fact::type, Fact::bounds, Fact::missing, Fact::atoms));
  EXPECT_THAT(rare, IsEmpty());
  EXPECT_FALSE(is_unit);
  const Column dose =
      guess(many(300, [](int i) { return i % 3 == 0 ? std::string("0") : format_number(i * 0.37, 2); }));
  EXPECT_EQ(dose.type, ColumnType::real);
  EXPECT_EQ(dose.decimals, 2);
  EXPECT_THAT(dose.atoms, ElementsAre(0.0));
  EXPECT_EQ(guess({"007", "012"}).type, ColumnType::categorical);
  EXPECT_EQ(guess({"1e-3", "2"}).decimals, 3);
}

TEST(Draft, TellsDates) {
  const Column iso = guess({"2021-03-05", "2022-11-30", ""});
  EXPECT_EQ(iso.type, ColumnType::date);
  EXPECT_EQ(iso.format, "");
  EXPECT_EQ(format_date(static_cast<std::int64_t>(*iso.min)), "2021-01-01");
  EXPECT_EQ(format_date(static_cast<std::int64_t>(*iso.max)), "2022-12-31");
  EXPECT_EQ(guess({"13/02/2021", "01/02/2021"}).format, "%d/%m/%Y");
  EXPECT_EQ(guess({"02/13/2021", "01/02/2021"}).format, "%m/%d/%Y");
  const Column moment = guess({"2021-03-05 10:20:30", "2021-03-05 23:59:59"});
  EXPECT_EQ(moment.type, ColumnType::datetime);
  EXPECT_EQ(moment.format, "%Y-%m-%d %H:%M:%S");
  EXPECT_EQ(format_datetime(*moment.max), "2021-12-31T23:59:59");
  EXPECT_EQ(guess({"2021-03-05T10:20:30Z"}).format, "");
}

TEST(Draft, TellsIdentifiersTextAndManyValues) {
  const auto number = [](int i) { return std::to_string(1000 + i); };
  EXPECT_EQ(guess(many(2000, number)).type, ColumnType::identifier);
  EXPECT_EQ(guess(many(2000, [](int i) { return fmt::format("P{}", 100000 + i / 2); })).type, ColumnType::identifier);
  EXPECT_EQ(guess(many(2000, [](int i) { return fmt::format("patient number {} complained", i); })).type,
            ColumnType::text);
  const ColumnGuess codes = guess_of(many(20000, [](int i) { return fmt::format("C{}", i % 500); }));
  EXPECT_EQ(codes.column.type, ColumnType::categorical);
  EXPECT_FALSE(codes.column.values.has_value());
  EXPECT_THAT(codes.unreviewed, ElementsAre(Fact::type, Fact::missing));
  EXPECT_EQ(guess({"", ""}).type, ColumnType::text);
  EXPECT_EQ(guess({"a\nb", "c"}).type, ColumnType::text);
}

TEST(Draft, DraftsThePatternOfIdentifiers) {
  const ColumnGuess id = guess_of(many(300, [](int i) { return fmt::format("P-{:05}/{}x", i * 7, i % 10); }));
  EXPECT_EQ(id.column.type, ColumnType::identifier);
  EXPECT_EQ(id.column.pattern, "@-#####/#@");
  EXPECT_THAT(id.unreviewed, ElementsAre(Fact::type, Fact::missing, Fact::pattern));
  EXPECT_EQ(guess(many(300, [](int i) { return std::to_string(1000 + i); })).pattern, "####");
  for (const ColumnGuess& other :
       {guess_of(many(300, [](int i) { return fmt::format("P{}", i); })),  // of many lengths
        guess_of(many(300, [](int i) { return fmt::format("P{:05}{}", i, i % 2 == 0 ? '-' : '/'); })),
        guess_of(many(300, [](int i) { return fmt::format("#{:05}", i); })),  // '#' has another meaning
        guess_of(many(300, [](int i) { return fmt::format("p{:05}@x.it", i); }))}) {
    EXPECT_EQ(other.column.type, ColumnType::identifier);
    EXPECT_EQ(other.column.pattern, "");
    EXPECT_THAT(other.unreviewed, ElementsAre(Fact::type, Fact::missing));
  }
}

TEST(Draft, RoundsBoundsOutwards) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> exponent(-8.0, 12.0), unit(-1.0, 1.0);
  for (int i = 0; i < 20000; ++i) {
    const double scale = std::pow(10.0, exponent(random));
    double a = unit(random) * scale, b = unit(random) * scale;
    if (a > b) std::swap(a, b);
    double min = a, max = b;
    round_outwards(min, max, false);
    ASSERT_LT(min, a);
    ASSERT_GT(max, b);
    ASSERT_LE(max - min, 1.5 * (b - a));
    a = std::floor(a), b = std::floor(b) + 10.0;
    min = a, max = b;
    round_outwards(min, max, true);
    ASSERT_TRUE(min == std::floor(min) && max == std::floor(max) && min <= a && max >= b);
    ASSERT_TRUE((min < a || min == 0.0) && (max > b || max == 0.0));
  }
}

TEST(Draft, RoundsWithinWhatTheTypeHolds) {
  double min = 0.0, max = 9007199254740992.0;
  round_outwards(min, max, true);
  EXPECT_EQ(max, 9007199254740992.0);
  min = -1.0, max = std::numeric_limits<double>::max();
  round_outwards(min, max, false);
  EXPECT_EQ(max, std::numeric_limits<double>::max());
  min = std::numeric_limits<double>::lowest();
  round_outwards(min, max, false);
  EXPECT_EQ(min, std::numeric_limits<double>::lowest());
}

TEST(Draft, CountsDistinctTextsAboutRight) {
  // One standard deviation of the estimate is 2.3 %; the texts are fixed, so this never fails by chance.
  for (const int n : {10, 1000, 30000}) {
    DistinctCount count;
    for (int i = 0; i < 2 * n; ++i) count.add(std::to_string(i % n));
    EXPECT_NEAR(count.estimate(), n, 0.07 * n);
  }
}

class DraftFile : public testing::Test {
 protected:
  void write(const std::string& text) { std::ofstream(path_) << text; }
  ~DraftFile() override { std::filesystem::remove(path_); }
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() /
      ("sosia_draft_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + ".csv");
};

TEST_F(DraftFile, DraftsAFile) {
  write("age,sex,admitted\n31,f,2021-01-02\n45,m,\n,f,2021-05-06\n");
  const Draft draft = draft_schema(path_);
  const Schema& schema = draft.private_facts();
  ASSERT_EQ(schema.columns.size(), 3U);
  EXPECT_EQ(schema.columns[0].type, ColumnType::integer);
  EXPECT_TRUE(schema.columns[0].missing);
  EXPECT_EQ(schema.columns[1].type, ColumnType::categorical);
  EXPECT_EQ(schema.columns[2].type, ColumnType::date);
  EXPECT_EQ(schema.relation, Neighbors::add_remove);
  EXPECT_TRUE(check_table(path_, draft).fits());
}

TEST_F(DraftFile, SeesValuesInThePlaceOfNames) {
  write(
      "f,34,2021-01-02,P1001,x\nm,45,2021-03-04,P1002,y\nf,31,2021-05-06,P1003,z\n"
      "f,46,2021-05-07,P1004,z\nm,57,2021-07-08,P1005,w\n");
  EXPECT_THAT(names_like_values(draft_schema(path_)), ElementsAre(1, 2, 3, 4));
  const Draft draft = draft_schema(path_, {.spelling = {.header = false}});
  const Schema& schema = draft.private_facts();
  EXPECT_TRUE(names_like_values(draft).empty());
  ASSERT_EQ(schema.columns.size(), 5U);
  EXPECT_EQ(schema.columns[0].name, "column_1");
  EXPECT_EQ(schema.columns[4].name, "column_5");
  EXPECT_TRUE(check_table(path_, draft, {.spelling = {.header = false}}).fits());
}

TEST_F(DraftFile, ErrorsShowNeitherNamesNorValues) {
  for (const char* text : {"Secret4711,,age\n1,2,3\n", "age,Secret4711\t\n1,2\n", "age,Secret4711\xC2\x85\n1,2\n"}) {
    write(text);
    try {
      draft_schema(path_);
      FAIL() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::data);
      EXPECT_THAT(error.what(), HasSubstr("the name of column 2 is empty or has control characters"));
      EXPECT_THAT(error.what(), HasSubstr("--no-header"));
      EXPECT_THAT(error.what(), testing::Not(HasSubstr("4711")));
    }
  }
  write("a,b\nSecret\xC2\x85,1\nx,1\nx,1\n");
  EXPECT_EQ(draft_schema(path_).private_facts().columns[0].type, ColumnType::text)
      << "control characters cannot be listed";
}

TEST_F(DraftFile, RefusesATableWithoutRows) {
  write("age,sex\n");
  try {
    draft_schema(path_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    EXPECT_THAT(error.what(), HasSubstr("no rows"));
  }
}

}  // namespace
}  // namespace sosia
