// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/matrix.h"
#include "base/thread_pool.h"

namespace sosia::eval {

/// Features as a tree sees them: it asks for nothing but order, so that a value's rank among the distinct values of its
/// feature says all. Splits found on codes are exact.
class FeatureCodes {
 public:
  /// More distinct values of a feature are a bug of the caller's: 65,536 rows cannot have them.
  static constexpr std::size_t kMost = std::size_t{1} << 16;

  FeatureCodes(MatrixView<const float> x, ThreadPool& pool);

  std::size_t rows() const { return rows_; }
  std::size_t features() const { return values_.size(); }
  /// The code of every row, below count().
  std::span<const std::uint16_t> of(std::size_t feature) const {
    return std::span(codes_).subspan(feature * rows_, rows_);
  }
  std::size_t count(std::size_t feature) const { return values_[feature].size(); }
  float value(std::size_t feature, std::size_t code) const { return values_[feature][code]; }

 private:
  std::size_t rows_;
  std::vector<std::uint16_t> codes_;        ///< feature by feature
  std::vector<std::vector<float>> values_;  ///< by feature: distinct, rising
};

}  // namespace sosia::eval
