// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include <sosia/error.h>
#include <sosia/fit.h>
#include <sosia/table.h>

#include "model/contents.h"
#include "model/model_file.h"
#include "perceptual/feature_file.h"
#include "perceptual/perceptual_test_support.h"

namespace sosia {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kFirst = "sums of features and rows by class";
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

}  // namespace
}  // namespace sosia
