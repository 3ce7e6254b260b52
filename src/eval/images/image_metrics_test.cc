// SPDX-License-Identifier: Apache-2.0
// Metrics of images against SciPy and scikit-learn (tools/make_golden_images.py), and what must hold of whole sets.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include <sosia/error.h>

#include "data/images/image_test_support.h"
#include "eval/images/evaluate_images.h"
#include "eval/images/image_metric.h"
#include "eval/images/spectrum.h"
#include "perceptual/feature_file.h"

namespace sosia::eval {
namespace {

using nlohmann::json;

const json& golden() {
  static const json value = json::parse(std::ifstream("tests/golden_scores/images.json"));
  return value;
}

ImageSet set_from(const json& file) {
  ImageSet set{.count = file.at("classes").size(), .values = 0, .pixels = file.at("pixels"), .classes = {}};
  set.values = set.pixels.size() / set.count;
  set.classes = file.at("classes").get<std::vector<std::uint32_t>>();
  ThreadPool pool(1);
  add_features(*pixel_features(), 1, pool, set);
  return set;
}

const ImageMetric& metric_called(const std::string& name) {
  for (const ImageMetric& metric : all_image_metrics()) {
    if (metric.info.name == name) return metric;
  }
  throw std::runtime_error("no metric " + name);
}

class GoldenImageScores : public testing::TestWithParam<std::string> {};

// Distances and moments are computed in double on both sides, radii and covariances by products of floats.
TEST_P(GoldenImageScores, AreThoseOfTheReference) {
  const ImageSchema schema{.shape = {golden().at("width"), golden().at("height"), 1}, .classes = {"a", "b", "c"}};
  const ImageSet real = set_from(golden().at("real")), made = set_from(golden().at("made"));
  const ImageSet holdout = set_from(golden().at("holdout"));
  const auto expected = golden().at("scores").at(GetParam()).get<std::vector<double>>();
  const double tolerance = GetParam() == "frechet" ? 1e-6 : 1e-9;
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    const Finding found = metric_called(GetParam()).measure({schema, real, made, &holdout, 1, pool});
    std::vector<double> numbers = {found.value};
    for (const Part& part : found.parts) numbers.push_back(part.value);
    ASSERT_GE(numbers.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(numbers[i], expected[i], tolerance) << i;
  }
}

/// All but those that train nets: those below.
std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const ImageMetric& metric : all_image_metrics()) {
    if (metric.info.group != MetricGroup::use) names.push_back(metric.info.name);
  }
  return names;
}
INSTANTIATE_TEST_SUITE_P(All, GoldenImageScores, testing::ValuesIn(all_names()),
                         [](const auto& test) { return test.param; });

// The matrix with entries min(i, j), i from 1: eigenvalues 1 / (4 sin^2((2k - 1) pi / (4n + 2))).
TEST(Spectrum, IsThatOfAKnownMatrix) {
  constexpr std::size_t kSize = 40;
  std::vector<double> matrix;
  for (std::size_t i = 1; i <= kSize; ++i) {
    for (std::size_t j = 1; j <= kSize; ++j) matrix.push_back(static_cast<double>(std::min(i, j)));
  }
  ThreadPool pool(2);
  const std::vector<double> values = eigenvalues(matrix, kSize, pool);
  double trace = 0.0;
  for (std::size_t k = 0; k < kSize; ++k) {
    const double sine = std::sin((2.0 * static_cast<double>(kSize - k) - 1.0) * M_PI / (4.0 * kSize + 2.0));
    EXPECT_NEAR(values[k], 1.0 / (4.0 * sine * sine), 1e-11);
    trace += values[k];
  }
  EXPECT_NEAR(trace_of_root(matrix, matrix, kSize, pool), trace, 1e-9);  // the root of a * a is a
}

TEST(Spectrum, TakesMatricesWithoutFullRank) {
  ThreadPool pool(1);
  const std::vector<double> zero(9, 0.0), one = {1, 1, 0, 1, 1, 0, 0, 0, 0};
  EXPECT_EQ(trace_of_root(zero, one, 3, pool), 0.0);
  EXPECT_NEAR(trace_of_root(one, one, 3, pool), 2.0, 1e-14);
  EXPECT_EQ(eigenvalues({5.0}, 1, pool), std::vector<double>{5.0});
}

/// Bright in the left, the right or the upper half, as the class says, with noise.
struct Halves {
  ImageTestFolder folder;
  ImageSchema schema{.shape = {6, 5, 1}, .classes = {"left", "right", "up"}};

  std::filesystem::path write(const std::string& name, std::size_t count, std::uint64_t seed) const {
    PublicRng rng(seed);
    std::vector<float> rows;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t k = i % 3;
      for (std::size_t p = 0; p < schema.shape.values(); ++p) {
        const std::size_t x = p % 6, y = p / 6;
        const bool is_bright = k == 0 ? x < 3 : k == 1 ? x >= 3 : y < 2;
        rows.push_back(static_cast<float>((is_bright ? 0.5 : 0.2) + 0.5 * rng.uniform() * rng.uniform()));
      }
      rows.push_back(static_cast<float>(k));
    }
    const std::size_t width = schema.shape.values() + 1;
    const auto writer = ImageWriter::create(folder / name, schema, static_cast<std::int64_t>(count));
    writer->write({rows.data(), count, width});
    writer->close();
    return folder / name;
  }
};

