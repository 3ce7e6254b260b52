// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <numeric>

#include <nlohmann/json.hpp>

#include <sosia/error.h>
#include <sosia/features.h>
#include <sosia/fit.h>
#include <sosia/table.h>

#include "data/images/feature_writer.h"
#include "model/contents.h"
#include "model/model_file.h"
#include "perceptual/feature_file.h"
#include "perceptual/perceptual_test_support.h"

namespace sosia {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kFirst = "sums of features and rows by class";
const TrainingWatch kGoOn = [](const TrainingStep&) { return true; };
constexpr const char* kSecond = "sums of features to stop by, by class";

class DpMepfTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("sosia_dp_mepf_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    write_example("shapes", images(), {.rows = 300});
    std::ofstream(net(), std::ios::binary)
        << feature_bytes({.name = "small", .net = small_feature_net(FeatureLayer::Kind::max_pool, 2)});
  }
  void TearDown() override { fs::remove_all(folder_); }
  const fs::path& folder() const { return folder_; }
  fs::path images() const { return folder_ / "shapes.npz"; }
  fs::path net() const { return folder_ / "small.features"; }

  FitOptions options(const char* stop_share) const {
    FitOptions options{.epsilon = 1.0, .delta = {}, .method = "dp-mepf", .test_noise = 5, .threads = 2};
    options.features = net();
    options.settings = {{"steps", "6"}, {"batch", "48"}, {"hidden", "16"}, {"stop_share", stop_share}};
    return options;
  }
  static Model trained(const Model& released, int steps = 1000) {
    return train(released, 2, [&](const TrainingStep& step) { return step.step <= steps; });
  }

 private:
  fs::path folder_;
};

std::vector<std::string> releases(const FitPlan& plan) {
  std::vector<std::string> names;
  for (const PlannedRelease& planned : plan.releases) names.push_back(planned.what);
  return names;
}

TEST_F(DpMepfTest, WhatDecidesWhenToStopIsCharged) {
  const Schema schema = example_schema("shapes");
  const FitPlan plan = plan_fit(images(), schema, options("0.2"));
  ASSERT_THAT(releases(plan), testing::ElementsAre(kFirst, kSecond));
  const double first = plan.releases[0].noise, second = plan.releases[1].noise;
  const FitPlan alone = plan_fit(images(), schema, options("0"));
  ASSERT_THAT(releases(alone), testing::ElementsAre(kFirst));
  // Shares of mu^2, the sum of 1 / noise^2.
  const double whole = alone.releases[0].noise;
  EXPECT_NEAR(whole * whole / (first * first), 0.8, 1e-6);
  EXPECT_NEAR(whole * whole / (second * second), 0.2, 1e-6);

  const Model released = release(images(), schema, options("0.2"));
  const json certificate = json::parse(released.certificate());
  ASSERT_EQ(certificate["events"].size(), 2U);
  EXPECT_EQ(certificate["events"][1]["label"], kSecond);
  EXPECT_LE(certificate["spent_epsilon"], 1.0);
  EXPECT_GT(certificate["spent_epsilon"], 0.99);
  const auto& list = std::get<Embeddings>(released.contents().released).list;
  ASSERT_EQ(list.size(), 2U);
  EXPECT_NE(list[0].sums, list[1].sums);
  EXPECT_GT(list[1].sigma, 1.9 * list[0].sigma);  // 2, but for what counts add to the first
}

TEST_F(DpMepfTest, ATrainingIsTakenUpFromTheFile) {
  const Model released = release(images(), example_schema("shapes"), options("0.2"));
  const Model again(std::make_shared<ModelContents>(parse_model(model_bytes(released.contents()), "test")));
  EXPECT_EQ(model_bytes(trained(again).contents()), model_bytes(trained(released).contents()));
  // One that was interrupted is a model, and trained again it is what it would have been.
  const Model interrupted = trained(released, 3);
  EXPECT_NE(model_bytes(interrupted.contents()), model_bytes(trained(released).contents()));
  EXPECT_EQ(model_bytes(trained(interrupted).contents()), model_bytes(trained(released).contents()));
}

TEST_F(DpMepfTest, EvenClassesAreDeclaredAndNotReleased) {
  Schema schema = example_schema("shapes");
  FitOptions how = options("0");
  how.settings.emplace_back("even_classes", "1");
  EXPECT_THROW(plan_fit(images(), schema, how), Error);  // of how many images?
  schema.relation = Neighbors::replace;
  schema.rows = 300;
  const FitPlan plan = plan_fit(images(), schema, how);
  EXPECT_THAT(releases(plan), testing::ElementsAre("sums of features by class"));
  // Without the counts, the vectors of two images are sqrt(2) apart and not sqrt(2 (1 + 0.2^2)).
  const FitPlan other = plan_fit(images(), schema, options("0"));
  EXPECT_NEAR(other.releases[0].sigma / plan.releases[0].sigma, std::sqrt(1.04), 1e-3);
  EXPECT_EQ(other.releases[0].cells - plan.releases[0].cells, 3);
  const Model model = trained(release(images(), schema, how));
  EXPECT_THAT(std::get<Embeddings>(model.contents().released).counts, testing::Each(100.0));
  EXPECT_THAT(model.certificate(), testing::HasSubstr("that all classes have the same size"));
  EXPECT_THAT(trained(release(images(), schema, options("0"))).certificate(),
              testing::Not(testing::HasSubstr("same size")));
}

/// All of a model but what it says about itself.
std::string bytes_without_certificate(const Model& model) {
  ModelContents contents = model.contents();
  contents.statement.clear();
  contents.certificate.clear();
  return model_bytes(contents);
}

