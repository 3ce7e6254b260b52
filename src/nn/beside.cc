// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "nn/sequence.h"

namespace sosia::nn {

namespace {

template <class T>
MatrixView<T> columns(MatrixView<T> all, std::size_t first, std::size_t count) {
  return {all.data == nullptr ? nullptr : all.data + first, all.rows, count, all.stride};
}

void copy(MatrixView<const float> from, MatrixView<float> to) {
  for (std::size_t r = 0; r < from.rows; ++r) std::ranges::copy(from.row(r), to.row(r).begin());
}

/// The inner layers work in place, on the first columns.
class Beside final : public Layer {
 public:
  Beside(std::vector<LayerPtr> layers, std::size_t passed) : inner_(std::move(layers)), passed_(passed) {}

  std::size_t inputs() const override { return inner_.inputs() + passed_; }
  std::size_t outputs() const override { return inner_.outputs() + passed_; }
  std::size_t parameter_count() const override { return inner_.parameter_count(); }
  std::size_t state_count() const override { return inner_.state_count(); }
  std::size_t scratch_count(std::size_t rows) const override { return inner_.scratch_count(rows); }
  bool mixes_examples() const override { return inner_.mixes_examples(); }

  void initialize(std::span<float> parameters, std::span<float> state, PublicRng& rng,
                  ThreadPool& pool) const override {
    inner_.initialize(parameters, state, rng, pool);
  }

  void forward(const Pass& pass, MatrixView<const float> x, MatrixView<float> y) const override {
    inner_.forward(pass, inner_in(x), inner_out(y));
    copy(columns(x, inner_.inputs(), passed_), columns(y, inner_.outputs(), passed_));
  }
  void backward(const Pass& pass, MatrixView<const float> x, MatrixView<const float> y, MatrixView<float> grad_y,
                MatrixView<float> grad_x) const override {
    inner_.backward(pass, inner_in(x), inner_out(y), inner_out(grad_y), inner_in(grad_x));
    if (grad_x.data == nullptr) return;
    copy(columns(grad_y, inner_.outputs(), passed_), columns(grad_x, inner_.inputs(), passed_));
  }

  void write_gradient(const Pass& pass, LayerBatch batch, std::span<const float> row_weights,
                      std::span<float> gradient) const override {
    inner_.write_gradient(pass, inner_batch(batch), row_weights, gradient);
  }
  void add_squared_norms(const Pass& pass, LayerBatch batch, std::size_t rows_per_example,
                         std::span<double> norms) const override {
    inner_.add_squared_norms(pass, inner_batch(batch), rows_per_example, norms);
  }
  void write_example_gradients(const Pass& pass, LayerBatch batch, std::size_t rows_per_example,
                               MatrixView<float> gradients) const override {
    inner_.write_example_gradients(pass, inner_batch(batch), rows_per_example, gradients);
  }
  void add_factor_shapes(std::vector<FactorShape>& shapes) const override { inner_.add_factor_shapes(shapes); }
  void add_factors(const Pass& pass, LayerBatch batch, std::vector<FactorPair<const float>>& factors) const override {
    inner_.add_factors(pass, inner_batch(batch), factors);
  }

 private:
  template <class T>
  MatrixView<T> inner_in(MatrixView<T> x) const {
    return columns(x, 0, inner_.inputs());
  }
  template <class T>
  MatrixView<T> inner_out(MatrixView<T> y) const {
    return columns(y, 0, inner_.outputs());
  }
  LayerBatch inner_batch(LayerBatch batch) const { return {inner_in(batch.x), inner_out(batch.grad)}; }

  Sequence inner_;
  std::size_t passed_;
};

}  // namespace

LayerPtr beside(std::vector<LayerPtr> layers, std::size_t passed) {
  return std::make_unique<Beside>(std::move(layers), passed);
}

}  // namespace sosia::nn
