// SPDX-License-Identifier: Apache-2.0
#include "methods/label_star.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include <sosia/fit.h>

#include "model/contents.h"

namespace sosia {
namespace {

namespace fs = std::filesystem;

Outline labelled(std::size_t columns, std::uint32_t classes) {
  Outline outline;
  outline.widths.assign(columns + 1, 64);
  outline.ordered.assign(columns + 1, 64);
  outline.spare.assign(columns + 1, 0);
  outline.target = 0;
  outline.widths[0] = classes;
  outline.ordered[0] = 0;
  return outline;
}

TEST(LabelStar, TakesWhatACellNeeds) {
  const StarShape much = star_shape(labelled(16, 2), 0.3, 36000.0), less = star_shape(labelled(16, 2), 0.03, 36000.0);
  EXPECT_EQ(much.values, 8.0);
  EXPECT_LT(much.share, 0.01);
  EXPECT_GT(less.share, 20.0 * much.share);
  EXPECT_EQ(star_shape(labelled(2, 2), 0.3, 36000.0).share, 0.0) << "the pair in its classes says it all";
  EXPECT_GT(star_shape(labelled(3, 2), 0.3, 36000.0).share, 0.0);
  bool has_star = false;
  for (const double mu : {0.003, 0.01, 0.03, 0.1, 1.0}) {
    const StarShape star = star_shape(labelled(16, 2), mu, 36000.0);
    if (star.share == 0.0) continue;
    EXPECT_LE(star.share, 0.3);
    const double sigma = 4.0 / (mu * std::sqrt(star.share)), cell = 36000.0 / (2.0 * star.values);
    EXPECT_LE(sigma / cell, 0.1 * std::sqrt(2.0)) << mu;  // groups are rounded to a power of 2
    EXPECT_TRUE(star.values == 8.0 || sigma / cell > 0.1 / std::sqrt(2.0)) << mu;
    has_star = true;
  }
  EXPECT_TRUE(has_star);
}

TEST(LabelStar, IsAllThereIsWhereColumnsDrownAndClassesDoNot) {
  EXPECT_TRUE(star_shape(labelled(617, 2), 0.19, 2183.0).is_all);
  EXPECT_FALSE(star_shape(labelled(617, 2), 0.19, 60000.0).is_all) << "columns can be seen";
  EXPECT_FALSE(star_shape(labelled(29, 2), 0.19, 1531.0).is_all) << "pairs can still be seen";
  EXPECT_EQ(star_shape(labelled(617, 2), 0.19, 800.0).share, 0.0) << "not even classes can be seen";
  EXPECT_EQ(star_shape(labelled(617, 26), 0.19, 20000.0).share, 0.0) << "there are too many of them";
}

TEST(LabelStar, NeedsALabelAndNoise) {
  Outline plain = labelled(16, 2);
  plain.target.reset();
  EXPECT_EQ(star_shape(plain, 0.3, 36000.0).share, 0.0);
  EXPECT_EQ(star_shape(labelled(16, 1), 0.3, 36000.0).share, 0.0);
  EXPECT_EQ(star_shape(labelled(16, 2), std::numeric_limits<double>::infinity(), 36000.0).share, 0.0);
}

/// 200 numbers, each of which lies in the upper half for four rows of five of the one class, and for one of five of the
/// other; 1,200 rows. No column could be told from noise by itself, all of them together can.
TEST(LabelStar, LearnsFromManyColumnsThatDrown) {
  constexpr int kColumns = 200, kRows = 1200;
  const fs::path path = fs::temp_directory_path() / ("sosia_star_" + std::to_string(::getpid()) + ".csv");
  Schema schema{.columns = {{.name = "y", .values = {{"no", "yes"}}, .outside = Outside::refuse}}, .target = "y"};
  schema.relation = Neighbors::replace;
  schema.rows = kRows;
  std::string text = "y";
  for (int f = 0; f < kColumns; ++f) {
    std::string name = std::to_string(f);
    text.append(",").append(name);
    schema.columns.push_back({.name = std::move(name), .type = ColumnType::real, .min = 0.0, .max = 1.0});
  }
  for (int i = 0; i < kRows; ++i) {
    text += i % 2 == 0 ? "\nno" : "\nyes";
    for (int f = 0; f < kColumns; ++f) text += ((i / 2 + f) % 5 == 0) == (i % 2 == 0) ? ",0.9" : ",0.1";
  }
  std::ofstream(path, std::ios::binary) << text << "\n";
  const Model model = train(release(path, schema, {.epsilon = 1.0, .delta = 1e-5, .test_noise = 2}), 2,
                            [](const TrainingStep&) { return true; });
  fs::remove(path);
  const Measurements& measured = counts_of(model.contents());
  ASSERT_EQ(measured.list.size(), 2U * kColumns + 1U) << "a single of each column, and its pair with the label";
  const auto& mixture = dynamic_cast<const ProductMixture&>(*model.contents().generator);
  double agree = 0.0;
  for (int f = 1; f <= kColumns; ++f) {
    const std::vector<double> joint = mixture.marginal({0, f});
    const std::size_t width = joint.size() / 2;
    agree += joint[0] + joint[1] + joint[width + 2] + joint[width + 3];
  }
  EXPECT_GT(agree / kColumns, 0.55) << "0.5 if nothing is learned, 0.8 in truth";
  EXPECT_LT(agree / kColumns, 0.85);
}

}  // namespace
}  // namespace sosia