TEST_F(DpMepfTest, ComputedFeaturesGiveTheSameModel) {
  const Schema schema = example_schema("shapes");
  for (const int moments : {1, 2}) {
    const fs::path file = folder() / ("features" + std::to_string(moments) + ".npy");
    const ComputedFeatures computed =
        compute_features(net(), images(), schema, {.moments = moments, .threads = 3}, file, kGoOn);
    EXPECT_EQ(computed.images, 300);
    EXPECT_EQ(computed.features, moments * (3 * 16 + 6 * 4));
    FitOptions how = options(moments == 1 ? "0" : "0.2");
    how.settings.emplace_back("moments", std::to_string(moments));
    const Model expected = trained(release(images(), schema, how));
    how.computed = file;
    const Model model = trained(release(images(), schema, how));
    EXPECT_EQ(bytes_without_certificate(model), bytes_without_certificate(expected));
    constexpr const char* kSaid = "computed elsewhere, are what it makes of each image by itself";
    EXPECT_THAT(model.certificate(), testing::HasSubstr(kSaid));
    EXPECT_THAT(expected.certificate(), testing::Not(testing::HasSubstr(kSaid)));
    // Trained again from its file, without the features.
    fs::remove(file);
    const Model again(std::make_shared<ModelContents>(parse_model(model_bytes(model.contents()), "test")));
    EXPECT_EQ(model_bytes(trained(again).contents()), model_bytes(model.contents()));
  }
}

TEST_F(DpMepfTest, AnImageMovesTheSumsByOneAtMostWhateverItsFeatures) {
  // Without noise, the sums of two files that differ in one row only: at most 1 apart if that row says nothing in one
  // of them, sqrt(2) if it says two things.
  const Schema schema = example_schema("shapes");
  constexpr std::size_t kImages = 300, kWidth = 144;
  const auto sums_of = [&](const std::vector<float>& row) {
    std::vector<float> features(kImages * kWidth, 1.0F);  // of norm 12 all of them
    std::copy(row.begin(), row.end(), features.begin() + 17 * kWidth);
    FitOptions how = options("0");
    how.epsilon = std::numeric_limits<double>::infinity();
    how.test_noise = {};
    how.computed = folder() / "any.npy";
    fs::remove(how.computed);
    FeatureWriter writer(how.computed, kImages, kWidth);
    writer.write({features.data(), kImages, kWidth});
    writer.close();
    return std::get<Embeddings>(release(images(), schema, how).contents().released).list[0].sums;
  };
  std::vector<float> first(kWidth), second(kWidth), nothing(kWidth);
  std::fill_n(first.begin(), kWidth / 2, 1.0F);
  std::fill_n(second.begin() + kWidth / 2, kWidth / 2, 1.0F);
  const std::vector<double> at_first = sums_of(first), at_second = sums_of(second), at_nothing = sums_of(nothing);
  const auto distance = [](const std::vector<double>& a, const std::vector<double>& b) {
    return std::sqrt(std::inner_product(a.begin(), a.end(), b.begin(), 0.0, std::plus<>(),
                                        [](double x, double y) { return (x - y) * (x - y); }));
  };
  EXPECT_LE(distance(at_first, at_nothing), 1.0);
  EXPECT_GT(distance(at_first, at_nothing), 0.999);
  EXPECT_LE(distance(at_first, at_second), std::sqrt(2.0));
  EXPECT_GT(distance(at_first, at_second), 1.413);
}

TEST_F(DpMepfTest, ComputedFeaturesThatDoNotFitAreRefusedBeforeSpending) {
  const Schema schema = example_schema("shapes");
  FitOptions how = options("0");
  how.computed = folder() / "features.npy";
  EXPECT_THROW(plan_fit(images(), schema, how), Error);  // there is none
  compute_features(net(), images(), schema, {.moments = 1}, how.computed, kGoOn);
  EXPECT_THROW(plan_fit(images(), schema, how), Error);  // the fit has two moments
  how.settings.emplace_back("moments", "1");
  plan_fit(images(), schema, how);
  write_example("shapes", folder() / "fewer.npz", {.rows = 299});
  EXPECT_THROW(plan_fit(folder() / "fewer.npz", schema, how), Error);
  how.method = "dp-merf";
  how.settings.clear();
  how.features.clear();
  EXPECT_THROW(plan_fit(images(), schema, how), Error);  // it would not use them
}

TEST_F(DpMepfTest, ComputingLeavesNothingBehindWhereItDoesNotEnd) {
  const Schema schema = example_schema("shapes");
  const fs::path file = folder() / "features.npy";
  const auto stop = [](const TrainingStep& step) { return step.step < 3; };
  EXPECT_THROW(compute_features(net(), images(), schema, {}, file, stop), Error);
  EXPECT_THROW(compute_features(net(), images(), schema, {.moments = 3}, file, kGoOn), Error);
  EXPECT_THROW(compute_features(net(), images(), schema, {}, folder() / "features.csv", kGoOn), Error);
  const auto is_part = [](const auto& entry) { return entry.path().string().find("features.") != std::string::npos; };
  EXPECT_EQ(std::count_if(fs::directory_iterator(folder()), fs::directory_iterator(), is_part), 0);
  compute_features(net(), images(), schema, {}, file, kGoOn);
  EXPECT_THROW(compute_features(net(), images(), schema, {}, file, kGoOn), Error);  // there is one already
}

}  // namespace
}  // namespace sosia
