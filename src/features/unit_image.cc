// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <utility>
#include <vector>

#include "features/coarse_image.h"
#include "features/squares.h"
#include "simd/parallel.h"

namespace sosia {

namespace {

constexpr double kDark = 0.03;  // mean squared pixel of an image that is half bright

class UnitImage : public FeatureMap {
 public:
  explicit UnitImage(Squares squares) : squares_(std::move(squares)) {}

  int inputs() const override { return static_cast<int>(squares_.pixels()); }
  int dim() const override { return static_cast<int>(squares_.size()); }
  double norm_bound() const override { return 1.0; }
  bool nonnegative() const override { return true; }

  void forward(MatrixView<const float> rows, MatrixView<float> vectors) const override {
    std::vector<double> means(squares_.size());
    for (std::size_t r = 0; r < rows.rows; ++r) {
      squares_.means(rows.row(r), means);
      const double length = length_of(means);
      for (std::size_t s = 0; s < means.size(); ++s) vectors.row(r)[s] = static_cast<float>(means[s] / length);
    }
  }

  /// By a the vector v = a / length has the derivative (1 - v v') / length.
  void backward(MatrixView<const float> rows, Parts parts, MatrixView<const float> d_sums, MatrixView<float> d_rows,
                ThreadPool& threads) const override {
    simd::for_ranges(threads, rows.rows, simd::rows_per_piece(rows.cols), [&](std::size_t begin, std::size_t end) {
      std::vector<double> means(squares_.size());
      for (std::size_t r = begin; r < end; ++r) {
        const std::span<const float> d = d_sums.row(parts.empty() ? 0 : parts[r]);
        squares_.means(rows.row(r), means);
        const double length = length_of(means);
        double along = 0.0;
        for (std::size_t s = 0; s < means.size(); ++s) along += means[s] * static_cast<double>(d[s]);
        along /= length * length;
        for (std::size_t s = 0; s < means.size(); ++s) {
          means[s] = (static_cast<double>(d[s]) - along * means[s]) / length;
        }
        squares_.spread(means, d_rows.row(r));
      }
    });
  }

 private:
  static double length_of(const std::vector<double>& means) {
    double sum = kDark * static_cast<double>(means.size());
    for (const double mean : means) sum += mean * mean;
    return std::sqrt(sum);
  }

  Squares squares_;
};

}  // namespace

std::unique_ptr<FeatureMap> unit_image(const ImageShape& shape, std::size_t side) {
  return std::make_unique<UnitImage>(Squares(shape, side));
}

}  // namespace sosia
