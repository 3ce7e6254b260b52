// SPDX-License-Identifier: Apache-2.0
#include "eval/images/image_features.h"

#include <cmath>

#include "perceptual/feature_file.h"
#include "perceptual/perceptual_map.h"
#include "simd/parallel.h"
#include "simd/reduce.h"

namespace sosia::eval {

namespace {

class PixelFeatures : public ImageFeatures {
 public:
  const std::string& name() const override { return name_; }
  std::vector<float> vectors(MatrixView<const float> images, std::span<const std::size_t> indices,
                             ThreadPool& /*pool*/) const override {
    std::vector<float> all;
    all.reserve(indices.size() * images.cols);
    for (const std::size_t i : indices) all.insert(all.end(), images.row(i).begin(), images.row(i).end());
    return all;
  }

 private:
  std::string name_ = "pixels";
};

class NetFeatures : public ImageFeatures {
 public:
  NetFeatures(const FeatureFile& file, const ImageShape& shape)
      : name_(file.name + " " + file.sha256.substr(0, kDigits)), map_(perceptual(file.net, shape, {.moments = 1})) {
    const std::vector<ImageShape> shapes = shapes_of(file.net, file.name);
    for (std::size_t i = 0; i < file.net.layers.size(); ++i) {
      if (file.net.layers[i].is_read) read_.push_back(shapes[i + 1]);
    }
  }

  const std::string& name() const override { return name_; }
  std::vector<float> vectors(MatrixView<const float> images, std::span<const std::size_t> indices,
                             ThreadPool& pool) const override {
    std::size_t width = 0;
    for (const ImageShape& shape : read_) width += shape.channels;
    std::vector<float> all(indices.size() * width);
    simd::for_ranges(pool, indices.size(), kImages, [&](std::size_t begin, std::size_t end) {
      std::vector<float> pixels, seen((end - begin) * static_cast<std::size_t>(map_->dim()));
      for (std::size_t i = begin; i < end; ++i) {
        const auto image = images.row(indices[i]);
        pixels.insert(pixels.end(), image.begin(), image.end());
      }
      map_->forward({pixels.data(), end - begin, images.cols},
                    {seen.data(), end - begin, static_cast<std::size_t>(map_->dim())});
      write_means(seen, std::span(all).subspan(begin * width, (end - begin) * width));
    });
    return all;
  }

 private:
  static constexpr std::size_t kImages = 8, kDigits = 8;

  /// `seen` holds planes, image by image and layer by layer.
  void write_means(const std::vector<float>& seen, std::span<float> means) const {
    const float* plane = seen.data();
    for (std::size_t out = 0; out < means.size();) {
      for (const ImageShape& shape : read_) {
        for (std::size_t c = 0; c < shape.channels; ++c, plane += shape.pixels()) {
          // All numbers of a layer have a norm of at most 1 together: by the root of their count, means are of order 1.
          const double sum = simd::sum({plane, shape.pixels()});
          means[out++] = static_cast<float>(sum * std::sqrt(static_cast<double>(shape.values())) /
                                            static_cast<double>(shape.pixels()));
        }
      }
    }
  }

  std::string name_;
  std::unique_ptr<FeatureMap> map_;
  std::vector<ImageShape> read_;
};

}  // namespace

std::unique_ptr<ImageFeatures> pixel_features() { return std::make_unique<PixelFeatures>(); }

std::unique_ptr<ImageFeatures> net_features(const std::filesystem::path& file, const ImageShape& shape) {
  return std::make_unique<NetFeatures>(read_features(file), shape);
}

}  // namespace sosia::eval
