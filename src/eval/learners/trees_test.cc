// SPDX-License-Identifier: Apache-2.0
// Trees against their definition, and learners of trees against scikit-learn and XGBoost
// (tools/make_golden_learners.py).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "eval/learners/boosted_regression.h"
#include "eval/learners/learner.h"
#include "eval/learners/success.h"
#include "eval/learners/tree.h"

namespace sosia::eval {
namespace {

using nlohmann::json;
using Vector = std::vector<double>;

const json& golden() {
  static const json value = json::parse(std::ifstream("tests/golden_scores/learners.json"));
  return value;
}

struct Table {
  std::vector<float> x;
  std::size_t width = 0;

  Table() = default;
  explicit Table(const json& rows, std::size_t most = 1000) : width(std::min(most, rows[0].size())) {
    for (const json& row : rows) {
      for (std::size_t c = 0; c < width; ++c) x.push_back(row[c]);
    }
  }
  MatrixView<const float> view() const { return {x.data(), x.size() / width, width}; }
};

/// Features with 2, 5 and at most `levels` values; three classes and numbers; every third row without weight.
struct Random {
  Table table;
  std::vector<std::uint32_t> labels;
  Vector numbers, weights;

  Random(std::uint64_t seed, std::size_t rows, double levels) {
    PublicRng rng(seed);
    const auto below = [&](double count) { return std::floor(rng.uniform() * count); };
    table.width = 3;
    for (std::size_t i = 0; i < rows; ++i) {
      const double a = below(2), b = below(5), c = below(levels) / levels;
      for (const double value : {a, b, c}) table.x.push_back(static_cast<float>(value));
      labels.push_back(static_cast<std::uint32_t>(std::min(2.0, std::floor(a + b * c + rng.uniform()))));
      numbers.push_back(a + b * c + rng.normal());
      weights.push_back(i % 3 == 2 ? 0.0 : 1.0 + below(3));
    }
  }
};

double squared_errors(const Random& data, const std::vector<char>& chosen) {
  double weight = 0.0, mean = 0.0, sum = 0.0;
  for (std::size_t i = 0; i < chosen.size(); ++i) weight += chosen[i] * data.weights[i];
  for (std::size_t i = 0; i < chosen.size(); ++i) mean += chosen[i] * data.weights[i] * data.numbers[i] / weight;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    sum += chosen[i] * data.weights[i] * (data.numbers[i] - mean) * (data.numbers[i] - mean);
  }
  return sum;
}

/// Weight times the chance that two draws differ in class.
double gini(const Random& data, const std::vector<char>& chosen) {
  Vector by_class(3, 0.0);
  for (std::size_t i = 0; i < chosen.size(); ++i) by_class[data.labels[i]] += chosen[i] * data.weights[i];
  const double weight = std::accumulate(by_class.begin(), by_class.end(), 0.0);
  double same = 0.0;
  for (const double k : by_class) same += k / weight * (k / weight);
  return weight * (1.0 - same);
}

using Impurity = double (*)(const Random&, const std::vector<char>&);

/// Of the two sides that a question makes of the rows with weight. Infinite if one is empty.
template <class GoesLow>
double impurity_of(const Random& data, Impurity impurity, const GoesLow& goes_low) {
  std::vector<char> low(data.labels.size(), 0), high(data.labels.size(), 0);
  for (std::size_t i = 0; i < low.size(); ++i) {
    if (data.weights[i] > 0.0) (goes_low(i) ? low : high)[i] = 1;
  }
  if (std::count(low.begin(), low.end(), 1) == 0 || std::count(high.begin(), high.end(), 1) == 0) return INFINITY;
  return impurity(data, low) + impurity(data, high);
}

double least_impurity(const Random& data, Impurity impurity) {
  double least = INFINITY;
  const MatrixView<const float> x = data.table.view();
  for (std::size_t f = 0; f < x.cols; ++f) {
    for (std::size_t j = 0; j < x.rows; ++j) {
      least = std::min(least, impurity_of(data, impurity, [&](std::size_t i) { return x.row(i)[f] <= x.row(j)[f]; }));
    }
  }
  return least;
}

// With 8 rows that have weight, their values are sorted; with 27, they are counted.
TEST(Tree, SplitsWhereTheDefinitionDoes) {
  ThreadPool pool(1);
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Random data(seed, 40, 1000);
    if (seed % 2 == 1) std::fill(data.weights.begin() + 12, data.weights.end(), 0.0);
    const FeatureCodes codes(data.table.view(), pool);
    const GrownTree by_class = grow_tree(codes, ClassTarget{data.labels, 3}, data.weights, {.depth = 1}, pool);
    const GrownTree by_number = grow_tree(codes, NumberTarget{data.numbers}, data.weights, {.depth = 1}, pool);
    const auto side = [](const GrownTree& grown) { return [&](std::size_t i) { return grown.leaves[i] == 0; }; };
    EXPECT_NEAR(impurity_of(data, gini, side(by_class)), least_impurity(data, gini), 1e-9) << seed;
    EXPECT_NEAR(impurity_of(data, squared_errors, side(by_number)), least_impurity(data, squared_errors), 1e-9) << seed;
  }
}

