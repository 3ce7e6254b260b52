// SPDX-License-Identifier: Apache-2.0
#include "features/feature_map.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"

namespace sosia {

namespace {

template <class T>
MatrixView<T> columns(MatrixView<T> matrix, int first, int count) {
  return {matrix.data + first, matrix.rows, static_cast<std::size_t>(count), matrix.stride};
}

bool reads_what_is_there(const MapPart& part, int inputs) {
  if (part.columns.empty()) return part.first >= 0 && part.first + part.map->inputs() <= inputs;
  return static_cast<int>(part.columns.size()) == part.map->inputs() &&
         std::all_of(part.columns.begin(), part.columns.end(), [&](int c) { return c >= 0 && c < inputs; });
}

/// What a map reads of some rows.
class ReadColumns {
 public:
  ReadColumns(const MapPart& part, MatrixView<const float> rows) : rows_(columns(rows, part.first, 0)) {
    const auto width = static_cast<std::size_t>(part.map->inputs());
    rows_.cols = width;
    if (part.columns.empty()) return;
    numbers_.reserve(rows.rows * width);
    for (std::size_t r = 0; r < rows.rows; ++r) {
      const float* const row = rows.row(r).data();
      for (const int column : part.columns) numbers_.push_back(row[column]);
    }
    rows_ = {numbers_.data(), rows.rows, width};
  }
  MatrixView<const float> rows() const { return rows_; }

 private:
  std::vector<float> numbers_;
  MatrixView<const float> rows_;
};

class Concat : public FeatureMap {
 public:
  Concat(std::vector<MapPart> parts, int inputs) : parts_(std::move(parts)), inputs_(inputs) {
    SOSIA_CHECK(!parts_.empty(), "there is at least one map");
    for (const MapPart& part : parts_) {
      SOSIA_CHECK(reads_what_is_there(part, inputs), "a map reads columns that are there");
      SOSIA_CHECK(part.weight >= 0.0, "weights of maps are not negative");
    }
  }

  int inputs() const override { return inputs_; }
  int dim() const override {
    int dim = 0;
    for (const MapPart& part : parts_) dim += part.map->dim();
    return dim;
  }
  double norm_bound() const override {
    double squares = 0.0;
    for (const MapPart& part : parts_) squares += part.weight * part.weight * std::pow(part.map->norm_bound(), 2);
    return std::sqrt(squares);
  }
  bool nonnegative() const override {
    return std::all_of(parts_.begin(), parts_.end(), [](const MapPart& part) { return part.map->nonnegative(); });
  }

  void forward(MatrixView<const float> rows, MatrixView<float> vectors) const override {
    for_each([&](const MapPart& part, int first) {
      const MatrixView<float> own = columns(vectors, first, part.map->dim());
      part.map->forward(ReadColumns(part, rows).rows(), own);
      scale(own, part.weight);
    });
  }

  void sum(MatrixView<const float> rows, Parts of_rows, MatrixView<float> sums, ThreadPool& threads) const override {
    for_each([&](const MapPart& part, int first) {
      const MatrixView<float> own = columns(sums, first, part.map->dim());
      part.map->sum(ReadColumns(part, rows).rows(), of_rows, own, threads);
      scale(own, part.weight);
    });
  }

  void backward(MatrixView<const float> rows, Parts of_rows, MatrixView<const float> d_sums, MatrixView<float> d_rows,
                ThreadPool& threads) const override {
    for (std::size_t r = 0; r < d_rows.rows; ++r) std::fill_n(d_rows.row(r).data(), d_rows.cols, 0.0F);
    std::vector<float> numbers;
    for_each([&](const MapPart& part, int first) {
      const auto width = static_cast<std::size_t>(part.map->inputs());
      numbers.resize(rows.rows * width);
      const MatrixView<float> own(numbers.data(), rows.rows, width);
      part.map->backward(ReadColumns(part, rows).rows(), of_rows, columns(d_sums, first, part.map->dim()), own,
                         threads);
      for (std::size_t r = 0; r < rows.rows; ++r) add_gradient(part, own.row(r).data(), d_rows.row(r).data());
    });
  }

