// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "nn/sequence.h"
#include "simd/elementwise.h"

namespace sosia::nn {

namespace {

/// Scratch: the inner layers' own, then their result, which is no longer in y once x has been added to it.
class Residual final : public Layer {
 public:
  explicit Residual(std::vector<LayerPtr> layers) : inner_(std::move(layers)) {
    SOSIA_CHECK(inner_.inputs() == inner_.outputs(), "a residual must be as wide at the end as at the start");
  }

  std::size_t inputs() const override { return inner_.inputs(); }
  std::size_t outputs() const override { return inner_.outputs(); }
  std::size_t parameter_count() const override { return inner_.parameter_count(); }
  std::size_t state_count() const override { return inner_.state_count(); }
  std::size_t scratch_count(std::size_t rows) const override {
    return inner_.scratch_count(rows) + 2 * rows * outputs();
  }
  bool mixes_examples() const override { return inner_.mixes_examples(); }

  void initialize(std::span<float> parameters, std::span<float> state, PublicRng& rng,
                  ThreadPool& pool) const override {
    inner_.initialize(parameters, state, rng, pool);
  }

  void forward(const Pass& pass, MatrixView<const float> x, MatrixView<float> y) const override {
    const MatrixView<float> inner_y = kept(pass, x.rows, 0);
    inner_.forward(pass, x, inner_y);
    for (std::size_t r = 0; r < x.rows; ++r) {
      std::ranges::copy(inner_y.row(r), y.row(r).begin());
      simd::add_scaled(1.0F, x.row(r), y.row(r));
    }
  }

  void backward(const Pass& pass, MatrixView<const float> x, MatrixView<const float>, MatrixView<float> grad_y,
                MatrixView<float> grad_x) const override {
    // The inner layers spoil the gradient that they are given, and that of y goes to x as well.
    const MatrixView<float> inner_grad = kept(pass, x.rows, 1);
    for (std::size_t r = 0; r < x.rows; ++r) std::ranges::copy(grad_y.row(r), inner_grad.row(r).begin());
    inner_.backward(pass, x, kept(pass, x.rows, 0), inner_grad, grad_x);
    if (grad_x.data == nullptr) return;
    for (std::size_t r = 0; r < x.rows; ++r) simd::add_scaled(1.0F, grad_y.row(r), grad_x.row(r));
  }

  void write_gradient(const Pass& pass, LayerBatch batch, std::span<const float> row_weights,
                      std::span<float> gradient) const override {
    inner_.write_gradient(pass, inner_batch(pass, batch), row_weights, gradient);
  }
  void add_squared_norms(const Pass& pass, LayerBatch batch, std::size_t rows_per_example,
                         std::span<double> norms) const override {
    inner_.add_squared_norms(pass, inner_batch(pass, batch), rows_per_example, norms);
  }
  void write_example_gradients(const Pass& pass, LayerBatch batch, std::size_t rows_per_example,
                               MatrixView<float> gradients) const override {
    inner_.write_example_gradients(pass, inner_batch(pass, batch), rows_per_example, gradients);
  }
  void add_factor_shapes(std::vector<FactorShape>& shapes) const override { inner_.add_factor_shapes(shapes); }
  void add_factors(const Pass& pass, LayerBatch batch, std::vector<FactorPair<const float>>& factors) const override {
    inner_.add_factors(pass, inner_batch(pass, batch), factors);
  }

 private:
  MatrixView<float> kept(const Pass& pass, std::size_t rows, std::size_t which) const {
    return {pass.scratch.data() + inner_.scratch_count(rows) + which * rows * outputs(), rows, outputs()};
  }
  LayerBatch inner_batch(const Pass& pass, LayerBatch batch) const { return {batch.x, kept(pass, batch.x.rows, 1)}; }

  Sequence inner_;
};

}  // namespace

LayerPtr residual(std::vector<LayerPtr> layers) { return std::make_unique<Residual>(std::move(layers)); }

}  // namespace sosia::nn
