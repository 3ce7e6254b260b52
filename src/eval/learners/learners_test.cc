// SPDX-License-Identifier: Apache-2.0
// Classifiers and measures of success against scikit-learn (tools/make_golden_learners.py).
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "eval/learners/learner.h"
#include "eval/learners/success.h"
#include "random/public_rng.h"

namespace sosia::eval {
namespace {

using nlohmann::json;

json golden() { return json::parse(std::ifstream("tests/golden_scores/learners.json")); }

struct Data {
  std::vector<float> x;
  std::vector<std::uint32_t> labels;
  std::vector<double> weights;
  std::size_t classes;

  explicit Data(const json& c) : labels(c.at("labels")), weights(c.at("weights")), classes(c.at("classes")) {
    for (const json& row : c.at("x")) {
      for (const json& value : row) x.push_back(value);
    }
  }
  MatrixView<const float> view() const { return {x.data(), labels.size(), x.size() / labels.size()}; }
};

// Both sides stop within 1e-7 of the minimum, and ours has covariances in floats; scores are below 20.
TEST(Learners, ScoreAsScikitLearnDoes) {
  const json file = golden();
  for (const json& c : file.at("learners")) {
    const Data data(c);
    for (const auto& [name, learner] : all_learners(1)) {
      if (!c.at("margins").contains(name)) continue;  // a net, or a tree: trees_test.cc
      const auto expected = c.at("margins").at(name).get<std::vector<double>>();
      const bool takes_weights = name != "linear discriminant";
      for (const int threads : {1, 3}) {
        ThreadPool pool(threads);
        learner->fit({data.view(), data.labels, data.classes,
                      takes_weights ? std::span<const double>(data.weights) : std::span<const double>()},
                     pool);
        const std::vector<double> scores = learner->scores(data.view(), pool);
        ASSERT_EQ(scores.size(), data.labels.size() * data.classes);
        for (std::size_t i = 0; i < expected.size(); ++i) {
          const std::size_t row = i / (data.classes - 1), k = i % (data.classes - 1) + 1;
          const double margin = scores[row * data.classes + k] - scores[row * data.classes];
          EXPECT_NEAR(margin, expected[i], 2e-5) << name << ", " << data.classes << " classes, " << i;
        }
      }
    }
  }
}

/// Two features whose signs decide together: no line tells the classes apart.
struct Corners {
  std::vector<float> x;
  std::vector<std::uint32_t> labels;
  explicit Corners(std::uint64_t seed) {
    PublicRng rng(seed);
    for (int i = 0; i < 1000; ++i) {
      const float a = static_cast<float>(2 * rng.uniform() - 1), b = static_cast<float>(2 * rng.uniform() - 1);
      x.insert(x.end(), {a, b});
      labels.push_back(a * b > 0 ? 1 : 0);
    }
  }
  MatrixView<const float> view() const { return {x.data(), labels.size(), 2}; }
};

TEST(Learners, NetSeesWhatLinesDoNot) {
  const Corners train(1), test(2);
  ThreadPool one(1), three(3);
  const auto net = small_net(1), line = logistic_regression();
  net->fit({train.view(), train.labels}, one);
  line->fit({train.view(), train.labels}, one);
  const std::vector<double> scores = net->scores(test.view(), one);
  EXPECT_GT(ranking_of(scores, test.labels).area, 0.95);
  EXPECT_LT(ranking_of(line->scores(test.view(), one), test.labels).area, 0.65);
  net->fit({train.view(), train.labels}, three);
  EXPECT_EQ(net->scores(test.view(), three), scores);
}

TEST(Learners, NeverGuessAClassThatNoExampleHas) {
  const std::vector<float> x = {0, 1, 1, 0, 1, 1, 0, 0};
  const std::vector<std::uint32_t> labels = {0, 2, 2, 0};
  ThreadPool pool(1);
  for (const auto& [name, learner] : all_learners(1)) {
    if (name == "small net") continue;
    learner->fit({{x.data(), 4, 2}, labels, 3}, pool);
    const std::vector<double> scores = learner->scores({x.data(), 4, 2}, pool);
    for (const double score : scores) EXPECT_TRUE(std::isfinite(score)) << name;
    for (const std::uint32_t guess : guesses_of(scores, 3)) EXPECT_NE(guess, 1U) << name;
  }
}

TEST(Success, IsMeasuredAsScikitLearnDoes) {
  const json c = golden().at("success");
  std::vector<double> scores;
  for (const json& rank : c.at("ranks")) scores.insert(scores.end(), {0.0, rank.get<double>()});
  const auto labels = c.at("labels").get<std::vector<std::uint32_t>>();
  const auto truth = c.at("truth").get<std::vector<std::uint32_t>>();
  const auto guesses = c.at("guesses").get<std::vector<std::uint32_t>>();
  EXPECT_NEAR(ranking_of(scores, labels).area, c.at("area").get<double>(), 1e-12);
  EXPECT_NEAR(ranking_of(scores, labels).precision, c.at("precision").get<double>(), 1e-12);
  EXPECT_NEAR(accuracy(guesses, truth), c.at("accuracy").get<double>(), 1e-12);
  EXPECT_NEAR(macro_f1(guesses, truth, 4), c.at("macro_f1").get<double>(), 1e-12);
  EXPECT_EQ(guesses_of(std::vector<double>{1, 3, 3, 0, -1, -2}, 3), (std::vector<std::uint32_t>{1, 0}));
}

}  // namespace
}  // namespace sosia::eval
