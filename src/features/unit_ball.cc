// SPDX-License-Identifier: Apache-2.0
#include "features/unit_ball.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "simd/elementwise.h"
#include "simd/parallel.h"
#include "simd/reduce.h"

namespace sosia {

namespace {

class UnitBall : public FeatureMap {
 public:
  explicit UnitBall(int dim) : dim_(dim) {}

  int inputs() const override { return dim_; }
  int dim() const override { return dim_; }
  double norm_bound() const override { return 1.0; }
  bool nonnegative() const override { return true; }

  void forward(MatrixView<const float> rows, MatrixView<float> vectors) const override {
    for (std::size_t r = 0; r < rows.rows; ++r) bring_inside(rows.row(r), vectors.row(r));
  }

  /// Of a row that was scaled by s to the vector v, which has norm 1, the derivative is s (1 - v v') where it is
  /// positive.
  void backward(MatrixView<const float> rows, Parts parts, MatrixView<const float> d_sums, MatrixView<float> d_rows,
                ThreadPool& threads) const override {
    simd::for_ranges(threads, rows.rows, simd::rows_per_piece(rows.cols), [&](std::size_t begin, std::size_t end) {
      std::vector<float> vector(rows.cols);
      for (std::size_t r = begin; r < end; ++r) {
        const std::span<const float> d = d_sums.row(parts.empty() ? 0 : parts[r]);
        const float scale = bring_inside(rows.row(r), vector);
        const float along = scale == 1.0F ? 0.0F : static_cast<float>(simd::dot(d, vector));
        for (std::size_t j = 0; j < vector.size(); ++j) {
          d_rows.row(r)[j] = rows.row(r)[j] > 0.0F ? scale * (d[j] - along * vector[j]) : 0.0F;
        }
      }
    });
  }

 private:
  /// Returns what the row was scaled by.
  static float bring_inside(std::span<const float> row, std::span<float> vector) {
    for (std::size_t j = 0; j < row.size(); ++j) vector[j] = row[j] < 0.0F ? 0.0F : row[j];  // what is undefined stays
    const double norm = std::sqrt(simd::squared_norm(vector));
    if (norm <= 1.0) return 1.0F;
    if (!std::isfinite(norm)) {
      std::ranges::fill(vector, 0.0F);
      return 0.0F;
    }
    const auto scale = static_cast<float>((1.0 - 0x1p-20) / norm);
    simd::scale(scale, vector);
    return scale;
  }

  int dim_;
};

}  // namespace

std::unique_ptr<FeatureMap> unit_ball(int dim) { return std::make_unique<UnitBall>(dim); }

}  // namespace sosia