  /// A single map may keep what it likes.
  void sum_and_backward(MatrixView<const float> rows, Parts of_rows, MatrixView<float> sums,
                        const std::function<void()>& between, MatrixView<const float> d_sums, MatrixView<float> d_rows,
                        ThreadPool& threads) const override {
    const MapPart& part = parts_.front();
    if (parts_.size() > 1 || part.weight != 1.0 || !part.columns.empty()) {
      return FeatureMap::sum_and_backward(rows, of_rows, sums, between, d_sums, d_rows, threads);
    }
    for (std::size_t r = 0; r < d_rows.rows; ++r) std::fill_n(d_rows.row(r).data(), d_rows.cols, 0.0F);
    const int width = part.map->inputs();
    part.map->sum_and_backward(columns(rows, part.first, width), of_rows, sums, between, d_sums,
                               columns(d_rows, part.first, width), threads);
  }

 private:
  template <class Visit>
  void for_each(const Visit& visit) const {
    int first = 0;
    for (const MapPart& part : parts_) {
      visit(part, first);
      first += part.map->dim();
    }
  }
  static void add_gradient(const MapPart& part, const float* of_columns, float* of_row) {
    const auto weight = static_cast<float>(part.weight);
    const auto width = static_cast<std::size_t>(part.map->inputs());
    if (part.columns.empty()) {
      for (std::size_t j = 0; j < width; ++j)
        of_row[static_cast<std::size_t>(part.first) + j] += weight * of_columns[j];
    } else {
      for (std::size_t j = 0; j < width; ++j) of_row[part.columns[j]] += weight * of_columns[j];
    }
  }
  static void scale(MatrixView<float> numbers, double weight) {
    if (weight == 1.0) return;
    for (std::size_t r = 0; r < numbers.rows; ++r) {
      for (float& number : numbers.row(r)) number *= static_cast<float>(weight);
    }
  }

  std::vector<MapPart> parts_;
  int inputs_;
};

}  // namespace

void FeatureMap::sum(MatrixView<const float> rows, Parts parts, MatrixView<float> sums, ThreadPool& /*threads*/) const {
  constexpr std::size_t kNumbers = std::size_t{1} << 16;
  const auto size = static_cast<std::size_t>(dim());
  const std::size_t most = std::max<std::size_t>(1, kNumbers / size);
  std::vector<float> vectors(std::min(most, rows.rows) * size);
  for (std::size_t p = 0; p < sums.rows; ++p) std::fill_n(sums.row(p).data(), size, 0.0F);
  for (std::size_t first = 0; first < rows.rows; first += most) {
    const std::size_t count = std::min(most, rows.rows - first);
    forward({rows.data + first * rows.stride, count, rows.cols, rows.stride}, {vectors.data(), count, size});
    for (std::size_t r = 0; r < count; ++r) {
      float* const out = sums.row(parts.empty() ? 0 : parts[first + r]).data();
      for (std::size_t j = 0; j < size; ++j) out[j] += vectors[r * size + j];
    }
  }
}

void FeatureMap::sum_and_backward(MatrixView<const float> rows, Parts parts, MatrixView<float> sums,
                                  const std::function<void()>& between, MatrixView<const float> d_sums,
                                  MatrixView<float> d_rows, ThreadPool& threads) const {
  sum(rows, parts, sums, threads);
  between();
  backward(rows, parts, d_sums, d_rows, threads);
}

void FeatureMap::backward_and_sum(MatrixView<const float> rows, Parts parts, MatrixView<const float> d_sums,
                                  MatrixView<float> d_rows, MatrixView<float> sums, ThreadPool& threads) const {
  sum_and_backward(rows, parts, sums, [] {}, d_sums, d_rows, threads);
}

std::unique_ptr<FeatureMap> concat(std::vector<MapPart> parts, int inputs) {
  return std::make_unique<Concat>(std::move(parts), inputs);
}

}  // namespace sosia
