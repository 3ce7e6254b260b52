// SPDX-License-Identifier: Apache-2.0
#include "generate/moving_loss.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "simd/elementwise.h"
#include "simd/parallel.h"
#include "simd/reduce.h"

namespace sosia {

namespace {

class MovingLoss : public RowLoss {
 public:
  MovingLoss(const EmbeddingTarget& target, const std::vector<double>& counts, double decay)
      : map_(target.map), weight_(target.weight), decay_(decay), dim_(static_cast<std::size_t>(map_->dim())) {
    const std::vector<double>& sums = target.embedding->sums;
    SOSIA_CHECK(sums.size() == counts.size() * dim_, "a released embedding has another size than its map");
    SOSIA_CHECK(decay >= 0.0 && decay < 1.0, "the running mean forgets");
    means_.resize(sums.size());
    gaps_.resize(sums.size());
    gradient_.resize(sums.size());
    sums_.resize(sums.size());
    age_.resize(counts.size());
    for (std::size_t p = 0; p < counts.size(); ++p) {
      if (!(counts[p] > 0.0)) continue;
      // A sum without noise is taken to be off by a quarter of a row.
      const double sigma = std::max(target.embedding->sigma, 0.25) / counts[p];
      floor_ += weight_ * sigma * sigma * static_cast<double>(dim_);
      for (std::size_t j = p * dim_; j < (p + 1) * dim_; ++j) means_[j] = static_cast<float>(sums[j] / counts[p]);
    }
  }

  double floor() const override { return floor_; }

  double evaluate(MatrixView<const float> rows, Parts parts, MatrixView<float> d_rows, ThreadPool& threads) override {
    std::vector<double> count(age_.size());
    for (std::size_t r = 0; r < rows.rows; ++r) ++count[parts.empty() ? 0 : parts[r]];
    double loss = 0.0;
    for (std::size_t p = 0; p < count.size(); ++p) loss += write_gradient(p, count[p]);
    own_.resize(d_rows.rows * d_rows.cols);
    const MatrixView<float> own(own_.data(), d_rows.rows, d_rows.cols);
    map_->backward_and_sum(rows, parts, {gradient_.data(), age_.size(), dim_}, own, {sums_.data(), age_.size(), dim_},
                           threads);
    for (std::size_t r = 0; r < d_rows.rows; ++r) simd::add_scaled(1.0F, own.row(r), d_rows.row(r));
    simd::for_pieces(threads, count.size(), [&](std::size_t p) { follow(p, count[p]); });
    return loss;
  }

 private:
  /// From the running gap of a part, which began at 0, to the gradient by the sum of its rows. Returns the loss.
  double write_gradient(std::size_t p, double rows) {
    const std::span<float> gap = std::span(gaps_).subspan(p * dim_, dim_);
    if (rows == 0.0 || age_[p] == 0) return 0.0;
    const double grown = 1.0 / (1.0 - std::pow(decay_, age_[p]));
    const auto factor = static_cast<float>(2.0 * weight_ * grown / rows);
    for (std::size_t j = 0; j < dim_; ++j) gradient_[p * dim_ + j] = factor * gap[j];
    return weight_ * grown * grown * simd::squared_norm(gap);
  }

  void follow(std::size_t p, double rows) {
    if (rows == 0.0) return;
    ++age_[p];
    const auto keep = static_cast<float>(decay_), take = static_cast<float>(1.0 - decay_);
    const auto share = static_cast<float>(1.0 / rows);
    for (std::size_t j = p * dim_; j < (p + 1) * dim_; ++j) {
      gaps_[j] = keep * gaps_[j] + take * (sums_[j] * share - means_[j]);
    }
  }

  std::shared_ptr<const FeatureMap> map_;
  double weight_, decay_;
  std::size_t dim_;
  std::vector<float> means_, gaps_, gradient_, sums_, own_;
  std::vector<int> age_;  ///< batches that a part was in
  double floor_ = 0.0;
};

}  // namespace

std::unique_ptr<RowLoss> moving_loss(const EmbeddingTarget& target, const std::vector<double>& counts, double decay) {
  return std::make_unique<MovingLoss>(target, counts, decay);
}

}  // namespace sosia
