// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "features/feature_map.h"
#include "simd/gemm.h"
#include "simd/parallel.h"

namespace sosia {

namespace {

constexpr std::size_t kRowsAtOnce = 4096;

std::size_t size_of(const FeatureMap& map) { return static_cast<std::size_t>(map.dim()); }

std::vector<float> vectors_of(const FeatureMap& map, MatrixView<const float> rows, ThreadPool& threads) {
  const std::size_t dim = size_of(map);
  std::vector<float> vectors(rows.rows * dim);
  simd::for_ranges(threads, rows.rows, simd::rows_per_piece(dim), [&](std::size_t begin, std::size_t end) {
    map.forward({rows.data + begin * rows.stride, end - begin, rows.cols, rows.stride},
                {vectors.data() + begin * dim, end - begin, dim});
  });
  return vectors;
}

/// Some rows in the order of their parts, so that each part is a matrix.
struct SortedRows {
  SortedRows(MatrixView<const float> rows, Parts parts, std::size_t part_count)
      : order(rows.rows), begin(part_count + 1, 0), numbers(rows.rows * rows.cols) {
    const auto part_of = [&](std::size_t row) { return parts.empty() ? std::size_t{0} : std::size_t{parts[row]}; };
    for (std::size_t row = 0; row < rows.rows; ++row) ++begin[part_of(row) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
    for (std::size_t row = 0; row < rows.rows; ++row) order[next[part_of(row)]++] = row;
    for (std::size_t i = 0; i < order.size(); ++i) {
      std::copy_n(rows.row(order[i]).data(), rows.cols, numbers.data() + i * rows.cols);
    }
  }
  std::vector<std::size_t> order;  ///< the row at each place
  std::vector<std::size_t> begin;  ///< the first place of each part, and the end of all
  std::vector<float> numbers;
};

/// Calls visit(first row, its sorted rows) for blocks of rows.
template <class Visit>
void for_blocks(MatrixView<const float> rows, Parts parts, std::size_t part_count, const Visit& visit) {
  for (std::size_t first = 0; first < rows.rows; first += kRowsAtOnce) {
    const std::size_t count = std::min(kRowsAtOnce, rows.rows - first);
    visit(first, SortedRows({rows.data + first * rows.stride, count, rows.cols, rows.stride},
                            parts.empty() ? parts : parts.subspan(first, count), part_count));
  }
}

class TensorProduct : public FeatureMap {
 public:
  TensorProduct(std::unique_ptr<FeatureMap> left, std::unique_ptr<FeatureMap> right)
      : left_(std::move(left)), right_(std::move(right)) {
    SOSIA_CHECK(left_->inputs() == right_->inputs(), "both factors read the same rows");
    SOSIA_CHECK(size_of(*left_) * size_of(*right_) < (std::size_t{1} << 31), "less than 2^31 features");
  }

  int inputs() const override { return left_->inputs(); }
  int dim() const override { return left_->dim() * right_->dim(); }
  /// The norm of an outer product is the product of norms.
  double norm_bound() const override { return left_->norm_bound() * right_->norm_bound(); }
  bool nonnegative() const override { return left_->nonnegative() && right_->nonnegative(); }

  void forward(MatrixView<const float> rows, MatrixView<float> vectors) const override {
    const std::size_t lefts = size_of(*left_), rights = size_of(*right_);
    std::vector<float> left(rows.rows * lefts), right(rows.rows * rights);
    left_->forward(rows, {left.data(), rows.rows, lefts});
    right_->forward(rows, {right.data(), rows.rows, rights});
    for (std::size_t r = 0; r < rows.rows; ++r) {
      float* out = vectors.row(r).data();
      for (std::size_t a = 0; a < lefts; ++a) {
        for (std::size_t b = 0; b < rights; ++b) *out++ = left[r * lefts + a] * right[r * rights + b];
      }
    }
  }