TEST(Tree, LeadsEveryRowToItsPureLeaf) {
  ThreadPool pool(1);
  for (const std::size_t tried : {0, 1, 2}) {
    const Random data(7, 500, 1e9);
    const FeatureCodes codes(data.table.view(), pool);
    const GrownTree grown =
        grow_tree(codes, ClassTarget{data.labels, 3}, data.weights, {.tried = tried, .rng = PublicRng(5)}, pool);
    std::map<std::size_t, std::uint32_t> label_of;
    for (std::size_t i = 0; i < data.labels.size(); ++i) {
      if (data.weights[i] == 0.0) {
        EXPECT_EQ(grown.leaves[i], GrownTree::kNowhere);
        continue;
      }
      const std::size_t leaf = grown.tree.leaf_of(data.table.view().row(i));
      EXPECT_EQ(leaf, grown.leaves[i]);
      EXPECT_EQ(label_of.emplace(leaf, data.labels[i]).first->second, data.labels[i]);
    }
    EXPECT_EQ(label_of.size(), grown.tree.leaves());
  }
}

/// No single question helps at first.
TEST(Tree, TakesASplitThatGainsNothingYet) {
  ThreadPool pool(1);
  const std::vector<float> x = {0, 0, 0, 1, 1, 0, 1, 1};
  const std::vector<std::uint32_t> labels = {0, 1, 1, 0};
  const auto tree = decision_tree();
  tree->fit({{x.data(), 4, 2}, labels}, pool);
  EXPECT_EQ(guesses_of(tree->scores({x.data(), 4, 2}, pool), 2), labels);
}

Vector scores_of(Learner& learner, const Examples& examples, MatrixView<const float> test, int threads) {
  ThreadPool pool(threads);
  learner.fit(examples, pool);
  return learner.scores(test, pool);
}

