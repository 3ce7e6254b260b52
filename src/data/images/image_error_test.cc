// SPDX-License-Identifier: Apache-2.0
// Files that are damaged, cut short or not what was declared: refused, in words that show no name of an image, no label
// and no pixel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sosia/error.h>

#include "data/images/image_test_support.h"

namespace sosia {
namespace {

using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

const ImageSchema kSchema{{4, 3, 1}, {"0", "1", "2"}};

/// The error that reading gives, in a second pass as well as in the first.
Error error_of(const fs::path& path, const ImageSchema& schema = kSchema, const ImageOptions& options = {}) {
  std::unique_ptr<RowSource> source;
  try {
    source = open_images(path, schema, options);
  } catch (const Error& error) {
    return error;
  }
  std::string first;
  for (int pass = 0; pass < 2; ++pass) {
    const auto scan = source->scan();
    for (int call = 0; call < 2; ++call) {
      try {
        for (RowBlock block; scan->next(block);) {
        }
        ADD_FAILURE() << "was read: " << path;
      } catch (const Error& error) {
        if (first.empty()) first = error.what();
        EXPECT_EQ(error.what(), first) << "after an error every call throws it";
        if (pass == 1 && call == 1) return error;
      }
    }
  }
  return {ErrorKind::internal, "no error", "", ""};
}

class DamageTest : public testing::TestWithParam<const char*> {};

TEST_P(DamageTest, FilesCutShortAreRefused) {
  const TestImages images(kSchema, 6);
  const ImageTestFolder folder;
  images.write(folder / GetParam());
  const std::string bytes = file_bytes(folder / GetParam());
  for (std::size_t size = 0; size < bytes.size(); size += size < 16 ? 1 : 5) {
    // CIFAR has no header: a file cut between two images is one with fewer.
    if (std::string_view(GetParam()) == "batch.bin" && size > 0 && size % 13 == 0) continue;
    write_bytes(folder / GetParam(), bytes.substr(0, size));
    const Error error = error_of(folder / GetParam());
    ASSERT_EQ(error.kind(), ErrorKind::io) << size << ": " << error.what();
  }
}

TEST_P(DamageTest, WhatFollowsTheLastImageIsRefused) {
  if (std::string_view(GetParam()) == "set.npz") return;  // an archive ends in a comment of any length
  const TestImages images(kSchema, 6);
  const ImageTestFolder folder;
  images.write(folder / GetParam());
  write_bytes(folder / GetParam(), file_bytes(folder / GetParam()) + "x");
  EXPECT_EQ(error_of(folder / GetParam()).kind(), ErrorKind::io);
}

INSTANTIATE_TEST_SUITE_P(Kinds, DamageTest,
                         testing::Values("images.idx", "images.npy", "set.npz", "batch.bin", "images.npy.gz",
                                         "batch.bin.gz"));

TEST(ImageError, DamageInsideAnArchiveIsSeen) {
  const TestImages images(kSchema, 6);
  const ImageTestFolder folder;
  images.write(folder / "set.npz");
  const std::string whole = file_bytes(folder / "set.npz");
  constexpr std::size_t kHeader = 128;
  const std::size_t pixel = kHeader + 64;  // after some 40 bytes of the archive and a header
  const std::size_t label = whole.find("labels.npy") + std::string_view("labels.npy").size() + kHeader + 1;
  for (const std::size_t place : {pixel, label}) {
    std::string bytes = whole;
    bytes[place] = static_cast<char>(bytes[place] == 1 ? 0 : 1);  // another pixel, or another class
    write_bytes(folder / "set.npz", bytes);
    EXPECT_THAT(error_of(folder / "set.npz").what(), HasSubstr("damaged"));
  }
}

TEST(ImageError, AnotherShapeIsTold) {
  const TestImages images(kSchema, 6);
  for (const char* name : {"images.idx", "images.npy", "set.npz"}) {
    const ImageTestFolder folder;
    images.write(folder / name);
    for (const ImageShape& shape : {ImageShape{3, 4, 1}, {4, 3, 3}, {4, 4, 1}}) {
      const Error error = error_of(folder / name, {shape, kSchema.classes});
      EXPECT_EQ(error.kind(), ErrorKind::data);
      EXPECT_THAT(error.what(), HasSubstr("declare"));
    }
  }
}

TEST(ImageError, StrangeLabelsAreCounted) {
  const TestImages images(kSchema, 60);
  std::int64_t twos = 0, first = 0;
  for (std::size_t i = images.count; i-- > 0;) {
    if (images.view().row(i).back() != 2.0F) continue;
    ++twos;
    first = static_cast<std::int64_t>(i) + 1;
  }
  ImageSchema fewer = kSchema;
  fewer.classes.pop_back();
  for (const char* name : {"images.idx", "images.npy", "set.npz", "batch.bin"}) {
    const ImageTestFolder folder;
    images.write(folder / name);
    const Error error = error_of(folder / name, fewer);
    EXPECT_EQ(error.kind(), ErrorKind::data);
    EXPECT_EQ(error.problem(), std::to_string(twos) + " images with a label that is no declared class");
    EXPECT_THAT(error.where(), HasSubstr("the first is image " + std::to_string(first)));
  }
}

TEST(ImageError, LabelsMustBelongToTheImages) {
  const ImageTestFolder folder;
  for (const char* kind : {"idx", "npy"}) {
    const std::string images = std::string("images.") + kind, labels = std::string("labels.") + kind;
    TestImages(kSchema, 6).write(folder / images);
    fs::rename(folder / images, folder / "kept");
    TestImages(kSchema, 5).write(folder / images);
    fs::rename(folder / "kept", folder / images);
    EXPECT_THAT(error_of(folder / images).what(), HasSubstr("5 labels for 6 images"));
    fs::remove(folder / labels);
    EXPECT_THAT(error_of(folder / images).what(), HasSubstr("no such file"));
    fs::rename(folder / images, folder / (std::string("set.") + kind));
    EXPECT_THAT(error_of(folder / (std::string("set.") + kind)).what(), HasSubstr("where the labels are"));
  }
}

TEST(ImageError, FoldersAreToldInCountsAlone) {
  const ImageTestFolder folder;
  TestImages(kSchema, 20).write(folder / "set");
  fs::create_directory(folder / "set/Secret4711");
  const fs::path pictures = "tests/fuzz/corpus/picture";
  fs::copy(pictures / "grey.png", folder / "set/Secret4711/a.png");
  fs::copy(pictures / "other_size.png", folder / "set/0/4711.png");
  fs::copy(pictures / "colour.jpg", folder / "set/0/4712.JPG");
  fs::copy(pictures / "cut.png", folder / "set/1/Secret4711.png");
  write_bytes(folder / "set/1/Secret4711.jpeg", "");
  const Error error = error_of(folder / "set");
  EXPECT_EQ(error.kind(), ErrorKind::io);
  EXPECT_EQ(
      error.problem(),
      "2 images that cannot be read, 2 images of another size or with other colours than declared, 1 image with a "
      "label that is no declared class");
  EXPECT_THAT(error.what(), Not(HasSubstr("471")));
  write_bytes(folder / "set/1/Secret4711.gif", "");
  EXPECT_EQ(error_of(folder / "set").problem(), "the folder holds 1 files that are no images");
  EXPECT_THAT(error_of(folder / "set").what(), Not(HasSubstr("4711")));
}

TEST(ImageError, ListedFilesMustBeThere) {
  const ImageTestFolder folder;
  fs::create_directory(folder / "set");
  write_bytes(folder / "labels.csv", "file,label\nSecret4711.png,0\n,1\n");
  const Error error = error_of(folder / "set", kSchema, {.labels = folder / "labels.csv"});
  EXPECT_EQ(error.problem(), "2 images that cannot be read");
  EXPECT_THAT(error.what(), Not(HasSubstr("4711")));
}

TEST(ImageError, ListedFilesAreListedOnce) {
  const ImageTestFolder folder;
  fs::create_directory(folder / "set");
  for (const char* again : {"4711.png,0", "4711.png,1", "./x/../4711.png,0"}) {
    write_bytes(folder / "labels.csv", std::string("file,label\n4711.png,0\n,0\n,0\n4712.png,1\n") + again + "\n");
    const Error error = error_of(folder / "set", kSchema, {.labels = folder / "labels.csv"});
    EXPECT_EQ(error.problem(), "1 rows of the list name an image that others name too") << again;
    EXPECT_THAT(error.what(), Not(HasSubstr("471")));
  }
}

TEST(ImageError, UnknownNamesListTheKnownOnes) {
  EXPECT_THAT(error_of("set.bmp").what(), HasSubstr(".npz"));
  EXPECT_THROW(ImageWriter::create("set.tar", kSchema, 1), Error);
}

TEST(ImageError, AnInterruptedRunLeavesNothing) {
  const ImageTestFolder folder;
  const TestImages images(kSchema, 4);
  for (const char* name : {"images.idx", "set.npz", "pictures"}) {
    const auto writer = ImageWriter::create(folder / name, kSchema, 4);
    writer->write({images.rows.data(), 3, images.width()});
    EXPECT_THROW(writer->close(), Error) << "fewer images than promised";
  }
  EXPECT_TRUE(fs::is_empty(folder / ""));
}

TEST(ImageError, WritersRefuseWhatHasNoPlace) {
  const ImageTestFolder folder;
  EXPECT_THROW(ImageWriter::create(folder / "images.idx", {{1, 1, 1}, {"256"}}, 1), Error);
  EXPECT_THROW(ImageWriter::create(folder / "set.idx", kSchema, 1), Error) << "no name for the labels";
  EXPECT_THROW(ImageWriter::create(folder / "pictures", {{1, 1, 1}, {"../a"}}, 1), Error);
  const auto writer = ImageWriter::create(folder / "images.npy", kSchema, 1);
  const std::vector<float> row(13, 3.0F);
  EXPECT_THROW(writer->write({row.data(), 1, 13}), Error) << "class 3 of 3";
  EXPECT_THROW(writer->write({row.data(), 1, 12}), Error) << "no class";
}

}  // namespace
}  // namespace sosia
