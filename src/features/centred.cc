// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "features/feature_map.h"

namespace sosia {

namespace {

class Centred : public FeatureMap {
 public:
  Centred(std::unique_ptr<FeatureMap> map, std::vector<float> centre, double radius)
      : map_(std::move(map)), centre_(std::move(centre)), radius_(radius) {
    SOSIA_CHECK(centre_.size() == static_cast<std::size_t>(map_->dim()), "a centre is as long as the vectors");
    SOSIA_CHECK(radius > 0.0, "a radius above 0");
  }

  int inputs() const override { return map_->inputs(); }
  int dim() const override { return map_->dim(); }
  double norm_bound() const override { return radius_; }

  void forward(MatrixView<const float> rows, MatrixView<float> vectors) const override {
    map_->forward(rows, vectors);
    for (std::size_t r = 0; r < rows.rows; ++r) subtract(1.0F, vectors.row(r));
  }

  void sum(MatrixView<const float> rows, Parts parts, MatrixView<float> sums, ThreadPool& threads) const override {
    map_->sum(rows, parts, sums, threads);
    std::vector<std::size_t> counts(sums.rows, 0);
    if (parts.empty()) counts[0] = rows.rows;
    for (const std::uint32_t part : parts) ++counts[part];
    for (std::size_t p = 0; p < sums.rows; ++p) subtract(static_cast<float>(counts[p]), sums.row(p));
  }

  void backward(MatrixView<const float> rows, Parts parts, MatrixView<const float> d_sums, MatrixView<float> d_rows,
                ThreadPool& threads) const override {
    map_->backward(rows, parts, d_sums, d_rows, threads);
  }

 private:
  void subtract(float times, std::span<float> vector) const {
    for (std::size_t j = 0; j < centre_.size(); ++j) vector[j] -= times * centre_[j];
  }

  std::unique_ptr<FeatureMap> map_;
  std::vector<float> centre_;
  double radius_;
};

}  // namespace

std::unique_ptr<FeatureMap> centred(std::unique_ptr<FeatureMap> map, std::vector<float> centre, double radius) {
  return std::make_unique<Centred>(std::move(map), std::move(centre), radius);
}

}  // namespace sosia
