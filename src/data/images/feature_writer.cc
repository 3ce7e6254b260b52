// SPDX-License-Identifier: Apache-2.0
#include "data/images/feature_writer.h"

#include <arrow/io/interfaces.h>

#include "base/check.h"
#include "data/images/computed_rows.h"
#include "data/images/npy_header.h"

namespace sosia {

FeatureWriter::FeatureWriter(const std::filesystem::path& path, std::int64_t images, std::size_t features)
    : file_(path, packing_of_features(path), true), left_(images) {
  const std::string header = npy_header_text("<f4", {images, static_cast<std::int64_t>(features)});
  require(file_.stream()->Write(header.data(), static_cast<std::int64_t>(header.size())), file_.fault());
}

void FeatureWriter::write(MatrixView<const float> rows) {
  for (std::size_t r = 0; r < rows.rows; ++r) {
    const std::span<const float> row = rows.row(r);
    require(file_.stream()->Write(row.data(), static_cast<std::int64_t>(row.size_bytes())), file_.fault());
  }
  left_ -= static_cast<std::int64_t>(rows.rows);
}

void FeatureWriter::close() {
  SOSIA_CHECK(left_ == 0, "as many rows of features as were promised");
  file_.commit();
}

}  // namespace sosia
