// SPDX-License-Identifier: Apache-2.0
#include "methods/embeddings.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sosia/fit.h>

#include "methods/embedding_method.h"
#include "methods/pick_rule.h"
#include "model/contents.h"
#include "model/model_file.h"
#include "random/public_rng.h"

namespace sosia {
namespace {

NetFitOptions options_of(std::vector<std::uint32_t> widths, std::optional<int> label,
                         const std::vector<std::pair<std::string, std::string>>& given = {}) {
  const MethodInfo method{.name = "net", .summary = "", .claim = "", .options = net_options()};
  return net_fit_options(OpenRows(std::move(widths), label), {}, Settings(method, given), 1);
}

TEST(NetFitOptions, CodesAndStepsGoByTheColumnsButTheLabel) {
  const NetFitOptions two = options_of({0, 0, 5}, 2);
  EXPECT_EQ(two.shape.codes, 2);
  EXPECT_EQ(two.steps, 6000);
  const NetFitOptions four = options_of({0, 7, 7, 0}, {});
  EXPECT_EQ(four.shape.codes, 4);
  EXPECT_EQ(four.steps, 3000);
  EXPECT_EQ(options_of(std::vector<std::uint32_t>(20, 3), {}).shape.codes, 10);
  EXPECT_EQ(options_of({2}, 0).shape.codes, 1);  // a label alone
}

TEST(NetFitOptions, WhatIsSaidIsDone) {
  const NetFitOptions options = options_of({0, 0, 5}, 2, {{"codes", "7"}, {"steps", "15"}});
  EXPECT_EQ(options.shape.codes, 7);
  EXPECT_EQ(options.steps, 15);
}

/// The kernel of DP-MERF for two rows that are `apart` in every number.
double merf_kernel(int numbers, float apart, const Outline& outline = {}) {
  const MethodInfo method{.name = "maps", .summary = "", .claim = "", .options = merf_options()};
  const OpenRows rows(std::vector<std::uint32_t>(static_cast<std::size_t>(numbers), 0), {});
  const std::vector<std::pair<std::string, std::string>> as_is;
  const std::vector<TargetMap> maps = merf_maps(rows, outline, Settings(method, as_is));
  const auto width = static_cast<std::size_t>(numbers), dim = static_cast<std::size_t>(maps.at(0).map->dim());
  std::vector<float> both(2 * width, 0.5F), vectors(2 * dim);
  std::fill(both.begin() + numbers, both.end(), 0.5F + apart);
  maps[0].map->forward({both.data(), 2, width}, {vectors.data(), 2, dim});
  return std::inner_product(vectors.begin(), vectors.begin() + static_cast<std::ptrdiff_t>(dim),
                            vectors.begin() + static_cast<std::ptrdiff_t>(dim), 0.0);
}

// exp(-3 apart^2 / length_scale^2), up to the error of 1,000 public frequencies, which is at most sqrt(1 / 1000) in the
// mean square; they are fixed, so the test has no false alarms.
TEST(MerfMaps, ManyNumbersOfATableHaveANarrowerKernel) {
  constexpr double kError = 3.0 * 0.0316;
  EXPECT_NEAR(merf_kernel(kManyNumbers, 0.2F), std::exp(-3.0 * 0.04), kError);
  EXPECT_NEAR(merf_kernel(kManyNumbers + 1, 0.2F), std::exp(-3.0 * 0.04 / 0.16), kError);
  Outline pixels;
  pixels.image = ImageShape{.width = kManyNumbers + 1};
  EXPECT_NEAR(merf_kernel(kManyNumbers + 1, 0.2F, pixels), std::exp(-3.0 * 0.04), kError);
}

/// Rows of many binary columns; column 7 is the label, 9 of 10 times.
class PicksTest : public testing::TestWithParam<std::string> {
 protected:
  static constexpr int kColumns = 12, kTells = 7, kRows = 1200;
  PicksTest() {
    std::ofstream out(path_, std::ios::binary);
    for (int c = 0; c < kColumns; ++c) out << 'c' << c << ',';
    out << "x,y\n";
    PublicRng rng(3);
    for (int r = 0; r < kRows; ++r) {
      const bool label = rng.uniform() < 0.5;
      for (int c = 0; c < kColumns; ++c) {
        const bool tells = c == kTells && rng.uniform() < 0.9;
        out << ((tells ? label : rng.uniform() < 0.5) ? "1," : "0,");
      }
      out << rng.uniform() << ',' << (label ? "1\n" : "0\n");
    }
    for (int c = 0; c < kColumns; ++c) schema_.columns.push_back(binary(fmt::format("c{}", c)));
    schema_.columns.push_back({.name = "x", .type = ColumnType::real, .min = 0.0, .max = 1.0});
    schema_.columns.push_back(binary("y"));
    schema_.target = std::string("y");
  }
  ~PicksTest() override { std::filesystem::remove(path_); }

