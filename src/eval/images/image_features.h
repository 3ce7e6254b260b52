// SPDX-License-Identifier: Apache-2.0
// Images as vectors, for metrics of geometry.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <sosia/images.h>

#include "base/matrix.h"
#include "base/thread_pool.h"

namespace sosia::eval {

class ImageFeatures {
 public:
  virtual ~ImageFeatures() = default;
  virtual const std::string& name() const = 0;  ///< stands beside every score that depends on it
  /// A vector for each of these images, one after the other. Does not depend on the number of threads.
  virtual std::vector<float> vectors(MatrixView<const float> images, std::span<const std::size_t> indices,
                                     ThreadPool& pool) const = 0;
};

/// The pixels themselves. Named "pixels".
std::unique_ptr<ImageFeatures> pixel_features();

/// What a feature net sees (perceptual/feature_file.h), as perceptual/perceptual_map.h scales it: the mean over pixels
/// of every channel of every layer that is read. Named like the net, with the first digits of its file's SHA-256.
std::unique_ptr<ImageFeatures> net_features(const std::filesystem::path& file, const ImageShape& shape);

}  // namespace sosia::eval
