// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include <nlohmann/json.hpp>

#include <sosia/error.h>
#include <sosia/fit.h>
#include <sosia/table.h>

#include "data/images/image_rows.h"
#include "data/images/picture.h"
#include "model/contents.h"
#include "model/model_file.h"

namespace sosia {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Every test runs for every method that takes images.
class ImageFitTest : public testing::TestWithParam<std::string> {
 protected:
  static void SetUpTestSuite() {
    folder() = fs::temp_directory_path() / ("sosia_image_fit_" + std::to_string(::getpid()));
    fs::create_directories(folder());
    write_example("shapes", shapes(), {.rows = 600});
  }
  static void TearDownTestSuite() { fs::remove_all(folder()); }
  static fs::path& folder() {
    static fs::path path;
    return path;
  }
  static fs::path shapes() { return folder() / "shapes.npz"; }

  static FitOptions options(double epsilon = 1.0, const char* steps = "10") {
    FitOptions options{.epsilon = epsilon, .delta = {}, .method = GetParam(), .test_noise = 5, .threads = 2};
    options.settings = {{"steps", steps}, {"batch", "60"}, {"hidden", "32"}};
    if (GetParam() == "dp-merf") options.settings.emplace_back("features", "200");
    return options;
  }
  static Model trained(const Model& released, int threads = 2) {
    return train(released, threads, [](const TrainingStep&) { return true; });
  }
  /// The mean picture of each class.
  static std::vector<std::vector<double>> means(const fs::path& path) {
    const ImageSchema images = *example_schema("shapes").images;
    std::vector<std::vector<double>> sums(3, std::vector<double>(images.shape.values()));
    const ImageCheck check = check_images(path, example_schema("shapes"));
    const auto source = open_images(path, images);
    const auto scan = source->scan();
    for (RowBlock block; scan->next(block);) {
      for (std::size_t r = 0; r < block.rows.rows; ++r) {
        const auto row = block.rows.row(r);
        const auto c = static_cast<std::size_t>(row.back());
        for (std::size_t j = 0; j < sums[c].size(); ++j) {
          sums[c][j] += static_cast<double>(row[j]) / static_cast<double>(check.classes[c]);
        }
      }
    }
    return sums;
  }
};

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return std::sqrt(sum);
}

TEST_P(ImageFitTest, SpendsWhatWasPlannedAndRepeats) {
  const Schema schema = example_schema("shapes");
  const FitPlan plan = plan_fit(shapes(), schema, options());
  const Model model = trained(release(shapes(), schema, options()));
  const json certificate = json::parse(model.certificate());
  EXPECT_LE(certificate["spent_epsilon"], 1.0);
  EXPECT_GT(certificate["spent_epsilon"], 0.99);
  EXPECT_EQ(certificate["events"].size(), plan.releases.size());
  FitOptions alone = options();
  alone.threads = 1;
  const Model again = trained(release(shapes(), schema, alone), 1);
  EXPECT_EQ(model_bytes(model.contents()), model_bytes(again.contents()));
  EXPECT_EQ(model_bytes(parse_model(model_bytes(model.contents()), "test")), model_bytes(model.contents()));
}

TEST_P(ImageFitTest, WithoutNoiseClassesLookLikeThemselves) {
  const Schema schema = example_schema("shapes");
  FitOptions how = options(std::numeric_limits<double>::infinity(), "300");
  how.settings.emplace_back("convolutions", "0");  // dense layers learn it in fewer steps
  how.test_noise = {};
  const Model model = trained(release(shapes(), schema, how));
  const auto& counts = std::get<Embeddings>(model.contents().released).counts;
  const ImageCheck check = check_images(shapes(), schema);
  for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(counts[c], static_cast<double>(check.classes[c]), 1e-6);
  fs::remove(folder() / "made.npz");
  EXPECT_EQ(model.sample(folder() / "made.npz", {.rows = 1500, .threads = 2}), 1500);
  const auto real = means(shapes()), made = means(folder() / "made.npz");
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 3; ++b) {
      if (a == b) continue;
      EXPECT_LT(3.0 * distance(made[a], real[a]), distance(made[a], real[b])) << a << b;
    }
  }
}

TEST_P(ImageFitTest, EvenClassesAreDeclaredAndNotReleased) {
  Schema schema = example_schema("shapes");
  FitOptions how = options();
  how.settings.emplace_back("even_classes", "1");
  EXPECT_THROW(plan_fit(shapes(), schema, how), Error);  // of how many images?
  schema.relation = Neighbors::replace;
  schema.rows = 600;
  EXPECT_EQ(plan_fit(shapes(), schema, how).releases[0].what, "sums of pixels by class");
  const Model model = release(shapes(), schema, how);
  EXPECT_THAT(std::get<Embeddings>(model.contents().released).counts, testing::Each(200.0));
  EXPECT_THAT(model.certificate(), testing::HasSubstr("that all classes have the same size"));
}

TEST_P(ImageFitTest, RefusesBeforeSpending) {
  Schema few = example_schema("shapes"), large = few;
  large.images->shape.width = 9;
  EXPECT_THROW(release(shapes(), large, options()), Error);
  EXPECT_THROW(release(folder() / "none.npz", few, options()), Error);
  EXPECT_THROW(release(shapes(), few, options(-1.0)), Error);
  FitOptions discovering = options();
  discovering.discovery = 0.2;
  EXPECT_THROW(release(shapes(), few, discovering), Error);
  few.images->classes.pop_back();  // a label that is no class
  EXPECT_THROW(release(shapes(), few, options()), Error);
}

// Under one key, other pictures would get the same noise.
TEST_P(ImageFitTest, PicturesThatAListNamesElsewhereBelongToTheRun) {
  const fs::path root = folder() / ("listed_" + GetParam());
  fs::create_directories(root / "set");
  const Schema schema = example_schema("shapes");
  const ImageSchema& images = *schema.images;
  const auto draw = [&](std::uint8_t shade) {
    const std::vector<std::uint8_t> pixels(images.shape.values(), shade);
    std::ofstream(root / "one.png", std::ios::binary) << encode_png(images.shape, pixels);
  };
  draw(10);
  std::ofstream(root / "list.csv") << "file,label\n../one.png," << images.classes[0] << "\n";
  FitOptions how = options();
  how.images.labels = root / "list.csv";
  how.run_file = root / "run";
  const auto bytes = [&] { return model_bytes(release(root / "set", schema, how).contents()); };
  const std::string first = bytes();
  EXPECT_EQ(bytes(), first);
  draw(200);
  try {
    bytes();
    FAIL() << "another picture";
  } catch (const Error& error) {
    EXPECT_THAT(error.problem(), testing::HasSubstr("not as it was when the run began: data"));
  }
}

INSTANTIATE_TEST_SUITE_P(All, ImageFitTest, testing::Values("dp-merf", "dp-hp"),
                         [](const auto& test) { return test.param == "dp-merf" ? "dp_merf" : "dp_hp"; });

TEST(ImageMethods, OthersSayWhichTakeImages) {
  FitOptions how;
  how.method = "independent";
  try {
    plan_fit("shapes.npz", example_schema("shapes"), how);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.fix(), testing::HasSubstr("dp-merf"));
  }
}

}  // namespace
}  // namespace sosia
