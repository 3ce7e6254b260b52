// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>

#include <sosia/fit.h>

#include "model/contents.h"
#include "random/public_rng.h"

namespace sosia {
namespace {

namespace fs = std::filesystem;

/// Columns that tell each other's value: with all the budget there is, pairwise sees it and independent cannot.
TEST(Pairwise, LearnsHowColumnsDepend) {
  const fs::path path = fs::temp_directory_path() / ("sosia_pair_" + std::to_string(::getpid()) + ".csv");
  std::string text = "x,y,z\n";
  for (int i = 0; i < 2000; ++i) text += i % 2 == 0 ? "a,c,e\n" : (i % 4 == 1 ? "b,d,e\n" : "b,d,f\n");
  std::ofstream(path, std::ios::binary) << text;
  const Schema schema{.columns = {{.name = "x", .values = {{"a", "b"}}},
                                  {.name = "y", .values = {{"c", "d"}}},
                                  {.name = "z", .values = {{"e", "f"}}}}};
  for (const std::string method : {"pairwise", "independent"}) {
    const Model model = train(release(path, schema, {.epsilon = 5.0, .delta = {}, .method = method, .test_noise = 2}),
                              2, [](const TrainingStep&) { return true; });
    const auto shares = dynamic_cast<const ProductMixture&>(*model.contents().generator).marginal({0, 1});
    // The widths may hold a state for other values.
    const std::size_t width = counts_of(model.contents()).views[1].width;
    const double agree = shares[0] + shares[width + 1];
    if (method == "pairwise") {
      EXPECT_GT(agree, 0.95);
    }
    if (method == "independent") {
      EXPECT_NEAR(agree, 0.5, 0.05);
    }
  }
  fs::remove(path);
}

/// Two columns say nothing of a third, each by itself; together they determine it. No pair shows that.
TEST(Pairwise, SecondRoundSeesWhatNoPairShows) {
  const fs::path path = fs::temp_directory_path() / ("sosia_triple_" + std::to_string(::getpid()) + ".csv");
  std::string text = "x,y,z\n";
  for (int i = 0; i < 4000; ++i)
    text += i % 4 == 0 ? "a,c,e\n" : i % 4 == 1 ? "a,d,f\n" : i % 4 == 2 ? "b,c,f\n" : "b,d,e\n";
  std::ofstream(path, std::ios::binary) << text;
  const auto of = [](const char* name, std::vector<std::string> values) {
    return Column{.name = name, .values = std::move(values), .outside = Outside::refuse};
  };
  const Schema schema{.columns = {of("x", {"a", "b"}), of("y", {"c", "d"}), of("z", {"e", "f"})}};
  for (const char* share : {"0", "0.3"}) {
    const FitOptions how{.epsilon = 2.0, .delta = {}, .settings = {{"second_round", share}}, .test_noise = 2};
    const Model model = train(release(path, schema, how), 2, [](const TrainingStep&) { return true; });
    const std::vector<double> joint =
        dynamic_cast<const ProductMixture&>(*model.contents().generator).marginal({0, 1, 2});
    ASSERT_EQ(joint.size(), 8U);
    const double right = joint[0] + joint[3] + joint[5] + joint[6];
    EXPECT_NEAR(right, share == std::string("0") ? 0.5 : 1.0, 0.1) << share;
  }
  fs::remove(path);
}

/// Forty columns that each say a little of the label, and two that say nothing of it but together: x = y in one class,
/// x != y in the other. All are learned, though they make more pairs than can be scored.
TEST(Pairwise, LearnsEveryColumnOfAWideTableWithItsLabel) {
  constexpr int kColumns = 40, kRows = 4000;
  const fs::path path = fs::temp_directory_path() / ("sosia_star_" + std::to_string(::getpid()) + ".csv");
  const std::vector<std::string> values = {"0", "1"};
  Schema schema{.columns = {{.name = "label", .values = values, .outside = Outside::refuse},
                            {.name = "x", .values = values, .outside = Outside::refuse},
                            {.name = "y", .values = values, .outside = Outside::refuse}},
                .target = "label"};
  std::string text = "label,x,y";
  for (int c = 0; c < kColumns; ++c) {
    schema.columns.push_back({.name = fmt::format("c{}", c), .values = values, .outside = Outside::refuse});
    text += fmt::format(",c{}", c);
  }
  PublicRng rng(3, 0);
  for (int i = 0; i < kRows; ++i) {
    const int label = i % 2, x = i / 2 % 2;
    text += label == 0 ? "\n0" : "\n1";
    text += x == 0 ? ",0" : ",1";
    text += (x ^ label) == 0 ? ",0" : ",1";
    for (int c = 0; c < kColumns; ++c) text += rng.uniform() < (label == 0 ? 0.1 : 0.3) ? ",1" : ",0";
  }
  std::ofstream(path, std::ios::binary) << text << "\n";
  const FitOptions how{
      .epsilon = 1.0, .delta = {}, .settings = {{"components", "100"}, {"steps", "200"}}, .test_noise = 2};
  const Model model = train(release(path, schema, how), 2, [](const TrainingStep&) { return true; });
  const auto& mixture = dynamic_cast<const ProductMixture&>(*model.contents().generator);
  const std::vector<double> triple = mixture.marginal({0, 1, 2});
  EXPECT_GT(triple[0] + triple[3] + triple[5] + triple[6], 0.75);  // 1, and 0.5 if it is not seen
  double mean = 0.0;
  for (int c = 3; c < 3 + kColumns; ++c) {
    const std::vector<double> pair = mixture.marginal({0, c});
    mean += (pair[3] - pair[1]) / kColumns;
  }
  EXPECT_NEAR(mean, 0.5 * (0.3 - 0.1), 0.02);
  fs::remove(path);
}

/// Forty columns that all follow a hidden one. Without noise every pair is worth counting; it is rows that are few.
TEST(Pairwise, WithoutNoiseOfAWideTableNotAllPairsAreCounted) {
  constexpr std::size_t kColumns = 40, kPairs = kColumns * (kColumns - 1) / 2;
  const fs::path path = fs::temp_directory_path() / ("sosia_wide_" + std::to_string(::getpid()) + ".csv");
  const std::vector<std::string> values = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
  Schema schema;
  std::string text;
  for (std::size_t c = 0; c < kColumns; ++c) {
    schema.columns.push_back({.name = fmt::format("c{}", c), .values = values, .outside = Outside::refuse});
    text += fmt::format("{}c{}", c == 0 ? "" : ",", c);
  }
  PublicRng rng(5, 0);
  const auto digit = [&] { return static_cast<int>(10.0 * rng.uniform()); };
  for (int i = 0; i < 300; ++i) {
    const int hidden = digit();
    for (std::size_t c = 0; c < kColumns; ++c) {
      text += fmt::format("{}{}", c == 0 ? "\n" : ",", rng.uniform() < 0.7 ? hidden : digit());
    }
  }
  std::ofstream(path, std::ios::binary) << text << "\n";
  const FitOptions how{.epsilon = std::numeric_limits<double>::infinity(),
                       .delta = {},
                       .settings = {{"components", "10"}, {"steps", "1"}}};
  const Model model = train(release(path, schema, how), 2, [](const TrainingStep&) { return true; });
  const auto& list = counts_of(model.contents()).list;
  const auto pairs = static_cast<std::size_t>(
      std::count_if(list.begin(), list.end(), [](const Measurement& known) { return known.views.size() == 2; }));
  EXPECT_GT(pairs, kColumns);
  EXPECT_LT(pairs, kPairs / 2);
  fs::remove(path);
}

}  // namespace
}  // namespace sosia
