// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "features/feature_map.h"
#include "simd/parallel.h"

namespace sosia {

namespace {

class BlockProducts : public FeatureMap {
 public:
  BlockProducts(std::vector<int> widths, std::vector<std::vector<int>> sets) : sets_(std::move(sets)) {
    for (const int width : widths) {
      SOSIA_CHECK(width >= 1, "a block has at least one number");
      first_.push_back(inputs_);
      width_.push_back(static_cast<std::size_t>(width));
      inputs_ += static_cast<std::size_t>(width);
    }
    for (const std::vector<int>& set : sets_) {
      std::size_t cells = 1;
      for (const int block : set) {
        SOSIA_CHECK(block >= 0 && static_cast<std::size_t>(block) < width_.size(),
                    "a set names a block that is not there");
        cells *= width_[static_cast<std::size_t>(block)];
      }
      cells_.push_back(cells);
      dim_ += cells;
    }
  }

  int inputs() const override { return static_cast<int>(inputs_); }
  int dim() const override { return static_cast<int>(dim_); }
  /// A one-hot row has a single 1 in each set's part.
  double norm_bound() const override { return std::sqrt(static_cast<double>(sets_.size())); }
  bool nonnegative() const override { return true; }

  void forward(MatrixView<const float> rows, MatrixView<float> vectors) const override {
    for (std::size_t i = 0; i < rows.rows; ++i) {
      float* out = vectors.row(i).data();
      for (std::size_t s = 0; s < sets_.size(); ++s) {
        expand(rows.row(i).data(), sets_[s], out);
        out += cells_[s];
      }
    }
  }

  void backward(MatrixView<const float> rows, Parts parts, MatrixView<const float> d_sums, MatrixView<float> d_rows,
                ThreadPool& threads) const override {
    simd::for_ranges(threads, rows.rows, simd::rows_per_piece(dim_), [&](std::size_t begin, std::size_t end) {
      backward_rows(rows, parts, d_sums, d_rows, begin, end);
    });
  }

  /// Strips of cells, so that threads never write to the same sums.
  void sum(MatrixView<const float> rows, Parts parts, MatrixView<float> sums, ThreadPool& threads) const override {
    if (std::any_of(sets_.begin(), sets_.end(), [](const auto& set) { return set.size() != 1; })) {
      return FeatureMap::sum(rows, parts, sums, threads);
    }
    for (std::size_t p = 0; p < sums.rows; ++p) std::fill_n(sums.row(p).data(), dim_, 0.0F);
    simd::for_pieces(threads, sets_.size(), [&](std::size_t s) {
      const auto block = static_cast<std::size_t>(sets_[s].front());
      const std::size_t place =
          std::accumulate(cells_.begin(), cells_.begin() + static_cast<std::ptrdiff_t>(s), std::size_t{0});
      for (std::size_t i = 0; i < rows.rows; ++i) {
        const float* const in = rows.row(i).data() + first_[block];
        float* const out = sums.row(parts.empty() ? 0 : parts[i]).data() + place;
        for (std::size_t t = 0; t < width_[block]; ++t) out[t] += in[t];
      }
    });
  }

 private:
  void backward_rows(MatrixView<const float> rows, Parts parts, MatrixView<const float> d_sums,
                     MatrixView<float> d_rows, std::size_t begin, std::size_t end) const {
    std::vector<float> product;
    for (std::size_t i = begin; i < end; ++i) {
      const float* const row = rows.row(i).data();
      float* const d_row = d_rows.row(i).data();
      std::fill_n(d_row, inputs_, 0.0F);
      const float* d = d_sums.row(parts.empty() ? 0 : parts[i]).data();
      for (std::size_t s = 0; s < sets_.size(); ++s) {
        if (sets_[s].size() == 1) {
          const auto block = static_cast<std::size_t>(sets_[s].front());
          for (std::size_t t = 0; t < width_[block]; ++t) d_row[first_[block] + t] += d[t];
        } else {
          for (std::size_t k = 0; k < sets_[s].size(); ++k) add_gradient(row, sets_[s], k, d, product, d_row);
        }
        d += cells_[s];
      }
    }
  }

  void expand(const float* row, const std::vector<int>& set, float* out) const {
    out[0] = 1.0F;
    std::size_t size = 1;
    for (const int block : set) {
      const auto b = static_cast<std::size_t>(block);
      const float* const next = row + first_[b];
      for (std::size_t s = size; s-- > 0;) {  // from the end, so that it can be done in place
        const float value = out[s];
        for (std::size_t t = width_[b]; t-- > 0;) out[s * width_[b] + t] = value * next[t];
      }
      size *= width_[b];
    }
  }

  /// By the block at place k: the product of the others, summed with the gradient over all cells of each of its states.
  void add_gradient(const float* row, const std::vector<int>& set, std::size_t k, const float* d,
                    std::vector<float>& product, float* d_row) const {
    std::vector<int> others = set;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
    std::size_t before = 1, after = 1;
    for (std::size_t j = 0; j < set.size(); ++j) {
      if (j != k) (j < k ? before : after) *= width_[static_cast<std::size_t>(set[j])];
    }
    product.resize(before * after);
    expand(row, others, product.data());
    const auto b = static_cast<std::size_t>(set[k]);
    for (std::size_t x = 0; x < before; ++x) {
      for (std::size_t t = 0; t < width_[b]; ++t) {
        float sum = 0.0F;
        for (std::size_t y = 0; y < after; ++y) sum += product[x * after + y] * d[(x * width_[b] + t) * after + y];
        d_row[first_[b] + t] += sum;
      }
    }
  }

  std::vector<std::vector<int>> sets_;
  std::vector<std::size_t> first_, width_, cells_;
  std::size_t inputs_ = 0, dim_ = 0;
};

}  // namespace

std::unique_ptr<FeatureMap> block_products(std::vector<int> widths, std::vector<std::vector<int>> sets) {
  return std::make_unique<BlockProducts>(std::move(widths), std::move(sets));
}

}  // namespace sosia
