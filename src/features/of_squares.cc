// SPDX-License-Identifier: Apache-2.0
#include <utility>
#include <vector>

#include "base/check.h"
#include "features/coarse_image.h"
#include "features/squares.h"

namespace sosia {

namespace {

class OfSquares : public FeatureMap {
 public:
  OfSquares(Squares squares, std::unique_ptr<FeatureMap> map) : squares_(std::move(squares)), map_(std::move(map)) {
    SOSIA_CHECK(static_cast<std::size_t>(map_->inputs()) == squares_.size(), "a map of as many squares as there are");
  }

  int inputs() const override { return static_cast<int>(squares_.pixels()); }
  int dim() const override { return map_->dim(); }
  double norm_bound() const override { return map_->norm_bound(); }
  bool nonnegative() const override { return map_->nonnegative(); }

  void forward(MatrixView<const float> rows, MatrixView<float> vectors) const override {
    const std::vector<float> coarse = coarse_rows(rows);
    map_->forward({coarse.data(), rows.rows, squares_.size()}, vectors);
  }
  void sum(MatrixView<const float> rows, Parts parts, MatrixView<float> sums, ThreadPool& threads) const override {
    const std::vector<float> coarse = coarse_rows(rows);
    map_->sum({coarse.data(), rows.rows, squares_.size()}, parts, sums, threads);
  }
  void backward(MatrixView<const float> rows, Parts parts, MatrixView<const float> d_sums, MatrixView<float> d_rows,
                ThreadPool& threads) const override {
    const std::vector<float> coarse = coarse_rows(rows);
    std::vector<float> d_coarse(coarse.size());
    const MatrixView<float> d(d_coarse.data(), rows.rows, squares_.size());
    map_->backward({coarse.data(), rows.rows, squares_.size()}, parts, d_sums, d, threads);
    for (std::size_t r = 0; r < rows.rows; ++r) {
      const std::vector<double> d_squares(d.row(r).begin(), d.row(r).end());
      squares_.spread(d_squares, d_rows.row(r));
    }
  }

 private:
  std::vector<float> coarse_rows(MatrixView<const float> rows) const {
    std::vector<float> coarse;
    coarse.reserve(rows.rows * squares_.size());
    std::vector<double> means(squares_.size());
    for (std::size_t r = 0; r < rows.rows; ++r) {
      squares_.means(rows.row(r), means);
      for (const double mean : means) coarse.push_back(static_cast<float>(mean));
    }
    return coarse;
  }

  Squares squares_;
  std::unique_ptr<FeatureMap> map_;
};

}  // namespace

std::unique_ptr<FeatureMap> of_squares(const ImageShape& shape, std::size_t side, std::unique_ptr<FeatureMap> map) {
  return std::make_unique<OfSquares>(Squares(shape, side), std::move(map));
}

}  // namespace sosia
