// SPDX-License-Identifier: Apache-2.0
// What a kind of file has to offer so that its images become rows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/matrix.h"

namespace sosia {

/// What is wrong with images, in counts and places: the most that an error may show.
struct ImageTrouble {
  std::int64_t damaged = 0;   ///< not there, cut short, or no image
  std::int64_t misfits = 0;   ///< of another size, or in other colours
  std::int64_t outside = 0;   ///< with pixels that are not in [0, 1]
  std::int64_t strange = 0;   ///< with a label that is no class
  std::int64_t unscaled = 0;  ///< with features, computed elsewhere, that are not in [0, 1]
  std::int64_t first = -1;    ///< the number of the first, from 0

  bool any() const { return first >= 0; }
  void note(std::int64_t& count, std::int64_t image) {
    ++count;
    if (first < 0 || image < first) first = image;
  }
  void add(const ImageTrouble& other);
};

/// Some consecutive images, not decoded yet.
struct ImageChunk {
  std::int64_t first = 0;
  std::size_t count = 0;
  std::string bytes;
  std::vector<ImageChunk> beside = {};  ///< what a second file has about the same images
};

/// One pass over a set.
class ImagePass {
 public:
  virtual ~ImagePass() = default;
  /// The next images, at most `most`; false at the end. By one thread at a time.
  virtual bool take(std::size_t most, ImageChunk& chunk) = 0;
  /// A row each: pixels in [0, 1], plane by plane, or what stands in their place, then the class if there are classes.
  /// By any number of threads.
  virtual void decode(const ImageChunk& chunk, MatrixView<float> rows, ImageTrouble& trouble) const = 0;
};

/// A set of images that can be read any number of times. Thread-safe.
class ImageFormat {
 public:
  virtual ~ImageFormat() = default;
  virtual const std::string& name() const = 0;            ///< for errors
  virtual std::optional<std::int64_t> count() const = 0;  ///< of images, where that is known before they are read
  virtual std::unique_ptr<ImagePass> start() const = 0;
};

}  // namespace sosia
