// SPDX-License-Identifier: Apache-2.0
#include <sosia/evaluate.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include <sosia/error.h>

#include "data/open_table.h"
#include "eval/read_rows.h"

namespace sosia {
namespace {

using testing::HasSubstr;

constexpr char kSchema[] = R"({"sosia-schema": 1, "relation": "add-remove", "columns": [
  {"name": "id", "type": "identifier", "missing": false},
  {"name": "age", "type": "integer", "min": 0, "max": 9, "missing": false, "outside": "clamp"},
  {"name": "pay", "type": "real", "min": 0, "max": 1000, "decimals": 1, "atoms": [0], "missing": true, "outside": "clamp"},
  {"name": "city", "type": "categorical", "values": ["Bonn", "Pisa"], "missing": true, "outside": "other"}]})";

class Evaluate : public testing::Test {
 protected:
  Evaluate() : folder_(std::filesystem::temp_directory_path() / ("sosia_evaluate_test_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~Evaluate() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path file(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

  /// Related columns, other numbers for another seed.
  std::filesystem::path table(const std::string& name, int rows, std::uint64_t seed) const {
    std::string text = "id,age,pay,city\n";
    PublicRng rng(seed);
    for (int i = 0; i < rows; ++i) {
      const int age = static_cast<int>(10 * rng.uniform());
      const std::string pay = age < 2 ? "0" : age == 9 ? "" : std::to_string(100 * age + 50 * rng.uniform());
      text += std::to_string(i) + "," + std::to_string(age) + "," + pay + "," +
              (rng.uniform() * 10 < age ? "Bonn" : "Pisa") + "\n";
    }
    return file(name, text);
  }

  std::string problem_with(const std::filesystem::path& made, const std::filesystem::path& real) const {
    try {
      evaluate(made, real, schema_, {});
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  }

  std::filesystem::path folder_;
  Schema schema_ = parse_schema(kSchema, "schema");
};

TEST_F(Evaluate, ReadsCodesAndNumbersInOneWay) {
  const auto real = file("real.csv", "id,age,pay,city\n1,3,0,Bonn\n2,4,12.34,\n3,9,,Rome\n");
  const auto made = file("made.csv", "city,pay,age\nPisa,5000,12\n");
  ThreadPool pool(2);
  const auto open = [&](const auto& path) { return open_table(path, schema_, {}); };
  const eval::RowReader reader(schema_, *open(real), {}, 2, pool);
  ASSERT_EQ(reader.outline().size(), 3U);
  EXPECT_EQ(reader.outline()[0].states, 10U);
  EXPECT_EQ(reader.outline()[2].labels, (std::vector<std::string>{"Bonn", "Pisa", "(other)", "(missing)"}));
  const eval::Rows rows = reader.read(*open(real), pool), others = reader.read(*open(made), pool);
  EXPECT_EQ(rows.codes[0], (std::vector<std::uint32_t>{3, 4, 9}));
  EXPECT_EQ(rows.codes[2], (std::vector<std::uint32_t>{0, 3, 2}));
  EXPECT_EQ(rows.numbers[1][1], 12.3);
  EXPECT_TRUE(std::isnan(rows.numbers[1][2]));
  const std::uint32_t states = reader.outline()[1].states;  // bins, the atom 0, missing
  EXPECT_EQ(rows.codes[1], (std::vector<std::uint32_t>{states - 2, states - 3, states - 1}));
  EXPECT_EQ(others.numbers[0][0], 9.0);
  EXPECT_EQ(others.numbers[1][0], 1000.0);
}

TEST_F(Evaluate, ScoresStandBetweenFloorAndCeiling) {
  const auto real = table("real.csv", 2000, 1), alike = table("alike.csv", 2000, 2);
  const Scores scores = evaluate(alike, real, schema_, {.metrics = {"tvd_2", "correlation", "mmd", "pca"}});
  ASSERT_EQ(scores.metrics.size(), 4U);
  for (const MetricScores& metric : scores.metrics) {
    EXPECT_LT(metric.score.floor, metric.score.ceiling / 2) << metric.metric.name;
    EXPECT_LT(metric.score.synthetic, metric.score.ceiling / 2) << metric.metric.name;
  }
}

TEST_F(Evaluate, SeesACopy) {
  const auto real = table("real.csv", 500, 1), holdout = table("holdout.csv", 500, 2),
             fresh = table("fresh.csv", 500, 3);
  EvaluateOptions options{.holdout = holdout, .metrics = {"privacy"}};
  const Scores copied = evaluate(real, real, schema_, options), honest = evaluate(fresh, real, schema_, options);
  const auto score = [](const Scores& scores, const std::string& name) {
    for (const MetricScores& metric : scores.metrics) {
      if (metric.metric.name == name) return metric.score.synthetic;
    }
    return std::numeric_limits<double>::quiet_NaN();
  };
  EXPECT_EQ(score(copied, "exact_matches"), 1.0);
  EXPECT_EQ(score(copied, "closest_record"), 0.0);
  for (const char* attack : {"closest_share", "distance_attack", "likelihood_attack"}) {
    EXPECT_GT(score(copied, attack), 0.65) << attack;
    // An area under a curve from 250 and 250 suspects has a standard deviation of 0.026; the seeds are fixed.
    EXPECT_NEAR(score(honest, attack), 0.5, 0.13) << attack;
  }
}

TEST_F(Evaluate, ReadsTheSyntheticTableAsItIsWritten) {
  Schema schema = schema_;
  schema.columns[3].values = {"5\" pipe", "a,b"};
  const auto made = file("made.csv", "age,pay,city\n1,2,\"5\"\" pipe\"\n2,3,\"5\"\" pipe\"\n3,4,\"a,b\"\n");
  const EvaluateOptions plain{.metrics = {"tvd_1"}, .spelling = {.quotes = Quotes::none}};
  const auto real = file("real.csv", "age,pay,city\n1,2,5\" pipe\n2,3,5\" pipe\n3,4,5\" pipe\n");
  EXPECT_NEAR(evaluate(made, real, schema, plain).metrics.at(0).score.synthetic, 1.0 / 9, 1e-12) << "one cell in nine";
}

TEST_F(Evaluate, DoesNotDependOnThreads) {
  const auto real = table("real.csv", 700, 1), made = table("made.csv", 900, 2), holdout = table("held.csv", 300, 3);
  EvaluateOptions options{.holdout = holdout, .seed = 5, .threads = 1};
  const std::string one = to_json(evaluate(made, real, schema_, options));
  options.threads = 3;
  EXPECT_EQ(to_json(evaluate(made, real, schema_, options)), one);
  options.seed = 6;
  EXPECT_NE(to_json(evaluate(made, real, schema_, options)), one);
}

TEST_F(Evaluate, SaysWhatWasLeftOut) {
  const auto real = table("real.csv", 50, 1);
  const Scores scores = evaluate(real, real, schema_, {.metrics = {"distance_attack", "ks"}});
  ASSERT_EQ(scores.left_out.size(), 1U);
  EXPECT_EQ(scores.left_out[0].metric, "distance_attack");
  ASSERT_EQ(scores.metrics.size(), 1U);
  const auto json = nlohmann::json::parse(to_json(scores));
  EXPECT_EQ(json.at("left_out").at("distance_attack"), "a holdout");
  EXPECT_EQ(json.at("metrics").at(0).at("synthetic"), 0.0);
  EXPECT_EQ(json.at("metrics").at(0).at("parts").at(1).at("of").at(0), "pay");
}

// Every metric of every small table is a number or null, never a crash.
TEST_F(Evaluate, TakesTablesOfOneRow) {
  const auto one = file("one.csv", "id,age,pay,city\n1,3,,\n"),
             two = file("two.csv", "id,age,pay,city\n1,3,0,Bonn\n2,4,1,\n");
  for (const auto& [made, real] : {std::pair(one, one), {one, two}, {two, one}}) {
    for (const char* target : {"city", "pay"}) {
      const Scores scores = evaluate(made, real, schema_, {.holdout = one, .target = target});
      EXPECT_EQ(scores.metrics.size() + scores.left_out.size(), metrics().size());
      EXPECT_TRUE(nlohmann::json::accept(to_json(scores)));
    }
  }
}

TEST_F(Evaluate, TakesOneColumn) {
  const auto real = table("real.csv", 50, 1);
  Schema schema = schema_;
  std::erase_if(schema.columns, [](const Column& column) { return column.name != "city"; });
  const Scores scores = evaluate(real, real, schema, {.holdout = real, .target = "city"});
  EXPECT_EQ(scores.metrics.size() + scores.left_out.size(), metrics().size());
  EXPECT_EQ(scores.left_out.front().why, "a column beside the target");
}

TEST_F(Evaluate, RefusesTablesThatDoNotFit) {
  const auto real = table("real.csv", 50, 1);
  EXPECT_THAT(problem_with(file("a.csv", "age,city\n1,Bonn\n"), real),
              HasSubstr("lacks columns of the schema: \"pay\""));
  EXPECT_THAT(problem_with(file("b.csv", "age,pay,city\nold,1,Bonn\n,2,Bonn\n"), real),
              HasSubstr("\"age\": 1 no integer"));
  EXPECT_THAT(problem_with(file("c.csv", "age,pay,city\n,1,Bonn\n"), real), HasSubstr("\"age\": 1 missing"));
  EXPECT_THAT(problem_with(file("d.csv", "age,pay,city\n"), real), HasSubstr("no rows"));
  EXPECT_THROW(evaluate(real, real, schema_, {.metrics = {"tvd_9"}}), Error);
  EXPECT_THROW(evaluate(real, real, schema_, {.target = "id"}), Error);
  Schema nothing = schema_;
  nothing.columns.resize(1);
  EXPECT_THROW(evaluate(real, real, nothing), Error);
}

}  // namespace
}  // namespace sosia
