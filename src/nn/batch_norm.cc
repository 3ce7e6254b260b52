// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "nn/layers.h"
#include "simd/columns.h"

namespace sosia::nn {

namespace {

class BatchNorm final : public Layer {
 public:
  BatchNorm(std::size_t width, const BatchNormOptions& options) : width_(width), options_(options) {
    SOSIA_CHECK(width > 0 && options.epsilon > 0.0, "batch norm without columns, or without an epsilon");
  }

  std::size_t inputs() const override { return width_; }
  std::size_t outputs() const override { return width_; }
  std::size_t parameter_count() const override { return 2 * width_; }
  std::size_t state_count() const override { return 2 * width_; }
  std::size_t scratch_count(std::size_t) const override { return 7 * width_; }
  bool mixes_examples() const override { return true; }

  void initialize(std::span<float> parameters, std::span<float> state, PublicRng&, ThreadPool&) const override {
    std::ranges::fill(parameters.first(width_), 1.0F);
    std::ranges::fill(parameters.last(width_), 0.0F);
    std::ranges::fill(state.first(width_), 0.0F);
    std::ranges::fill(state.last(width_), 1.0F);
  }

  void forward(const Pass& pass, MatrixView<const float> x, MatrixView<float> y) const override {
    const Columns c(pass.scratch, width_);
    if (pass.is_training) {
      SOSIA_CHECK(x.rows > 1, "batch norm cannot be trained on a single row");
      simd::column_moments(x, c.mean, c.deviation, pass.pool);  // the variance, for now
      update_state(pass, c, x.rows);
    } else {
      std::ranges::copy(pass.state.first(width_), c.mean.begin());
      std::ranges::copy(pass.state.last(width_), c.deviation.begin());
    }
    const float* gain = pass.parameters.data();
    const float* shift = gain + width_;
    for (std::size_t i = 0; i < width_; ++i) {
      c.deviation[i] = static_cast<float>(std::sqrt(c.deviation[i] + options_.epsilon));
      c.scale[i] = gain[i] / c.deviation[i];
      c.shift[i] = shift[i] - c.mean[i] * c.scale[i];
    }
    simd::scale_shift_activate(x, c.scale, c.shift, options_.activation, y, pass.pool);
  }

  // With n = (x - mean) / deviation: the gradient by gain is the sum of g n, by shift the sum of g, and by x
  // scale * (g - mean(g) - n mean(g n)), where the last two terms come from the batch's own statistics.
  void backward(const Pass& pass, MatrixView<const float> x, MatrixView<const float> y, MatrixView<float> grad_y,
                MatrixView<float> grad_x) const override {
    const Columns c(pass.scratch, width_);
    simd::activate_backward(y, grad_y, options_.activation, grad_y, pass.pool);
    simd::column_products(grad_y, x, c.mean, c.gain_gradient, pass.pool);
    for (std::size_t i = 0; i < width_; ++i) c.gain_gradient[i] /= c.deviation[i];
    simd::column_sums(grad_y, c.shift_gradient, pass.pool);
    if (grad_x.data == nullptr) return;

    const float share = pass.is_training ? 1.0F / static_cast<float>(x.rows) : 0.0F;
    for (std::size_t i = 0; i < width_; ++i) {
      c.slope[i] = -c.scale[i] * c.gain_gradient[i] * share / c.deviation[i];
      c.shift[i] = -c.scale[i] * c.shift_gradient[i] * share - c.slope[i] * c.mean[i];
    }
    simd::combine_columns(c.scale, grad_y, c.slope, x, c.shift, grad_x, pass.pool);
  }

  void write_gradient(const Pass& pass, LayerBatch, std::span<const float> row_weights,
                      std::span<float> gradient) const override {
    SOSIA_CHECK(row_weights.empty(), kRefusal);
    const Columns c(pass.scratch, width_);
    std::ranges::copy(c.gain_gradient, gradient.begin());
    std::ranges::copy(c.shift_gradient, gradient.last(width_).begin());
  }

  void add_squared_norms(const Pass&, LayerBatch, std::size_t, std::span<double>) const override {
    SOSIA_CHECK(false, kRefusal);
  }
  void write_example_gradients(const Pass&, LayerBatch, std::size_t, MatrixView<float>) const override {
    SOSIA_CHECK(false, kRefusal);
  }
  void add_factor_shapes(std::vector<FactorShape>&) const override { SOSIA_CHECK(false, kRefusal); }
  void add_factors(const Pass&, LayerBatch, std::vector<FactorPair<const float>>&) const override {
    SOSIA_CHECK(false, kRefusal);
  }

 private:
  static constexpr const char* kRefusal = "batch norm mixes the rows of a batch: no gradient belongs to one example";

  /// Numbers for each column, kept from forward to write_gradient.
  struct Columns {
    Columns(std::span<float> scratch, std::size_t n)
        : mean(scratch.subspan(0, n)),
          deviation(scratch.subspan(n, n)),
          scale(scratch.subspan(2 * n, n)),
          shift(scratch.subspan(3 * n, n)),
          slope(scratch.subspan(4 * n, n)),
          gain_gradient(scratch.subspan(5 * n, n)),
          shift_gradient(scratch.subspan(6 * n, n)) {}
    std::span<float> mean, deviation, scale, shift, slope, gain_gradient, shift_gradient;
  };

  /// c.deviation still holds the variance of the batch; the running one is of the population, as elsewhere.
  void update_state(const Pass& pass, const Columns& c, std::size_t rows) const {
    const auto momentum = static_cast<float>(options_.momentum);
    const auto unbiased = static_cast<float>(static_cast<double>(rows) / static_cast<double>(rows - 1));
    for (std::size_t i = 0; i < width_; ++i) {
      float& mean = pass.next_state[i];
      float& variance = pass.next_state[width_ + i];
      mean += momentum * (c.mean[i] - mean);
      variance += momentum * (unbiased * c.deviation[i] - variance);
    }
  }

  std::size_t width_;
  BatchNormOptions options_;
};

}  // namespace

LayerPtr batch_norm(std::size_t width, const BatchNormOptions& options) {
  return std::make_unique<BatchNorm>(width, options);
}

}  // namespace sosia::nn
