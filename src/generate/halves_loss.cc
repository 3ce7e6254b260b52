// SPDX-License-Identifier: Apache-2.0
#include "generate/halves_loss.h"

#include <algorithm>

#include "base/check.h"
#include "simd/elementwise.h"
#include "simd/parallel.h"

namespace sosia {

namespace {

class HalvesLoss : public RowLoss {
 public:
  HalvesLoss(const EmbeddingTarget& target, const std::vector<double>& counts)
      : map_(target.map), weight_(target.weight), parts_(counts.size()), dim_(static_cast<std::size_t>(map_->dim())) {
    const std::vector<double>& sums = target.embedding->sums;
    SOSIA_CHECK(sums.size() == parts_ * dim_, "a released embedding has another size than its map");
    means_.resize(sums.size());
    sums_.resize(2 * sums.size());
    for (std::size_t p = 0; p < parts_; ++p) {
      if (!(counts[p] > 0.0)) continue;
      const double sigma = std::max(target.embedding->sigma, kLeastSigma) / counts[p];
      floor_ += weight_ * sigma * sigma * static_cast<double>(dim_);
      for (std::size_t j = p * dim_; j < (p + 1) * dim_; ++j) means_[j] = static_cast<float>(sums[j] / counts[p]);
    }
  }

  double floor() const override { return floor_; }

  double evaluate(MatrixView<const float> rows, Parts parts, MatrixView<float> d_rows, ThreadPool& threads) override {
    split(rows.rows, parts);
    own_.resize(rows.rows * rows.cols);
    const MatrixView<float> own(own_.data(), rows.rows, rows.cols), sums(sums_.data(), 2 * parts_, dim_);
    losses_.assign(parts_, 0.0);
    const auto between = [&] {
      simd::for_pieces(threads, parts_, [&](std::size_t p) { losses_[p] = sums_to_gradient(p); });
    };
    map_->sum_and_backward(rows, halves_, sums, between, sums, own, threads);
    for (std::size_t r = 0; r < rows.rows; ++r) simd::add_scaled(1.0F, own.row(r), d_rows.row(r));
    double loss = 0.0;
    for (const double part : losses_) loss += part;
    return loss;
  }

 private:
  /// The rows of a part belong by turns to its first half, and to its second, which is part p + parts.
  void split(std::size_t rows, Parts parts) {
    halves_.resize(rows);
    count_.assign(2 * parts_, 0);
    for (std::size_t r = 0; r < rows; ++r) {
      const std::size_t part = parts.empty() ? 0 : parts[r];
      const std::size_t half = count_[part] > count_[part + parts_] ? part + parts_ : part;
      halves_[r] = static_cast<std::uint32_t>(half);
      ++count_[half];
    }
  }

  /// From the sums of both halves to their loss; the gradient by the sums takes their place.
  double sums_to_gradient(std::size_t p) {
    const std::size_t rows = count_[p], others = count_[p + parts_];
    float* const first = sums_.data() + p * dim_;
    float* const second = first + parts_ * dim_;
    if (others == 0) {
      std::fill_n(first, dim_, 0.0F);
      return 0.0;
    }
    const auto first_share = static_cast<float>(1.0 / static_cast<double>(rows));
    const auto second_share = static_cast<float>(1.0 / static_cast<double>(others));
    const auto weight = static_cast<float>(weight_);
    double product = 0.0;
    for (std::size_t j = 0; j < dim_; ++j) {
      const float mean = means_[p * dim_ + j];
      const float first_gap = first[j] * first_share - mean, second_gap = second[j] * second_share - mean;
      product += static_cast<double>(first_gap) * static_cast<double>(second_gap);
      first[j] = weight * first_share * second_gap;
      second[j] = weight * second_share * first_gap;
    }
    return weight_ * product;
  }

  std::shared_ptr<const FeatureMap> map_;
  double weight_;
  std::size_t parts_, dim_;
  std::vector<float> means_, sums_, own_;
  std::vector<std::uint32_t> halves_;
  std::vector<std::size_t> count_;
  std::vector<double> losses_;
  double floor_ = 0.0;
};

}  // namespace

std::unique_ptr<RowLoss> halves_loss(const EmbeddingTarget& target, const std::vector<double>& counts) {
  return std::make_unique<HalvesLoss>(target, counts);
}

}  // namespace sosia
