// SPDX-License-Identifier: Apache-2.0
#include "features/unit_image.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/check.h"
#include "simd/parallel.h"

namespace sosia {

namespace {

constexpr double kDark = 0.03;  // mean squared pixel of an image that is half bright

class UnitImage : public FeatureMap {
 public:
  UnitImage(const ImageShape& shape, std::size_t side) : square_of_(shape.values()) {
    SOSIA_CHECK(side > 0, "squares have a side");
    const std::size_t across = (shape.width + side - 1) / side, down = (shape.height + side - 1) / side;
    factor_.resize(across * down * shape.channels);
    for (std::size_t i = 0; i < square_of_.size(); ++i) {
      const std::size_t x = i % shape.width, y = i / shape.width % shape.height, channel = i / shape.pixels();
      square_of_[i] = (channel * down + y / side) * across + x / side;
      factor_[square_of_[i]] += 1.0;
    }
    for (double& factor : factor_) factor = 1.0 / factor;
  }

  int inputs() const override { return static_cast<int>(square_of_.size()); }
  int dim() const override { return static_cast<int>(factor_.size()); }
  double norm_bound() const override { return 1.0; }
  bool nonnegative() const override { return true; }

  void forward(MatrixView<const float> rows, MatrixView<float> vectors) const override {
    std::vector<double> squares(factor_.size());
    for (std::size_t r = 0; r < rows.rows; ++r) {
      const double length = write_squares(rows.row(r), squares);
      for (std::size_t s = 0; s < squares.size(); ++s) vectors.row(r)[s] = static_cast<float>(squares[s] / length);
    }
  }

  /// By a the vector v = a / length has the derivative (1 - v v') / length.
  void backward(MatrixView<const float> rows, Parts parts, MatrixView<const float> d_sums, MatrixView<float> d_rows,
                ThreadPool& threads) const override {
    simd::for_ranges(threads, rows.rows, simd::rows_per_piece(rows.cols), [&](std::size_t begin, std::size_t end) {
      std::vector<double> squares(factor_.size());
      for (std::size_t r = begin; r < end; ++r) {
        const std::span<const float> d = d_sums.row(parts.empty() ? 0 : parts[r]);
        const double length = write_squares(rows.row(r), squares);
        double along = 0.0;
        for (std::size_t s = 0; s < squares.size(); ++s) along += squares[s] * static_cast<double>(d[s]);
        along /= length * length;
        for (std::size_t s = 0; s < squares.size(); ++s) {
          squares[s] = (static_cast<double>(d[s]) - along * squares[s]) / length * factor_[s];
        }
        for (std::size_t i = 0; i < square_of_.size(); ++i) {
          d_rows.row(r)[i] = static_cast<float>(squares[square_of_[i]]);
        }
      }
    });
  }

 private:
  /// Means of the squares; returns what they are divided by.
  double write_squares(std::span<const float> row, std::vector<double>& squares) const {
    std::ranges::fill(squares, 0.0);
    for (std::size_t i = 0; i < square_of_.size(); ++i) {
      squares[square_of_[i]] += static_cast<double>(row[i]);
    }
    double sum = kDark * static_cast<double>(squares.size());
    for (std::size_t s = 0; s < squares.size(); ++s) {
      squares[s] *= factor_[s];
      sum += squares[s] * squares[s];
    }
    return std::sqrt(sum);
  }

  std::vector<std::size_t> square_of_;  ///< of each pixel
  std::vector<double> factor_;          ///< of each square: 1 over its pixels
};

}  // namespace

std::unique_ptr<FeatureMap> unit_image(const ImageShape& shape, std::size_t side) {
  return std::make_unique<UnitImage>(shape, side);
}

}  // namespace sosia