  /// A sum of outer products is a product of two matrices.
  void sum(MatrixView<const float> rows, Parts parts, MatrixView<float> sums, ThreadPool& threads) const override {
    const std::size_t lefts = size_of(*left_), rights = size_of(*right_);
    for (std::size_t p = 0; p < sums.rows; ++p) std::fill_n(sums.row(p).data(), lefts * rights, 0.0F);
    for_blocks(rows, parts, sums.rows, [&](std::size_t /*first*/, const SortedRows& sorted) {
      const MatrixView<const float> numbers(sorted.numbers.data(), sorted.order.size(), rows.cols);
      const std::vector<float> left = vectors_of(*left_, numbers, threads);
      const std::vector<float> right = vectors_of(*right_, numbers, threads);
      for (std::size_t p = 0; p < sums.rows; ++p) {
        const std::size_t begin = sorted.begin[p], count = sorted.begin[p + 1] - begin;
        if (count == 0) continue;
        const MatrixView<const float> a(left.data() + begin * lefts, count, lefts);
        const MatrixView<const float> b(right.data() + begin * rights, count, rights);
        simd::gemm(1.0F, simd::transposed(a), b, 1.0F, {sums.row(p).data(), lefts, rights}, threads);
      }
    });
  }

  /// Each factor's gradient by its vector is the other's vector times the matrix of the part; from there on every row
  /// is a part of its own.
  void backward(MatrixView<const float> rows, Parts parts, MatrixView<const float> d_sums, MatrixView<float> d_rows,
                ThreadPool& threads) const override {
    const std::size_t lefts = size_of(*left_), rights = size_of(*right_);
    for_blocks(rows, parts, d_sums.rows, [&](std::size_t first, const SortedRows& sorted) {
      const std::size_t size = sorted.order.size();
      const MatrixView<const float> numbers(sorted.numbers.data(), size, rows.cols);
      const std::vector<float> left = vectors_of(*left_, numbers, threads);
      const std::vector<float> right = vectors_of(*right_, numbers, threads);
      std::vector<float> d_left(size * lefts), d_right(size * rights);
      for (std::size_t p = 0; p < d_sums.rows; ++p) {
        const std::size_t begin = sorted.begin[p], count = sorted.begin[p + 1] - begin;
        if (count == 0) continue;
        const MatrixView<const float> d(d_sums.row(p).data(), lefts, rights);
        const MatrixView<const float> a(left.data() + begin * lefts, count, lefts);
        const MatrixView<const float> b(right.data() + begin * rights, count, rights);
        simd::gemm(1.0F, b, simd::transposed(d), 0.0F, {d_left.data() + begin * lefts, count, lefts}, threads);
        simd::gemm(1.0F, a, d, 0.0F, {d_right.data() + begin * rights, count, rights}, threads);
      }
      std::vector<std::uint32_t> own(size);
      std::iota(own.begin(), own.end(), 0U);
      std::vector<float> by_left(size * rows.cols), by_right(size * rows.cols);
      left_->backward(numbers, own, {d_left.data(), size, lefts}, {by_left.data(), size, rows.cols}, threads);
      right_->backward(numbers, own, {d_right.data(), size, rights}, {by_right.data(), size, rows.cols}, threads);
      for (std::size_t i = 0; i < size; ++i) {
        const std::span<float> out = d_rows.row(first + sorted.order[i]);
        for (std::size_t j = 0; j < rows.cols; ++j) out[j] = by_left[i * rows.cols + j] + by_right[i * rows.cols + j];
      }
    });
  }

 private:
  std::unique_ptr<FeatureMap> left_, right_;
};

}  // namespace

std::unique_ptr<FeatureMap> tensor_product(std::vector<std::unique_ptr<FeatureMap>> factors) {
  SOSIA_CHECK(!factors.empty(), "there is at least one factor");
  // Neighbours in pairs, then pairs of pairs: the matrices are as square as can be, and the last factor runs fastest.
  while (factors.size() > 1) {
    std::vector<std::unique_ptr<FeatureMap>> products;
    for (std::size_t i = 0; i + 1 < factors.size(); i += 2) {
      products.push_back(std::make_unique<TensorProduct>(std::move(factors[i]), std::move(factors[i + 1])));
    }
    if (factors.size() % 2 == 1) products.push_back(std::move(factors.back()));
    factors = std::move(products);
  }
  return std::move(factors.front());
}

}  // namespace sosia
