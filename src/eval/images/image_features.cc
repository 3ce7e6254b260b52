// SPDX-License-Identifier: Apache-2.0
#include "eval/images/image_features.h"

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

}  // namespace

std::unique_ptr<ImageFeatures> pixel_features() { return std::make_unique<PixelFeatures>(); }

}  // namespace sosia::eval