  static Column binary(const std::string& name) {
    return {.name = name, .values = {{"0", "1"}}, .outside = Outside::refuse};
  }
  Model released(double epsilon, const std::string& picks) const {
    FitOptions how{.epsilon = epsilon, .delta = {}, .method = GetParam(), .test_noise = 4};
    how.settings = {{"picks", picks}, {"steps", "150"}, {"batch", "200"}};
    if (GetParam() == "dp-merf") how.settings.emplace_back("features", "60");
    return release(path_, schema_, how);
  }

  std::filesystem::path path_ = std::filesystem::temp_directory_path() / fmt::format("sosia_picks_{}.csv", ::getpid());
  Schema schema_;
};
INSTANTIATE_TEST_SUITE_P(Methods, PicksTest, testing::Values("dp-merf", "dp-hp"),
                         [](const auto& test) { return std::string(test.param == "dp-hp" ? "dp_hp" : "dp_merf"); });

TEST_P(PicksTest, ThePickedColumnIsLearnedByClassAndTheOthersAreNot) {
  const Model model = released(5.0, "1");
  const auto& embeddings = std::get<Embeddings>(model.contents().released);
  // e^(epsilon / (2 sensitivity) score), of scores 1,080 rows apart: that another one is picked has a chance below
  // 1e-9, and the seed is fixed.
  EXPECT_EQ(embeddings.picked, std::vector<int>{kTells});
  ASSERT_EQ(embeddings.list.size(), 3U);  // the picked category; other numbers, other categories
  EXPECT_TRUE(embeddings.list[0].by_part);
  EXPECT_EQ(embeddings.list[0].sums.size(), 4U);
  EXPECT_FALSE(embeddings.list[1].by_part);
  EXPECT_EQ(embeddings.list[2].sums.size(), 2U * (kColumns - 1));

  const Model trained = train(model, 1, [](const TrainingStep&) { return true; });
  constexpr std::size_t kMade = 4000, kFields = kColumns + 2;
  std::vector<float> rows(kMade * kFields);
  trained.contents().generator->sample(1, 1, {}, {rows.data(), kMade, kFields});
  const auto agreeing = [&](std::size_t column) {
    int count = 0;
    for (std::size_t r = 0; r < kMade; ++r) count += rows[r * kFields + column] == rows[r * kFields + kColumns + 1];
    return count / static_cast<double>(kMade);
  };
  EXPECT_NEAR(agreeing(kTells), 0.95, 0.06);
  for (const std::size_t other : {0U, 3U, 11U}) EXPECT_NEAR(agreeing(other), 0.5, 0.1) << other;
}

TEST_P(PicksTest, UnderReplaceThePickedColumnsCountTheClasses) {
  schema_.relation = Neighbors::replace;
  schema_.rows = kRows;
  const Model model = released(5.0, "1");
  const nlohmann::json certificate = nlohmann::json::parse(model.certificate());
  for (const auto& event : certificate["events"]) {
    EXPECT_NE(event["label"], kClassesLabel) << "they are not counted beforehand";
  }
  // Scores are 600 / 2 * 0.9 rows apart, and epsilon is 1.2: another column has a chance below 1e-50.
  const auto& embeddings = std::get<Embeddings>(model.contents().released);
  EXPECT_EQ(embeddings.picked, std::vector<int>{kTells});
  ASSERT_EQ(embeddings.counts.size(), 2U);
  // Half of 1,200 rows, off by a deviation of 17 by chance and by the noise: six of both have a chance of 2e-9 each.
  for (const double count : embeddings.counts) {
    EXPECT_NEAR(count, kRows / 2.0, 6.0 * std::hypot(17.4, embeddings.count_sigma));
  }
  EXPECT_GT(embeddings.count_sigma, 0.0);
}

TEST_P(PicksTest, TheCertificateHasThePickAndTheModelFileResumes) {
  const Model model = released(2.0, "3");
  const nlohmann::json certificate = nlohmann::json::parse(model.certificate());
  EXPECT_LE(certificate["spent_epsilon"], 2.0);
  int picks = 0;
  for (const auto& event : certificate["events"])
    picks += event["mechanism"] == "exponential" ? int{event["count"]} : 0;
  EXPECT_EQ(picks, 3);
  const auto trained = [](const Model& from) {
    return model_bytes(train(from, 1, [](const TrainingStep& step) { return step.step < 5; }).contents());
  };
  const Model back(std::make_shared<const ModelContents>(parse_model(model_bytes(model.contents()), "test")));
  EXPECT_EQ(trained(back), trained(model));
}

TEST(PlanPicks, ClassesAreCountedFirstButUnderReplace) {
  Outline outline;
  outline.widths = {2, 2, 2};
  outline.spare = {0, 0, 0};
  outline.target = 2;
  const OpenRows rows(outline.widths, 2);
  for (const Neighbors relation : {Neighbors::add_remove, Neighbors::replace}) {
    const Ledger ledger({.epsilon = 1.0, .delta = 1e-5, .relation = relation});
    const std::vector<PlannedRelease> plan = plan_picks(rows, outline, 1, ledger);
    const PickShares shares = pick_shares(relation);
    ASSERT_EQ(plan.size(), shares.classes > 0.0 ? 2U : 1U);
    EXPECT_EQ(plan.size() == 2, relation == Neighbors::add_remove);
    EXPECT_NEAR(plan.back().noise, ledger.noise_for_share(shares.picks), 1e-12);
  }
}

/// Two numbers, with or without a category, in two classes that lie in opposite corners.
class TwoNumbersTest : public testing::Test {
 protected:
  static constexpr int kRows = 3000;
  TwoNumbersTest() {
    std::ofstream out(path_, std::ios::binary);
    out << "x,z,y,c\n";
    PublicRng rng(3);
    for (int r = 0; r < kRows; ++r) {
      const int label = r % 2;
      for (int number = 0; number < 2; ++number) out << 0.7 * label + 0.3 * rng.uniform() << ',';
      out << label << ',' << r % 3 << '\n';
    }
    schema_.columns = {{.name = "x", .type = ColumnType::real, .min = 0.0, .max = 1.0},
                       {.name = "z", .type = ColumnType::real, .min = 0.0, .max = 1.0},
                       {.name = "y", .values = {{"0", "1"}}, .outside = Outside::refuse}};
    schema_.target = std::string("y");
  }
  ~TwoNumbersTest() override { std::filesystem::remove(path_); }

