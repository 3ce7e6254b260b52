// SPDX-License-Identifier: Apache-2.0
#include "data/images/computed_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include <sosia/error.h>

#include "data/images/feature_writer.h"
#include "data/images/image_test_support.h"
#include "data/images/npy_header.h"

namespace sosia {
namespace {

using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

const ImageSchema kSchema{{4, 3, 1}, {"0", "1", "2"}};
constexpr std::size_t kWidth = 7;

/// Of each image, numbers that are those of no other.
std::vector<float> test_features(std::size_t count) {
  std::vector<float> features(count * kWidth);
  for (std::size_t i = 0; i < features.size(); ++i) {
    features[i] = static_cast<float>(i) / static_cast<float>(features.size());
  }
  return features;
}

template <class Number>
std::string bytes_of(const std::vector<Number>& numbers) {
  std::string bytes(numbers.size() * sizeof(Number), '\0');
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

std::string npy(const std::vector<float>& features, std::size_t width = kWidth) {
  const auto size = static_cast<std::int64_t>(width);
  return npy_header_text("<f4", {static_cast<std::int64_t>(features.size()) / size, size}) + bytes_of(features);
}

std::unique_ptr<RowSource> open(const fs::path& images, const fs::path& features, const ImageSchema& schema = kSchema) {
  return computed_rows(open_image_files(images, schema, {}), ByteSource(features, packing_of_features(features)),
                       kWidth, schema);
}

class ComputedRowsTest : public testing::Test {
 protected:
  ComputedRowsTest() { images_.write(folder_ / "images.npy"); }

  /// The error for an array of features, at the opening if `is_early`.
  Error error_for(const std::string& bytes, bool is_early, const std::string& images = "images.npy") const {
    write_bytes(folder_ / "f.npy", bytes);
    std::unique_ptr<RowSource> source;
    try {
      source = open(folder_ / images, folder_ / "f.npy");
      EXPECT_FALSE(is_early);
      read_rows(*source);
      ADD_FAILURE() << "was read";
    } catch (const Error& error) {
      EXPECT_EQ(source == nullptr, is_early);
      return error;
    }
    return {ErrorKind::internal, "no error", "", ""};
  }

  static constexpr std::size_t kImages = 50;
  const TestImages images_{kSchema, kImages};
  const ImageTestFolder folder_;
};

TEST_F(ComputedRowsTest, ARowIsTheFeaturesAndTheClassOfAnImage) {
  const std::vector<float> features = test_features(kImages);
  std::vector<float> expected;
  for (std::size_t r = 0; r < kImages; ++r) {
    expected.insert(expected.end(), features.begin() + static_cast<std::ptrdiff_t>(r * kWidth),
                    features.begin() + static_cast<std::ptrdiff_t>((r + 1) * kWidth));
    expected.push_back(images_.view().row(r).back());
  }
  for (const char* file : {"f.npy", "f.npy.gz", "f.npy.zst"}) {
    FeatureWriter writer(folder_ / file, kImages, kWidth);
    writer.write({features.data(), 20, kWidth});
    EXPECT_FALSE(fs::exists(folder_ / file));  // not before it is complete
    writer.write({features.data() + 20 * kWidth, kImages - 20, kWidth});
    writer.close();
  }
  EXPECT_EQ(file_bytes(folder_ / "f.npy"), npy(features));
  EXPECT_EQ(fs::status(folder_ / "f.npy").permissions(), fs::perms::owner_read | fs::perms::owner_write);
  for (const char* name : {"images.npy", "images.idx.gz", "set.npz", "batch.bin"}) {
    images_.write(folder_ / name);
    const auto source = open(folder_ / name, folder_ / (name[0] == 'b' ? "f.npy.gz" : "f.npy"));
    EXPECT_EQ(source->columns(), 8);
    EXPECT_FALSE(source->has_units());
    EXPECT_EQ(read_rows(*source), expected) << name;
    EXPECT_EQ(read_rows(*source), expected) << "in a second pass";
  }
  EXPECT_EQ(read_rows(*open(folder_ / "images.npy", folder_ / "f.npy.zst")), expected);
}

TEST_F(ComputedRowsTest, ManyBlocksOfWideRowsKeepTheirOrder) {
  // A block holds 2^18 numbers at most: 4 rows of these.
  constexpr std::size_t kWide = 60000;
  std::vector<float> features(kImages * kWide);
  for (std::size_t r = 0; r < kImages; ++r) features[r * kWide + r] = 1.0F;
  write_bytes(folder_ / "wide.npy", npy(features, kWide));
  const auto source = computed_rows(open_image_files(folder_ / "images.npy", kSchema, {}),
                                    ByteSource(folder_ / "wide.npy"), kWide, kSchema);
  const std::vector<float> rows = read_rows(*source);
  for (std::size_t r = 0; r < kImages; ++r) {
    EXPECT_EQ(rows[r * (kWide + 1) + r], 1.0F);
    EXPECT_EQ(rows[r * (kWide + 1) + kWide], images_.view().row(r).back());
  }
}

TEST_F(ComputedRowsTest, DoublesAndFoldersWithoutClassesAreRead) {
  const ImageSchema schema{{4, 3, 1}};
  TestImages(schema, 5).write(folder_ / "pictures");
  const std::vector<float> features = test_features(5);
  const std::vector<double> doubles(features.begin(), features.end());
  write_bytes(folder_ / "f.npy", npy_header_text("<f8", {5, 7}) + bytes_of(doubles));
  EXPECT_EQ(read_rows(*open(folder_ / "pictures", folder_ / "f.npy", schema)), features);
}

TEST_F(ComputedRowsTest, AnotherArrayIsRefusedBeforeARowIsRead) {
  const std::vector<float> features = test_features(kImages);
  const std::string bytes = bytes_of(features);
  EXPECT_THAT(error_for(npy(test_features(49)), true).what(), HasSubstr("features of 49 images for 50 images"));
  EXPECT_THAT(error_for(npy(test_features(51)), true).what(), HasSubstr("features of 51 images for 50 images"));
  EXPECT_THAT(error_for(npy(features, 14), true).what(), HasSubstr("(25, 14)"));
  EXPECT_THAT(error_for(npy_header_text("<f4", {350}) + bytes, true).what(), HasSubstr("makes 7 numbers"));
  EXPECT_THAT(error_for(npy_header_text("<i4", {50, 7}) + bytes, true).what(), HasSubstr("no floats"));
  EXPECT_THAT(error_for(npy_header_text("<f2", {50, 7}) + bytes.substr(0, 700), true).what(), HasSubstr("float32"));
  EXPECT_THAT(error_for(npy_header_text(">f4", {50, 7}) + bytes, true).what(), HasSubstr("no floats"));
  std::string columns_first = npy(features);
  columns_first.replace(columns_first.find("False"), 5, "True ");
  EXPECT_THAT(error_for(columns_first, true).what(), HasSubstr("row by row"));
  EXPECT_EQ(error_for("", true).kind(), ErrorKind::io);
  const std::string whole = npy(features);
  for (const std::size_t size : {whole.size() - 1, whole.size() - 28, whole.size() / 2, std::size_t{40}}) {
    EXPECT_EQ(error_for(whole.substr(0, size), true).kind(), ErrorKind::io) << size;
  }
  EXPECT_EQ(error_for(whole + "x", true).kind(), ErrorKind::io);
  EXPECT_THROW(packing_of_features("features.csv"), Error);
  EXPECT_THROW(packing_of_features("features"), Error);
}

TEST_F(ComputedRowsTest, WhatOnlyReadingTellsIsRefusedThen) {
  images_.write(folder_ / "batch.bin");  // without a header: how many there are is seen at the end
  EXPECT_THAT(error_for(npy(test_features(49)), false, "batch.bin").what(), HasSubstr("fewer rows of features"));
  EXPECT_THAT(error_for(npy(test_features(51)), false, "batch.bin").what(), HasSubstr("more rows of features"));
  FeatureWriter writer(folder_ / "f.npy.gz", kImages, kWidth);
  const std::vector<float> features = test_features(kImages);
  writer.write({features.data(), kImages, kWidth});
  writer.close();
  const std::string packed = file_bytes(folder_ / "f.npy.gz");
  write_bytes(folder_ / "f.npy.gz", packed.substr(0, packed.size() - 20));
  EXPECT_THROW(read_rows(*open(folder_ / "images.npy", folder_ / "f.npy.gz")), Error);
}

TEST_F(ComputedRowsTest, NumbersThatAreNoFeaturesAreCountedAndNotShown) {
  for (const float wrong : {-0.125F, 1.75F, std::numeric_limits<float>::infinity(), NAN}) {
    std::vector<float> features = test_features(kImages);
    features[11 * kWidth + 3] = features[11 * kWidth + 4] = features[30 * kWidth] = wrong;
    const Error error = error_for(npy(features), false);
    EXPECT_EQ(error.kind(), ErrorKind::data);
    EXPECT_THAT(error.what(), HasSubstr("2 images with features that are no numbers from 0 to 1"));
    EXPECT_THAT(error.what(), HasSubstr("the first is image 12"));
    EXPECT_THAT(error.what(), HasSubstr("norm of 1"));
    EXPECT_THAT(error.what(), Not(HasSubstr("125")));
    EXPECT_THAT(error.what(), Not(HasSubstr("1.75")));
  }
}

TEST_F(ComputedRowsTest, ImagesAreCheckedAllTheSame) {
  TestImages strange(kSchema, kImages);
  strange.rows[3 * strange.width() + 12] = 2.0F;
  strange.write(folder_ / "images.npy");
  ImageSchema fewer = kSchema;
  fewer.classes.pop_back();
  write_bytes(folder_ / "f.npy", npy(test_features(kImages)));
  try {
    read_rows(*open(folder_ / "images.npy", folder_ / "f.npy", fewer));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("with a label that is no declared class"));
    EXPECT_THAT(error.what(), HasSubstr("4 x 3 pixels"));
  }
}

}  // namespace
}  // namespace sosia