double score(const Scores& scores, const std::string& name, double Score::* of = &Score::synthetic) {
  for (const MetricScores& metric : scores.metrics) {
    if (metric.metric.name == name) return metric.score.*of;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

TEST(EvaluateImages, StandBetweenFloorAndCeiling) {
  const Halves halves;
  const auto real = halves.write("real.npz", 120, 1), alike = halves.write("alike.npz", 120, 2),
             held = halves.write("held.npz", 120, 3);
  const Scores scores = evaluate_images(alike, real, halves.schema, {.holdout = held}, {});
  EXPECT_EQ(scores.metrics.size(), image_metrics().size());
  EXPECT_EQ(scores.features, "pixels");
  EXPECT_LT(score(scores, "frechet"), score(scores, "frechet", &Score::ceiling) / 2);
  for (const char* name : {"transfer", "convolution"}) {
    EXPECT_GT(score(scores, name), 0.9) << name;
    EXPECT_LT(score(scores, name, &Score::ceiling), 0.6) << name;  // pixels say nothing of a class drawn by itself
  }
  for (const char* name : {"density", "coverage"}) {
    EXPECT_GT(score(scores, name), 0.7) << name;
    EXPECT_LT(score(scores, name, &Score::ceiling), 0.5) << name;
  }
  // An area from 120 and 120 has a standard deviation of 0.037; the seeds are fixed.
  for (const char* name : {"closest_share", "distance_attack"}) {
    EXPECT_NEAR(score(scores, name), 0.5, 0.19) << name;
  }
  const Scores again = parse_scores(to_json(scores), "scores");
  EXPECT_EQ(again.features, scores.features);
  EXPECT_EQ(score(again, "frechet"), score(scores, "frechet"));
}

TEST(EvaluateImages, CompareByAFeatureNet) {
  const Halves halves;
  const auto real = halves.write("real.npz", 60, 1), made = halves.write("made.npz", 60, 2);
  FeatureFile file{.name = "small", .net = {.shape = {6, 6, 1}, .layers = {}, .parameters = {}}};
  file.net.layers = {{.name = "one", .channels = 3, .is_read = true},
                     {.kind = FeatureLayer::Kind::max_pool, .side = 2},
                     {.name = "two", .channels = 4, .is_read = true}};
  PublicRng rng(3);
  for (std::size_t i = 0; i < parameter_count(file.net, "test"); ++i) {
    file.net.parameters.push_back(static_cast<float>(rng.normal()));
  }
  write_bytes(halves.folder / "net", feature_bytes(file));
  EvaluateOptions options{.metrics = {"frechet", "coverage"}, .features = halves.folder / "net"};
  const Scores scores = evaluate_images(made, real, halves.schema, options, {});
  EXPECT_TRUE(scores.features.starts_with("small ")) << scores.features;
  EXPECT_EQ(scores.metrics[0].counted.back(), (std::pair<std::string, double>("features", 7.0)));
  EXPECT_LT(score(scores, "frechet"), score(scores, "frechet", &Score::ceiling) / 2);
  const auto features = net_features(halves.folder / "net", halves.schema.shape);
  ThreadPool one(1), three(3);
  const ImageSet set = read_image_set(real, halves.schema, one);
  const std::vector<std::size_t> all = {0, 5, 17};
  EXPECT_EQ(features->vectors(set.images(), all, one), features->vectors(set.images(), all, three));
}

TEST(EvaluateImages, SeeACopy) {
  const Halves halves;
  const auto real = halves.write("real.npz", 90, 1), held = halves.write("held.npz", 90, 3);
  const Scores scores = evaluate_images(real, real, halves.schema, {.holdout = held, .metrics = {"privacy"}}, {});
  EXPECT_EQ(score(scores, "closest_record"), 0.0);
  EXPECT_EQ(score(scores, "closest_share"), 1.0);
  EXPECT_EQ(score(scores, "distance_attack"), 1.0);
}

TEST(EvaluateImages, DoNotDependOnThreads) {
  const Halves halves;
  const auto real = halves.write("real.npz", 30, 1), made = halves.write("made.npz", 24, 2);
  EvaluateOptions options{.holdout = real, .metrics = {"distributions", "coverage", "privacy", "convolution"}};
  options.threads = 1;
  const std::string one = to_json(evaluate_images(made, real, halves.schema, options, {}));
  options.threads = 3;
  EXPECT_EQ(to_json(evaluate_images(made, real, halves.schema, options, {})), one);
}

TEST(EvaluateImages, SayWhatWasLeftOut) {
  Halves halves;
  const auto one = halves.write("one.npz", 1, 1), two = halves.write("two.npz", 2, 2);
  for (const auto& [made, real] : {std::pair(one, one), {one, two}, {two, one}}) {
    const Scores scores = evaluate_images(made, real, halves.schema, {.holdout = one}, {});
    EXPECT_EQ(scores.metrics.size(), image_metrics().size());
    EXPECT_TRUE(json::accept(to_json(scores)));
  }
  halves.schema.classes.clear();
  const Scores scores =
      evaluate_images(one, two, halves.schema, {.metrics = {"class_balance", "transfer", "frechet"}}, {});
  ASSERT_EQ(scores.left_out.size(), 2U);
  EXPECT_EQ(scores.left_out[0].why, "classes in the schema");
  EXPECT_THROW(evaluate_images(one, two, halves.schema, {.metrics = {"tvd_1"}}, {}), Error);
}

}  // namespace
}  // namespace sosia::eval
