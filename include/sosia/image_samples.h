// SPDX-License-Identifier: Apache-2.0
// A few images of a set, as a page or a picture shows them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include <sosia/images.h>

namespace sosia {

struct ImageSamples {
  ImageShape shape;
  /// By class, or one without classes: image by image, row by row, all channels of a pixel together.
  std::vector<std::vector<std::uint8_t>> lines = {};
};

/// The first images of each class of a set, at most `columns`. Of real images they are for the internal page alone.
ImageSamples first_images(const std::filesystem::path& images, const ImageSchema& schema, std::size_t columns,
                          const ImageOptions& options = {});

}  // namespace sosia