bool is_tree(const std::string& name) {
  static const std::vector<std::string> names = {"decision tree", "bagging",           "random forest",
                                                 "adaboost",      "gradient boosting", "xgboost"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Few values, so that no two features make the same split: roundings would decide which of them is taken.
TEST(Trees, WeighARowAsIfItWereRepeated) {
  const Random data(3, 300, 16);
  Table repeated{};
  repeated.width = data.table.width;
  std::vector<std::uint32_t> labels;
  const MatrixView<const float> x = data.table.view();
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (int k = 0; k < data.weights[i]; ++k) {
      repeated.x.insert(repeated.x.end(), x.row(i).begin(), x.row(i).end());
      labels.push_back(data.labels[i]);
    }
  }
  // XGBoost has sums in floats.
  const std::map<std::string, double> tolerances = {
      {"decision tree", 0.0}, {"adaboost", 1e-12}, {"gradient boosting", 1e-9}, {"xgboost", 1e-4}};
  for (const auto& [name, learner] : all_learners(1)) {
    if (!tolerances.contains(name)) continue;
    const Vector weighed = scores_of(*learner, {x, data.labels, 3, data.weights}, x, 1);
    const Vector again = scores_of(*learner, {repeated.view(), labels, 3}, x, 1);
    for (std::size_t i = 0; i < again.size(); ++i) {
      ASSERT_NEAR(weighed[i], again[i], tolerances.at(name)) << name << ", " << i;
    }
  }
}

// Wide enough for the search of a node to be shared among threads.
TEST(Trees, AreTheSameFromAnyNumberOfThreads) {
  PublicRng rng(11);
  Table table{};
  table.width = 40;
  std::vector<std::uint32_t> labels;
  for (int i = 0; i < 2000; ++i) {
    for (std::size_t c = 0; c < table.width; ++c) table.x.push_back(std::floor(static_cast<float>(2.0 * rng.normal())));
    labels.push_back(table.x[table.x.size() - 1] * table.x[table.x.size() - 2] + rng.normal() > 0 ? 1 : 0);
  }
  const MatrixView<const float> test(table.x.data(), 200, table.width);
  for (const auto& [name, learner] : all_learners(1)) {
    if (!is_tree(name)) continue;
    const Vector one = scores_of(*learner, {table.view(), labels}, test, 1);
    EXPECT_EQ(one, scores_of(*learner, {table.view(), labels}, test, 3)) << name;
  }
}

// Scores are below 20. Stages add up roundings of sums, in doubles, of XGBoost in floats.
TEST(Trees, ScoreAsScikitLearnDoes) {
  const std::map<std::string, double> tolerances = {
      {"decision tree", 1e-12}, {"adaboost", 1e-12}, {"gradient boosting", 1e-9}, {"xgboost", 1e-4}};
  for (const json& c : golden().at("trees")) {
    const std::size_t classes = c.at("classes");
    const auto labels = c.at("labels").get<std::vector<std::uint32_t>>();
    const Vector weights = c.at("weights").get<Vector>();
    for (const auto& [name, learner] : all_learners(1)) {
      if (!tolerances.contains(name)) continue;
      const std::size_t most = name == "decision tree" ? 1 : 3;
      const Table train(c.at("x"), most), test(c.at("test"), most);
      const Vector scores = scores_of(*learner, {train.view(), labels, classes, weights}, test.view(), 1);
      const Vector expected = c.at("margins").at(name).get<Vector>();
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const std::size_t row = i / (classes - 1), k = i % (classes - 1) + 1;
        const double margin = scores[row * classes + k] - scores[row * classes];
        ASSERT_NEAR(margin, expected[i], tolerances.at(name)) << name << ", " << classes << " classes, " << i;
      }
    }
    ThreadPool pool(1);
    const Table train(c.at("x")), test(c.at("test"));
    const Vector predicted =
        BoostedRegression(train.view(), c.at("numbers").get<Vector>(), pool).predict(test.view(), pool);
    for (std::size_t i = 0; i < predicted.size(); ++i) EXPECT_NEAR(predicted[i], c.at("predicted")[i], 1e-9) << i;
  }
}

// The mean of 20 areas against that of scikit-learn's 200, both with that deviation: 5.2 deviations of the difference
// are 2e-7 by chance, and the seeds are fixed.
TEST(Trees, ThatDrawReachWhatScikitLearnReaches) {
  const json& c = golden().at("drawing");
  const Table train(c.at("x")), test(c.at("test"));
  const auto labels = c.at("labels").get<std::vector<std::uint32_t>>();
  const auto truth = c.at("truth").get<std::vector<std::uint32_t>>();
  std::map<std::string, double> means;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const auto& [name, learner] : all_learners(seed)) {
      if (!c.at("areas").contains(name)) continue;
      const Vector scores = scores_of(*learner, {train.view(), labels}, test.view(), 2);
      means[name] += ranking_of(scores, truth).area / 20.0;
    }
  }
  for (const auto& [name, area] : c.at("areas").items()) {
    const double deviation = area.at("deviation").get<double>() * std::sqrt(1.0 / 20.0 + 1.0 / 200.0);
    EXPECT_NEAR(means.at(name), area.at("mean").get<double>(), 5.2 * deviation) << name;
  }
}

}  // namespace
}  // namespace sosia::eval
