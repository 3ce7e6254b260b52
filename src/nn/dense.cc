// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "nn/layers.h"
#include "simd/columns.h"
#include "simd/elementwise.h"
#include "simd/gemm.h"
#include "simd/normals.h"
#include "simd/parallel.h"
#include "simd/reduce.h"

namespace sosia::nn {

namespace {

class Dense final : public Layer {
 public:
  Dense(std::size_t inputs, std::size_t outputs, const DenseOptions& options)
      : inputs_(inputs), outputs_(outputs), options_(options) {
    SOSIA_CHECK(inputs > 0 && outputs > 0, "a dense layer without inputs or outputs");
  }

  std::size_t inputs() const override { return inputs_; }
  std::size_t outputs() const override { return outputs_; }
  std::size_t parameter_count() const override { return inputs_ * outputs_ + outputs_; }
  std::size_t state_count() const override { return 0; }
  std::size_t scratch_count(std::size_t) const override { return 0; }
  bool mixes_examples() const override { return false; }

  void initialize(std::span<float> parameters, std::span<float>, PublicRng& rng, ThreadPool& pool) const override {
    const std::span<float> weights = parameters.first(inputs_ * outputs_);
    if (options_.init == Init::kaiming) {
      simd::fill_normals(rng.next_u64(), 0, weights, pool);
      simd::scale(static_cast<float>(std::sqrt(2.0 / static_cast<double>(inputs_))), weights);
    } else {
      const double bound = std::sqrt(6.0 / static_cast<double>(inputs_ + outputs_));
      for (float& w : weights) w = static_cast<float>(bound * (2.0 * rng.uniform() - 1.0));
    }
    std::ranges::fill(parameters.last(outputs_), 0.0F);
  }

  void forward(const Pass& pass, MatrixView<const float> x, MatrixView<float> y) const override {
    simd::gemm(1.0F, x, weights(pass), 0.0F, y, pass.pool);
    simd::shift_activate(y, pass.parameters.last(outputs_), options_.activation, pass.pool);
  }

  void backward(const Pass& pass, MatrixView<const float>, MatrixView<const float> y, MatrixView<float> grad_y,
                MatrixView<float> grad_x) const override {
    simd::activate_backward(y, grad_y, options_.activation, grad_y, pass.pool);
    if (grad_x.data != nullptr) simd::gemm(1.0F, grad_y, simd::transposed(weights(pass)), 0.0F, grad_x, pass.pool);
  }

  void write_gradient(const Pass& pass, LayerBatch batch, std::span<const float> row_weights,
                      std::span<float> gradient) const override {
    if (!row_weights.empty()) {
      for (std::size_t r = 0; r < batch.grad.rows; ++r) simd::scale(row_weights[r], batch.grad.row(r));
    }
    const MatrixView<float> weight_gradient(gradient.data(), inputs_, outputs_);
    simd::gemm(1.0F, simd::transposed(batch.x), batch.grad, 0.0F, weight_gradient, pass.pool);
    simd::column_sums(batch.grad, gradient.last(outputs_), pass.pool);
  }

  // The gradient of row r is the outer product of (x_r, 1) and g_r. Two such have the inner product
  // (x_r . x_s + 1)(g_r . g_s), so the norm of a sum over rows needs products of rows only (Goodfellow 2015).
  void add_squared_norms(const Pass& pass, LayerBatch batch, std::size_t rows_per_example,
                         std::span<double> norms) const override {
    const std::size_t piece = simd::rows_per_piece((inputs_ + outputs_) * rows_per_example * rows_per_example);
    simd::for_ranges(pass.pool, norms.size(), piece, [&](std::size_t begin, std::size_t end) {
      for (std::size_t example = begin; example < end; ++example) {
        const std::size_t first = example * rows_per_example, last = first + rows_per_example;
        for (std::size_t r = first; r < last; ++r) {
          for (std::size_t s = first; s <= r; ++s) {
            const double product =
                (simd::dot(batch.x.row(r), batch.x.row(s)) + 1.0) * simd::dot(batch.grad.row(r), batch.grad.row(s));
            norms[example] += r == s ? product : 2.0 * product;
          }
        }
      }
    });
  }

  void write_example_gradients(const Pass& pass, LayerBatch batch, std::size_t rows_per_example,
                               MatrixView<float> gradients) const override {
    simd::for_pieces(pass.pool, gradients.rows, [&](std::size_t example) {
      const std::span<float> gradient = gradients.row(example);
      std::ranges::fill(gradient, 0.0F);
      for (std::size_t r = example * rows_per_example; r < (example + 1) * rows_per_example; ++r) {
        const std::span<const float> x = batch.x.row(r), g = batch.grad.row(r);
        for (std::size_t i = 0; i < inputs_; ++i) simd::add_scaled(x[i], g, gradient.subspan(i * outputs_, outputs_));
        simd::add_scaled(1.0F, g, gradient.last(outputs_));
      }
    });
  }

  void add_factor_shapes(std::vector<FactorShape>& shapes) const override { shapes.push_back({inputs_, outputs_}); }
  void add_factors(const Pass&, LayerBatch batch, std::vector<FactorPair<const float>>& factors) const override {
    factors.push_back({batch.x, batch.grad});
  }

 private:
  MatrixView<const float> weights(const Pass& pass) const { return {pass.parameters.data(), inputs_, outputs_}; }

  std::size_t inputs_, outputs_;
  DenseOptions options_;
};

}  // namespace

LayerPtr dense(std::size_t inputs, std::size_t outputs, const DenseOptions& options) {
  return std::make_unique<Dense>(inputs, outputs, options);
}

}  // namespace sosia::nn
