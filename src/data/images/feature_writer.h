// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/matrix.h"
#include "data/output_file.h"

namespace sosia {

/// Writes an array of features, images x features of float32, as computed_rows.h reads it. The file appears under its
/// name when it is complete, and is readable by its owner alone: it is as private as the images.
class FeatureWriter {
 public:
  FeatureWriter(const std::filesystem::path& path, std::int64_t images, std::size_t features);
  void write(MatrixView<const float> rows);
  /// All images must have been written.
  void close();

 private:
  OutputFile file_;
  std::int64_t left_;
};

}  // namespace sosia
