// SPDX-License-Identifier: Apache-2.0
// Sets of images into files: the kinds that image_rows.h reads. For what is public: synthetic images.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include <sosia/image_samples.h>

#include "base/matrix.h"

namespace sosia {

/// Writes images block by block, as rows of the same form as they are read; pixels are cut to [0, 1] and rounded to
/// 1/255. Files, or the folder, appear under their names when `close` has succeeded.
class ImageWriter {
 public:
  /// `count` images will come. The kind is that of the path's name; a folder gets PNG files, in one folder a class.
  static std::unique_ptr<ImageWriter> create(const std::filesystem::path& path, const ImageSchema& schema,
                                             std::int64_t count);
  virtual ~ImageWriter() = default;
  virtual void write(MatrixView<const float> rows) = 0;
  virtual void close() = 0;
};

/// The first `columns` of each class, or of all without classes.
ImageSamples samples_of(const ImageSchema& schema, MatrixView<const float> rows, std::size_t columns);

/// One PNG file: a line of images for each class, in the order of the schema, the first `columns` of that class; black
/// where there are fewer. Without classes one line.
void write_sample_grid(const std::filesystem::path& path, const ImageSchema& schema, MatrixView<const float> rows,
                       std::size_t columns);

}  // namespace sosia
