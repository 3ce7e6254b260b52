// SPDX-License-Identifier: Apache-2.0
#include "data/images/computed_rows.h"

#include <arrow/io/interfaces.h>

#include <utility>

#include <fmt/format.h>

#include <sosia/error.h>

#include "data/arrow_guard.h"
#include "data/images/image_records.h"
#include "data/images/npy_header.h"

namespace sosia {

namespace {

PixelType number_type(const NpyHeader& header, const std::string& name) {
  if (header.type == "<f4") return PixelType::float32;
  if (header.type == "<f8") return PixelType::float64;
  throw Error(ErrorKind::data, "the features are no floats", name, "save them as float32");
}

void check_width(const NpyHeader& header, std::size_t width, const std::string& name) {
  if (header.shape.size() == 2 && header.shape[1] == static_cast<std::int64_t>(width)) return;
  throw Error(ErrorKind::data,
              fmt::format("an array of shape {} holds no features of this net, which makes {} numbers of an image",
                          header.shape_text(), width),
              name, "compute them by the net that is given, and by as many moments; arrays are (images, features)");
}

/// A file that was not written to its end is refused before anything is spent, where its size tells.
void check_size(const ByteSource& features, const NpyHeader& header, std::size_t row_bytes) {
  if (features.packing() != Packing::none) return;
  const Fault fault{ErrorKind::io, "the file cannot be read", features.name(), "check that you may read it"};
  const std::int64_t numbers = require(features.file()->GetSize(), fault) - static_cast<std::int64_t>(header.bytes);
  const auto row = static_cast<std::int64_t>(row_bytes);
  if (numbers % row != 0 || numbers / row != header.shape[0]) {
    raise_damaged(features.name(), "the file is longer or shorter than its header says");
  }
}

void check_count(std::int64_t rows, std::int64_t images, const std::string& name) {
  if (rows == images) return;
  throw Error(ErrorKind::data, fmt::format("there are features of {} images for {} images", rows, images), name,
              "give the features of this set, a row for each image");
}

/// The array as a set of images without classes, as wide as it has features, and one pixel high: what reads pixels of
/// files reads these numbers, too.
std::shared_ptr<const ImageFormat> open_features(const ByteSource& features, std::size_t width) {
  const NpyHeader header = read_npy_header(*features.stream().stream, features.name());
  const PixelType type = number_type(header, features.name());
  check_width(header, width, features.name());
  check_size(features, header, width * size_of(type));
  return image_records({.name = features.name(),
                        .open = [features] { return features.stream(); },
                        .header = header.bytes,
                        .count = header.shape[0],
                        .type = type},
                       {.shape = {.width = width, .height = 1, .channels = 1}});
}

class ImagesWithFeatures : public ImageFormat {
 public:
  ImagesWithFeatures(std::shared_ptr<const ImageFormat> images, std::shared_ptr<const ImageFormat> features,
                     const ImageSchema& schema)
      : images_(std::move(images)),
        features_(std::move(features)),
        name_(images_->name() + " with " + features_->name()),
        pixels_(schema.shape.values()),
        has_classes_(!schema.classes.empty()) {
    if (images_->count()) check_count(*features_->count(), *images_->count(), features_->name());
  }

  const std::string& name() const override { return name_; }
  std::optional<std::int64_t> count() const override { return features_->count(); }
  std::unique_ptr<ImagePass> start() const override;

  const ImageFormat& images() const { return *images_; }
  const ImageFormat& features() const { return *features_; }
  std::size_t pixels() const { return pixels_; }
  bool has_classes() const { return has_classes_; }

 private:
  std::shared_ptr<const ImageFormat> images_, features_;
  std::string name_;
  std::size_t pixels_;
  bool has_classes_;
};

class PassOfBoth : public ImagePass {
 public:
  explicit PassOfBoth(const ImagesWithFeatures& format)
      : format_(format), images_(format.images().start()), features_(format.features().start()) {}

  bool take(std::size_t most, ImageChunk& chunk) override {
    chunk.beside.resize(1);
    ImageChunk& features = chunk.beside.front();
    const bool is_more = images_->take(most, chunk);
    // At the end, the features are asked for one more.
    const bool has_features = features_->take(is_more ? chunk.count : 1, features);
    if (has_features != is_more || (is_more && features.count != chunk.count)) {
      throw Error(ErrorKind::data, fmt::format("there are {} rows of features than images", is_more ? "fewer" : "more"),
                  format_.features().name(), "give the features of this set, a row for each image");
    }
    return is_more;
  }

  /// The pixels are looked at, too: images that are not what was declared are no images of this set.
  void decode(const ImageChunk& chunk, MatrixView<float> rows, ImageTrouble& trouble) const override {
    const std::size_t width = rows.cols - (format_.has_classes() ? 1 : 0);
    const std::size_t image_width = format_.pixels() + (format_.has_classes() ? 1 : 0);
    std::vector<float> pixels(chunk.count * image_width);
    const MatrixView<float> images(pixels.data(), chunk.count, image_width);
    images_->decode(chunk, images, trouble);
    for (std::size_t r = 0; format_.has_classes() && r < chunk.count; ++r) rows.row(r).back() = images.row(r).back();
    ImageTrouble of_features;
    features_->decode(chunk.beside.front(), {rows.data, rows.rows, width, rows.stride}, of_features);
    std::swap(of_features.outside, of_features.unscaled);
    trouble.add(of_features);
  }

 private:
  const ImagesWithFeatures& format_;
  std::unique_ptr<ImagePass> images_, features_;
};

std::unique_ptr<ImagePass> ImagesWithFeatures::start() const { return std::make_unique<PassOfBoth>(*this); }

}  // namespace

Packing packing_of_features(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  for (const auto& [ending, packing] :
       {std::pair{".npy", Packing::none}, {".npy.gz", Packing::gzip}, {".npy.zst", Packing::zstd}}) {
    if (name.ends_with(ending)) return packing;
  }
  throw Error(ErrorKind::usage, "the name is not that of an array of features", path.string(),
              "features are in files that end in .npy, .npy.gz or .npy.zst");
}

std::unique_ptr<RowSource> computed_rows(std::shared_ptr<const ImageFormat> images, const ByteSource& features,
                                         std::size_t width, const ImageSchema& schema) {
  return image_rows(std::make_shared<ImagesWithFeatures>(std::move(images), open_features(features, width), schema),
                    schema, width);
}

}  // namespace sosia
