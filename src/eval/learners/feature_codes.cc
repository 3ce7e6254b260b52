// SPDX-License-Identifier: Apache-2.0
#include "eval/learners/feature_codes.h"

#include <algorithm>

#include "base/check.h"
#include "simd/parallel.h"

namespace sosia::eval {

namespace {

std::vector<float> distinct(std::vector<float> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

}  // namespace

FeatureCodes::FeatureCodes(MatrixView<const float> x, ThreadPool& pool)
    : rows_(x.rows), codes_(x.rows * x.cols), values_(x.cols) {
  simd::for_pieces(pool, x.cols, [&](std::size_t f) {
    std::vector<float> column(x.rows);
    for (std::size_t i = 0; i < x.rows; ++i) column[i] = x.row(i)[f];
    const std::vector<float>& values = values_[f] = distinct(column);
    SOSIA_CHECK(values.size() <= kMost, "a tree was given more distinct values than it has codes for");
    const std::span codes = std::span(codes_).subspan(f * rows_, rows_);
    for (std::size_t i = 0; i < x.rows; ++i) {
      const auto place = std::lower_bound(values.begin(), values.end(), column[i]) - values.begin();
      codes[i] = static_cast<std::uint16_t>(place);
    }
  });
}

}  // namespace sosia::eval