  Model released(double epsilon, const std::string& sharp_share = "0.3") const {
    FitOptions how{.epsilon = epsilon, .delta = {}, .method = "dp-hp", .test_noise = 4};
    how.settings = {{"length_scale", "0.24"}, {"steps", "30"}, {"batch", "100"}, {"sharp_share", sharp_share}};
    return release(path_, schema_, how);
  }
  static std::size_t releases(const Model& model) {
    return std::get<Embeddings>(model.contents().released).list.size();
  }
  static std::size_t squares_across(const Model& model) {
    const Model trained = train(model, 1, [](const TrainingStep&) { return true; });
    return dynamic_cast<const NetGenerator&>(*trained.contents().generator).thinning().side;
  }

  std::filesystem::path path_ = std::filesystem::temp_directory_path() / fmt::format("sosia_two_{}.csv", ::getpid());
  Schema schema_;
};

TEST_F(TwoNumbersTest, HaveASharpProductByWhichRowsAreMadeAnew) {
  const Model model = released(5.0);
  ASSERT_EQ(releases(model), 2U);  // the product, and the sharp one
  const nlohmann::json certificate = nlohmann::json::parse(model.certificate());
  EXPECT_LE(certificate["spent_epsilon"], 5.0);
  EXPECT_GT(squares_across(model), 0U);
  const auto trained = [](const Model& from) {
    return model_bytes(train(from, 1, [](const TrainingStep&) { return true; }).contents());
  };
  const Model back(std::make_shared<const ModelContents>(parse_model(model_bytes(model.contents()), "test")));
  EXPECT_EQ(trained(back), trained(model));
  const Model without = released(5.0, "0");
  EXPECT_EQ(releases(without), 1U);
  EXPECT_EQ(squares_across(without), 0U);
}

TEST_F(TwoNumbersTest, ASharpProductThatWouldBeAllNoiseIsNotBought) {
  const Model model = released(0.05);
  EXPECT_EQ(releases(model), 1U);
  EXPECT_EQ(squares_across(model), 0U);
}

TEST_F(TwoNumbersTest, WithACategoryThereIsNone) {
  schema_.columns.push_back({.name = "c", .values = {{"0", "1", "2"}}, .outside = Outside::refuse});
  const Model model = released(5.0);
  EXPECT_EQ(releases(model), 3U);  // single numbers, categories, all pairs
  EXPECT_EQ(squares_across(model), 0U);
}

TEST(ColumnsToPick, WhereSomeCanBeToldButNotHalfOfThem) {
  const MethodInfo method{.name = "net", .summary = "", .claim = "", .options = {picks_option()}};
  const auto picks = [&](double rows, std::size_t columns, std::optional<int> label, const char* given = "0",
                         Neighbors relation = Neighbors::replace) {
    Outline outline;
    outline.widths.assign(columns + 1, 2);
    outline.spare.assign(columns + 1, 0);
    outline.target = label;
    outline.rows = rows;
    const Ledger ledger({.epsilon = 1.0, .delta = 1e-5, .relation = relation});
    return columns_to_pick(OpenRows(outline.widths, label), outline, Settings(method, {{"picks", given}}), ledger);
  };
  EXPECT_EQ(picks(602, 34, 0), 1);    // cervical
  EXPECT_EQ(picks(602, 34, {}), 0);   // no classes
  EXPECT_EQ(picks(11077, 14, 0), 0);  // Adult
  EXPECT_EQ(picks(1531, 29, 0), 9);   // credit
  EXPECT_EQ(picks(200, 34, 0), 1);    // worth a try
  EXPECT_EQ(picks(50, 34, 0), 0);     // not one could be learned
  EXPECT_EQ(picks(1000, 12, 0), 5);
  EXPECT_EQ(picks(1000, 10, 0), 0);  // half of them: not worth the price
  EXPECT_EQ(picks(602, 34, 0, "0", Neighbors::add_remove), 3);
  EXPECT_EQ(picks(11077, 14, 0, "3"), 3);
  EXPECT_EQ(picks(11077, 14, 0, "14"), 0);  // all of them
  Outline absent;                           // whether there is a value is all that the first two say
  absent.widths = {2, 2, 2, 2, 2};
  absent.spare = {1, 1, 0, 0, 0};
  absent.target = 4;
  const Settings two(method, {{"picks", "2"}});
  EXPECT_EQ(columns_to_pick(OpenRows(absent.widths, 4), absent, two, Ledger({.epsilon = 1.0})), 0);
}

}  // namespace
}  // namespace sosia
