// SPDX-License-Identifier: Apache-2.0
#include "features/hermite.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.h"
#include "simd/parallel.h"

namespace sosia {

namespace {

constexpr std::size_t kLanes = HermiteBasis::kLanes;
constexpr std::size_t kBlock = 16 * kLanes;  // rows in a piece of work

class HermiteSum : public FeatureMap {
 public:
  HermiteSum(const std::vector<HermiteColumn>& columns, int inputs, Centring centring) : inputs_(inputs) {
    SOSIA_CHECK(!columns.empty(), "there is at least one column");
    double weights = 0.0, squares = 0.0;
    for (const HermiteColumn& column : columns) weights += column.weight;
    for (const HermiteColumn& column : columns) {
      SOSIA_CHECK(column.column >= 0 && column.column < inputs, "a column that is there");
      SOSIA_CHECK(column.weight > 0.0, "weights are above 0");
      const std::size_t kind = kind_of(column.options, centring);
      const double share = column.weight / weights;
      columns_.push_back({static_cast<std::size_t>(column.column), kind, dim_, std::sqrt(share)});
      dim_ += kinds_[kind].basis.size();
      squares += share * std::pow(kinds_[kind].ball.radius, 2);
    }
    bound_ = std::sqrt(squares);
  }

  int inputs() const override { return inputs_; }
  int dim() const override { return static_cast<int>(dim_); }
  double norm_bound() const override { return bound_; }

  void forward(MatrixView<const float> rows, MatrixView<float> vectors) const override {
    std::vector<double> values(largest_ * kLanes);
    for (std::size_t first = 0; first < rows.rows; first += kLanes) {
      const std::size_t count = std::min(kLanes, rows.rows - first);
      for (const Column& column : columns_) {
        const Kind& kind = kinds_[column.kind];
        kind.basis.values(numbers(rows, first, count, column.input), values);
        for (std::size_t i = 0; i < count; ++i) {
          float* const out = vectors.row(first + i).data() + column.first;
          for (std::size_t k = 0; k < kind.basis.size(); ++k) {
            out[k] = static_cast<float>(column.factor * (values[k * kLanes + i] - kind.ball.centre[k]));
          }
        }
      }
    }
  }

  void sum(MatrixView<const float> rows, Parts parts, MatrixView<float> sums, ThreadPool& threads) const override {
    const std::size_t size = sums.rows * dim_;
    // At most so many pieces, cut by the number of rows, so that their sums do not depend on the threads.
    const std::size_t piece = std::max(kBlock, (rows.rows + 15) / 16 / kLanes * kLanes + kLanes);
    std::vector<double> partial((rows.rows + piece - 1) / piece * size, 0.0);
    simd::for_ranges(threads, rows.rows, piece, [&](std::size_t begin, std::size_t end) {
      add_up(rows, parts, begin, end, partial.data() + begin / piece * size);
    });
    for (std::size_t p = 0; p < sums.rows; ++p) {
      for (std::size_t j = 0; j < dim_; ++j) {
        double total = 0.0;
        for (std::size_t at = p * dim_ + j; at < partial.size(); at += size) total += partial[at];
        sums.row(p)[j] = static_cast<float>(total);
      }
    }
  }

  void backward(MatrixView<const float> rows, Parts parts, MatrixView<const float> d_sums, MatrixView<float> d_rows,
                ThreadPool& threads) const override {
    simd::for_ranges(threads, rows.rows, kBlock, [&](std::size_t begin, std::size_t end) {
      std::vector<double> values(largest_ * kLanes), slopes(largest_ * kLanes);
      for (std::size_t r = begin; r < end; ++r) std::fill_n(d_rows.row(r).data(), d_rows.cols, 0.0F);
      for (std::size_t first = begin; first < end; first += kLanes) {
        const std::size_t count = std::min(kLanes, end - first);
        for (const Column& column : columns_) {
          const HermiteBasis& basis = kinds_[column.kind].basis;
          const std::array<double, kLanes> x = numbers(rows, first, count, column.input);
          basis.values(x, values);
          basis.slopes(x, values, slopes);
          for (std::size_t i = 0; i < count; ++i) {
            const float* const d = d_sums.row(parts.empty() ? 0 : parts[first + i]).data() + column.first;
            double slope = 0.0;
            for (std::size_t k = 0; k < basis.size(); ++k) slope += slopes[k * kLanes + i] * static_cast<double>(d[k]);
            d_rows.row(first + i)[column.input] += static_cast<float>(column.factor * slope);
          }
        }
      }
    });
  }

 private:
  struct Kind {
    HermiteOptions asked;
    HermiteBasis basis;
    Ball ball;  ///< without centring its centre is 0
  };
  struct Column {
    std::size_t input, kind, first;
    double factor;
  };

  /// Columns alike share their basis: an image has hundreds.
  std::size_t kind_of(const HermiteOptions& options, Centring centring) {
    const auto same = [&](const Kind& kind) { return kind.asked == options; };
    const auto found = std::find_if(kinds_.begin(), kinds_.end(), same);
    if (found != kinds_.end()) return static_cast<std::size_t>(found - kinds_.begin());
    const HermiteBasis basis(options);
    Ball ball{std::vector<double>(basis.size(), 0.0), 0.0};
    ball.radius = basis.radius_about({});
    if (centring == Centring::smallest_ball) ball = basis.smallest_ball();
    largest_ = std::max(largest_, basis.size());
    kinds_.push_back({options, basis, std::move(ball)});
    return kinds_.size() - 1;
  }

  static std::array<double, kLanes> numbers(MatrixView<const float> rows, std::size_t first, std::size_t count,
                                            std::size_t input) {
    std::array<double, kLanes> x = {};
    for (std::size_t i = 0; i < count; ++i) x[i] = rows.row(first + i)[input];
    return x;
  }

  /// Adds the vectors of some rows to sums, which has dim numbers for each part.
  void add_up(MatrixView<const float> rows, Parts parts, std::size_t begin, std::size_t end, double* sums) const {
    std::vector<double> values(largest_ * kLanes);
    for (std::size_t first = begin; first < end; first += kLanes) {
      const std::size_t count = std::min(kLanes, end - first);
      for (const Column& column : columns_) {
        const Kind& kind = kinds_[column.kind];
        kind.basis.values(numbers(rows, first, count, column.input), values);
        for (std::size_t i = 0; i < count; ++i) {
          double* const out = sums + (parts.empty() ? 0 : parts[first + i]) * dim_ + column.first;
          for (std::size_t k = 0; k < kind.basis.size(); ++k) {
            out[k] += column.factor * (values[k * kLanes + i] - kind.ball.centre[k]);
          }
        }
      }
    }
  }

  int inputs_;
  std::size_t dim_ = 0, largest_ = 0;
  double bound_ = 0.0;
  std::vector<Kind> kinds_;
  std::vector<Column> columns_;
};

}  // namespace

std::unique_ptr<FeatureMap> hermite_sum(std::vector<HermiteColumn> columns, int inputs, Centring centring) {
  return std::make_unique<HermiteSum>(columns, inputs, centring);
}

}  // namespace sosia
