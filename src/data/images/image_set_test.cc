// SPDX-License-Identifier: Apache-2.0
// Sets of images in every kind of file, there and back; files of other programs; public sets.
#include <gtest/gtest.h>

#include <cstdlib>

#include "data/images/image_test_support.h"
#include "data/images/npy_header.h"
#include "data/images/picture.h"

namespace sosia {
namespace {

namespace fs = std::filesystem;

const fs::path kPictures = "tests/fuzz/corpus/picture", kRecords = "tests/fuzz/corpus/image_records";
const std::vector<std::string> kAnimals = {"cat", "dog", "a b"}, kNumbers = {"0", "1", "2"};

class RoundTrip : public testing::TestWithParam<const char*> {};

TEST_P(RoundTrip, GivesTheSameImages) {
  for (const ImageShape& shape : {ImageShape{5, 4, 1}, {3, 6, 3}, {1, 1, 1}}) {
    for (const std::vector<std::string>& classes : {std::vector<std::string>(), kAnimals, {"7", "3"}}) {
      const TestImages images({shape, classes}, 31);
      const ImageTestFolder folder;
      images.write(folder / GetParam());
      std::vector<float> back = read_rows(*open_images(folder / GetParam(), images.schema));
      ASSERT_EQ(back.size(), images.rows.size());
      if (std::string_view(GetParam()) == "pictures" && !classes.empty()) continue;  // in the order of folders: below
      EXPECT_EQ(back, images.rows);
    }
  }
}

TEST_P(RoundTrip, OneImageMoreChangesNoOther) {
  const TestImages images({{4, 3, 1}, {}}, 9);
  const std::size_t width = images.width();
  const ImageTestFolder folder;
  images.write(folder / GetParam());
  const std::vector<float> alone = read_rows(*open_images(folder / GetParam(), images.schema));
  for (const std::size_t place : {0, 4, 9}) {
    for (const float pixel : {0.0F, 1.0F}) {
      TestImages more = images;
      more.count = 10;
      const auto at = static_cast<std::ptrdiff_t>(place * width);
      more.rows.insert(more.rows.begin() + at, width, pixel);
      const ImageTestFolder beside;
      more.write(beside / GetParam());
      std::vector<float> rows = read_rows(*open_images(beside / GetParam(), images.schema));
      ASSERT_EQ(rows.size(), 10 * width);
      rows.erase(rows.begin() + at, rows.begin() + at + static_cast<std::ptrdiff_t>(width));
      EXPECT_EQ(rows, alone) << "at " << place;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, RoundTrip,
                         testing::Values("images.idx", "train-images-idx3-ubyte", "t10k-images-idx3-ubyte.gz",
                                         "images.npy", "images.npy.zst", "set.npz", "batch.bin", "batch.bin.gz",
                                         "pictures"));

TEST(ImageSet, LargeSetsComeInBlocks) {
  const TestImages images({{28, 28, 1}, kNumbers}, 2000);
  const ImageTestFolder folder;
  images.write(folder / "images.npy");
  const auto source = open_images(folder / "images.npy", images.schema);
  const auto scan = source->scan();
  int blocks = 0;
  for (RowBlock block; scan->next(block); ++blocks) EXPECT_LE(block.rows.rows, 334U);
  EXPECT_GE(blocks, 6);
  EXPECT_EQ(read_rows(*source), images.rows);
}

TEST(ImageSet, AFolderIsInTheOrderOfItsNames) {
  const TestImages images({{2, 2, 3}, kAnimals}, 9);
  const ImageTestFolder folder;
  images.write(folder / "set/");  // as one may write the name of a folder
  write_bytes(folder / "set/_notes.txt", "not an image");
  write_bytes(folder / "set/cat/.hidden", "nor this");
  std::vector<float> expected;
  for (const float label : {2.0F, 0.0F, 1.0F}) {  // "a b", "cat", "dog"
    for (std::size_t i = 0; i < images.count; ++i) {
      const auto row = images.view().row(i);
      if (row.back() == label) expected.insert(expected.end(), row.begin(), row.end());
    }
  }
  EXPECT_EQ(read_rows(*open_images(folder / "set", images.schema)), expected);
}

TEST(ImageSet, LabelsMayComeFromATable) {
  const ImageTestFolder folder;
  fs::create_directory(folder / "set");
  for (const char* name : {"grey.png", "grey.jpg"}) fs::copy(kPictures / name, folder / "set");
  fs::copy(kPictures / "grey.png", folder / "set/alike.png");
  write_bytes(folder / "labels.csv", "label,file\ndog,grey.png\ncat,grey.jpg\ndog,alike.png\n");
  const ImageSchema schema{{4, 3, 1}, kAnimals};
  const std::vector<float> rows = read_rows(*open_images(folder / "set", schema, {.labels = folder / "labels.csv"}));
  ASSERT_EQ(rows.size(), 3 * 13U);
  EXPECT_EQ(rows[12], 1.0F);
  EXPECT_EQ(rows[25], 0.0F);
  EXPECT_EQ(rows[38], 1.0F);
}

std::vector<std::uint8_t> decoded(const char* name, std::size_t channels) {
  std::vector<std::uint8_t> pixels(12 * channels);
  EXPECT_EQ(decode_picture(file_bytes(kPictures / name), {4, 3, channels}, pixels), PictureFault::none) << name;
  return pixels;
}

// Ramps that another program wrote.
TEST(Picture, PngFilesOfOthersAreRead) {
  const std::vector<std::uint8_t> grey = decoded("grey.png", 1), repeated = decoded("grey.png", 3),
                                  colour = decoded("colour.png", 3);
  for (std::size_t i = 0; i < 12; ++i) {
    const int ramp = static_cast<int>(10 * (i % 4) + 40 * (i / 4)), colours[] = {ramp, 255 - ramp, ramp / 2};
    EXPECT_EQ(grey[i], ramp);
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_EQ(repeated[3 * i + c], ramp);
      EXPECT_EQ(colour[3 * i + c], colours[c]);
    }
  }
}

// As Pillow decodes them. Versions of libjpeg may round the last step otherwise.
TEST(Picture, JpegFilesOfOthersAreRead) {
  using Bytes = std::vector<int>;
  const auto expect = [](const char* name, const Bytes& expected) {
    const std::vector<std::uint8_t> pixels = decoded(name, expected.size() / 12);
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(pixels[i], expected[i], 1) << name << " " << i;
  };
  expect("grey.jpg", {0, 11, 19, 30, 40, 51, 60, 70, 79, 90, 99, 110});
  expect("colour.jpg", {0,  255, 0,  8,  247, 4,  20, 235, 9,  29, 228, 15, 40,  214, 21, 49,  204, 25,
                        62, 192, 30, 70, 184, 36, 82, 176, 40, 92, 166, 45, 103, 154, 49, 111, 146, 54});
  expect("progressive.jpg", {29, 236, 22, 27, 234, 20, 51, 216, 25, 49, 214, 23, 20,  227, 13, 18,  225, 11,
                             42, 207, 16, 40, 205, 14, 86, 172, 47, 84, 170, 45, 108, 153, 50, 106, 151, 48});
}

TEST(Picture, WhatDoesNotFitIsTold) {
  const auto fault = [](const char* name, std::size_t channels) {
    std::vector<std::uint8_t> pixels(12 * channels);
    return decode_picture(file_bytes(kPictures / name), {4, 3, channels}, pixels);
  };
  for (const char* name : {"colour.png", "colour.jpg"}) EXPECT_EQ(fault(name, 1), PictureFault::misfit) << name;
  for (const char* name : {"alpha.png", "sixteen_bits.png", "other_size.png", "inks.jpg"}) {
    EXPECT_EQ(fault(name, 3), PictureFault::misfit) << name;
  }
  for (const char* name : {"cut.png", "cut.jpg"}) {
    EXPECT_EQ(fault(name, name[4] == 'p' ? 1 : 3), PictureFault::damaged) << name;
  }
}

// Written by NumPy: the fuzzer's corpus, a byte and a length before the labels, then the images.
TEST(Npy, ArraysOfOtherProgramsAreRead) {
  const ImageTestFolder folder;
  const auto rows_of = [&](const char* name, const char* kind, std::size_t channels) {
    const std::string all = file_bytes(kRecords / name);
    const std::size_t cut = static_cast<unsigned char>(all[1]) + 256U * static_cast<unsigned char>(all[2]);
    write_bytes(folder / (std::string("labels.") + kind), all.substr(3, cut));
    write_bytes(folder / (std::string("images.") + kind), all.substr(3 + cut));
    const bool is_labelled = cut > 0 || std::string_view(kind) == "npz";
    const ImageSchema schema{{4, 3, channels}, is_labelled ? kNumbers : std::vector<std::string>()};
    return read_rows(*open_images(folder / (std::string("images.") + kind), schema));
  };
  const std::vector<float> bytes = rows_of("npy", "npy", 1), zipped = rows_of("npz", "npz", 1),
                           floats = rows_of("npy_floats", "npy", 1), planes = rows_of("npy_planes", "npy", 3),
                           deflated = rows_of("npz_deflated", "npz", 3), doubles = rows_of("npy_doubles", "npy", 3),
                           idx = rows_of("idx", "idx", 1);
  EXPECT_EQ(bytes, zipped);
  EXPECT_EQ(bytes, idx);
  EXPECT_EQ(planes, deflated);
  ASSERT_EQ(floats.size(), 60U);
  for (std::size_t i = 0; i < 60; ++i) EXPECT_NEAR(floats[i], bytes[i / 12 * 13 + i % 12], 1e-7F);
  ASSERT_EQ(doubles.size(), 5 * 36U);
  for (std::size_t i = 0; i < doubles.size(); ++i) EXPECT_NEAR(doubles[i], planes[i / 36 * 37 + i % 36], 1e-7F);
  const float labels[] = {0, 1, 2, 1, 0};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(bytes[i * 13 + 12], labels[i]);
}

TEST(Npy, HeadersAreThoseOfNumPy) {
  const std::string header = npy_header_text("|u1", {60000});
  EXPECT_EQ(header.size() % 64, 0U);
  EXPECT_EQ(header.substr(10, 59), "{'descr': '|u1', 'fortran_order': False, 'shape': (60000, )");
  EXPECT_EQ(header.back(), '\n');
}

TEST(SampleGrid, HasALineForEachClass) {
  const TestImages images({{2, 1, 1}, kNumbers}, 20);
  const ImageTestFolder folder;
  write_sample_grid(folder / "grid.png", images.schema, images.view(), 4);
  std::vector<std::uint8_t> pixels(8 * 3);
  ASSERT_EQ(decode_picture(file_bytes(folder / "grid.png"), {8, 3, 1}, pixels), PictureFault::none);
  std::size_t filled[3] = {};
  for (std::size_t i = 0; i < images.count; ++i) {
    const auto row = images.view().row(i);
    const auto line = static_cast<std::size_t>(row[2]);
    if (filled[line] == 4) continue;
    const std::size_t at = line * 8 + 2 * filled[line]++;
    EXPECT_EQ(static_cast<float>(pixels[at]) / 255.0F, row[0]);
    EXPECT_EQ(static_cast<float>(pixels[at + 1]) / 255.0F, row[1]);
  }
}

// Public sets, where they are at hand: images in each class.
TEST(ImageSet, PublicSetsHaveTheirClasses) {
  const char* const said = std::getenv("SOSIA_DATA");
  const fs::path data = said != nullptr ? said : "../shared/data";
  if (!fs::exists(data / "mnist")) GTEST_SKIP() << "the public sets are not at " << data;
  const auto counts = [&](const char* file, const ImageShape& shape) {
    ImageSchema schema{shape, {}};
    for (int i = 0; i < 10; ++i) schema.classes.push_back(std::to_string(i));
    const auto source = open_images(data / file, schema);
    std::vector<int> found(10);
    const auto scan = source->scan();
    for (RowBlock block; scan->next(block);) {
      for (std::size_t r = 0; r < block.rows.rows; ++r) ++found[static_cast<std::size_t>(block.rows.row(r).back())];
    }
    return found;
  };
  EXPECT_EQ(counts("mnist/train-images-idx3-ubyte.gz", {28, 28, 1}),
            (std::vector{5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949}));
  EXPECT_EQ(counts("mnist/t10k-images-idx3-ubyte.gz", {28, 28, 1}),
            (std::vector{980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009}));
  EXPECT_EQ(counts("fashion_mnist/t10k-images-idx3-ubyte.gz", {28, 28, 1}), std::vector(10, 1000));
  EXPECT_EQ(counts("notmnist/t10k-images-idx3-ubyte.gz", {28, 28, 1}), std::vector(10, 1000));
  EXPECT_EQ(counts("usps/usps-images-idx3-ubyte.gz", {16, 16, 1}), std::vector(10, 1100));
  EXPECT_EQ(counts("cifar10/cifar10_train_first4000_lossless.bin.zst", {32, 32, 3}),
            (std::vector{396, 366, 420, 384, 422, 393, 414, 385, 407, 413}));
}

}  // namespace
}  // namespace sosia
