// SPDX-License-Identifier: Apache-2.0
// Sets of images as metrics see them: in memory, image by image.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include <sosia/images.h>

#include "base/matrix.h"
#include "base/thread_pool.h"
#include "eval/images/image_features.h"
#include "random/public_rng.h"

namespace sosia::eval {

struct ImageSet {
  std::size_t count = 0;
  std::size_t values = 0;              ///< numbers of an image
  std::vector<float> pixels;           ///< image by image, in [0, 1]
  std::vector<std::uint32_t> classes;  ///< by image; empty if none are declared
  /// Metrics of geometry look at these images, at most 10,000, in the order in which they were drawn.
  std::vector<std::size_t> drawn = {};
  std::vector<float> features = {};  ///< of them

  MatrixView<const float> images() const { return {pixels.data(), count, values}; }
  /// Of the first `most` that were drawn.
  MatrixView<const float> feature_rows(std::size_t most) const;
};

/// A data error if images do not fit the schema, or there is none.
ImageSet read_image_set(const std::filesystem::path& path, const ImageSchema& schema, ThreadPool& pool,
                        const ImageOptions& options = {});

/// `count` images drawn with replacement.
ImageSet bootstrap(const ImageSet& set, std::size_t count, PublicRng& rng);
/// `count` images whose pixels, and class, are drawn with replacement, each by itself.
ImageSet independent_pixels(const ImageSet& set, std::size_t count, PublicRng& rng);

/// Draws images, and computes their features.
void add_features(const ImageFeatures& features, std::uint64_t seed, ThreadPool& pool, ImageSet& set);

}  // namespace sosia::eval
