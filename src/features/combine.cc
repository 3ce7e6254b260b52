// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <utility>

#include "base/check.h"
#include "features/feature_map.h"

namespace sosia {

namespace {

template <class T>
MatrixView<T> columns(MatrixView<T> matrix, std::size_t first, std::size_t count) {
  return {matrix.data + first, matrix.rows, count, matrix.stride};
}

class Concat : public FeatureMap {
 public:
  Concat(std::unique_ptr<FeatureMap> first, double first_weight, std::unique_ptr<FeatureMap> second,
         double second_weight)
      : first_{std::move(first), static_cast<float>(first_weight)},
        second_{std::move(second), static_cast<float>(second_weight)} {
    SOSIA_CHECK(first_.map->inputs() == second_.map->inputs(), "maps side by side have the same rows");
    SOSIA_CHECK(first_weight >= 0.0 && second_weight >= 0.0, "weights of maps are not negative");
  }

  int inputs() const override { return first_.map->inputs(); }
  int dim() const override { return first_.map->dim() + second_.map->dim(); }
  double norm_bound() const override {
    return std::hypot(static_cast<double>(first_.weight) * first_.map->norm_bound(),
                      static_cast<double>(second_.weight) * second_.map->norm_bound());
  }
  bool nonnegative() const override { return first_.map->nonnegative() && second_.map->nonnegative(); }

  void forward(MatrixView<const float> rows, MatrixView<float> vectors) const override {
    forward(first_, rows, columns(vectors, 0, size(first_)));
    forward(second_, rows, columns(vectors, size(first_), size(second_)));
  }

  void backward(MatrixView<const float> rows, MatrixView<const float> d_vectors,
                MatrixView<float> d_rows) const override {
    std::vector<float> other(rows.rows * rows.cols);
    const MatrixView<float> d_other(other.data(), rows.rows, rows.cols);
    first_.map->backward(rows, columns(d_vectors, 0, size(first_)), d_rows);
    second_.map->backward(rows, columns(d_vectors, size(first_), size(second_)), d_other);
    for (std::size_t i = 0; i < rows.rows; ++i) {
      const auto out = d_rows.row(i);
      const auto more = d_other.row(i);
      for (std::size_t j = 0; j < out.size(); ++j) out[j] = first_.weight * out[j] + second_.weight * more[j];
    }
  }

 private:
  struct Part {
    std::unique_ptr<FeatureMap> map;
    float weight;
  };
  static std::size_t size(const Part& part) { return static_cast<std::size_t>(part.map->dim()); }
  static void forward(const Part& part, MatrixView<const float> rows, MatrixView<float> vectors) {
    part.map->forward(rows, vectors);
    for (std::size_t i = 0; i < vectors.rows; ++i) {
      for (float& number : vectors.row(i)) number *= part.weight;
    }
  }

  Part first_, second_;
};

class ByClass : public FeatureMap {
 public:
  ByClass(std::unique_ptr<FeatureMap> map, int classes)
      : map_(std::move(map)), classes_(static_cast<std::size_t>(classes)) {
    SOSIA_CHECK(classes >= 1, "there is at least one class");
  }

  int inputs() const override { return map_->inputs() + static_cast<int>(classes_); }
  int dim() const override { return map_->dim() * static_cast<int>(classes_); }
  double norm_bound() const override { return map_->norm_bound(); }
  bool nonnegative() const override { return map_->nonnegative(); }

  void forward(MatrixView<const float> rows, MatrixView<float> vectors) const override {
    const std::size_t own = static_cast<std::size_t>(map_->inputs()), dim = static_cast<std::size_t>(map_->dim());
    const MatrixView<float> first = columns(vectors, 0, dim);  // class 0's part, until it is spread
    map_->forward(columns(rows, 0, own), first);
    for (std::size_t i = 0; i < rows.rows; ++i) {
      float* const out = vectors.row(i).data();
      for (std::size_t c = classes_; c-- > 0;) {
        const float share = rows.row(i)[own + c];
        for (std::size_t j = 0; j < dim; ++j) out[c * dim + j] = share * out[j];
      }
    }
  }

  void backward(MatrixView<const float> rows, MatrixView<const float> d_vectors,
                MatrixView<float> d_rows) const override {
    const std::size_t own = static_cast<std::size_t>(map_->inputs()), dim = static_cast<std::size_t>(map_->dim());
    std::vector<float> vectors(rows.rows * dim), d_own(rows.rows * dim);
    const MatrixView<float> plain(vectors.data(), rows.rows, dim), d_plain(d_own.data(), rows.rows, dim);
    map_->forward(columns(rows, 0, own), plain);
    for (std::size_t i = 0; i < rows.rows; ++i) {
      const float* const d = d_vectors.row(i).data();
      for (std::size_t c = 0; c < classes_; ++c) {
        const float share = rows.row(i)[own + c];
        float sum = 0.0F;
        for (std::size_t j = 0; j < dim; ++j) {
          d_plain.row(i)[j] += share * d[c * dim + j];
          sum += plain.row(i)[j] * d[c * dim + j];
        }
        d_rows.row(i)[own + c] = sum;
      }
    }
    map_->backward(columns(rows, 0, own), d_plain, columns(d_rows, 0, own));
  }

 private:
  std::unique_ptr<FeatureMap> map_;
  std::size_t classes_;
};

}  // namespace

std::unique_ptr<FeatureMap> concat(std::unique_ptr<FeatureMap> first, double first_weight,
                                   std::unique_ptr<FeatureMap> second, double second_weight) {
  return std::make_unique<Concat>(std::move(first), first_weight, std::move(second), second_weight);
}

std::unique_ptr<FeatureMap> by_class(std::unique_ptr<FeatureMap> map, int classes) {
  return std::make_unique<ByClass>(std::move(map), classes);
}

}  // namespace sosia
