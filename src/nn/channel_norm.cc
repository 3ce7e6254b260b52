// SPDX-License-Identifier: Apache-2.0
// Statistics are taken column by column and then pooled over the columns of a channel: the mean of a channel is the
// mean of its columns' means, its variance the mean of their variances plus the variance of their means. So nothing
// cancels, and the kernels are those of columns.
#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "nn/layers.h"
#include "simd/columns.h"

namespace sosia::nn {

namespace {

class ChannelNorm final : public Layer {
 public:
  ChannelNorm(const ImageShape& shape, const BatchNormOptions& options)
      : channels_(shape.channels), pixels_(shape.pixels()), options_(options) {
    SOSIA_CHECK(shape.values() > 0 && options.epsilon > 0.0, "batch norm without pixels, or without an epsilon");
  }

  std::size_t inputs() const override { return channels_ * pixels_; }
  std::size_t outputs() const override { return inputs(); }
  std::size_t parameter_count() const override { return 2 * channels_; }
  std::size_t state_count() const override { return 2 * channels_; }
  std::size_t scratch_count(std::size_t) const override { return 4 * channels_ + 4 * inputs(); }
  bool mixes_examples() const override { return true; }

  void initialize(std::span<float> parameters, std::span<float> state, PublicRng&, ThreadPool&) const override {
    std::ranges::fill(parameters.first(channels_), 1.0F);
    std::ranges::fill(parameters.last(channels_), 0.0F);
    std::ranges::fill(state.first(channels_), 0.0F);
    std::ranges::fill(state.last(channels_), 1.0F);
  }

  void forward(const Pass& pass, MatrixView<const float> x, MatrixView<float> y) const override {
    const Scratch s(pass.scratch, channels_, pixels_);
    if (pass.is_training) {
      SOSIA_CHECK(x.rows * pixels_ > 1, "batch norm cannot be trained on a single number");
      simd::column_moments(x, s.mean, s.scale, pass.pool);  // variances, for now
      pool_moments(s);
      update_state(pass, s, x.rows * pixels_);
    } else {
      std::ranges::copy(pass.state.first(channels_), s.means.begin());
      std::ranges::copy(pass.state.last(channels_), s.deviations.begin());
    }
    for (std::size_t c = 0; c < channels_; ++c) {
      s.deviations[c] = static_cast<float>(std::sqrt(s.deviations[c] + options_.epsilon));
      const float scale = pass.parameters[c] / s.deviations[c];
      spread(s.mean, c, s.means[c]);
      spread(s.scale, c, scale);
      spread(s.shift, c, pass.parameters[channels_ + c] - s.means[c] * scale);
    }
    simd::scale_shift_activate(x, s.scale, s.shift, options_.activation, y, pass.pool);
  }

  // As in batch_norm.cc, with as many numbers in a mean as a channel has pixels in all rows.
  void backward(const Pass& pass, MatrixView<const float> x, MatrixView<const float> y, MatrixView<float> grad_y,
                MatrixView<float> grad_x) const override {
    const Scratch s(pass.scratch, channels_, pixels_);
    simd::activate_backward(y, grad_y, options_.activation, grad_y, pass.pool);
    simd::column_products(grad_y, x, s.mean, s.slope, pass.pool);
    simd::column_sums(grad_y, s.shift, pass.pool);
    for (std::size_t c = 0; c < channels_; ++c) {
      s.gain_gradient[c] = static_cast<float>(sum_of(s.slope, c) / s.deviations[c]);
      s.shift_gradient[c] = static_cast<float>(sum_of(s.shift, c));
    }
    if (grad_x.data == nullptr) return;

    const float share = pass.is_training ? 1.0F / static_cast<float>(x.rows * pixels_) : 0.0F;
    for (std::size_t c = 0; c < channels_; ++c) {
      const float scale = s.scale[c * pixels_];
      const float slope = -scale * s.gain_gradient[c] * share / s.deviations[c];
      spread(s.slope, c, slope);
      spread(s.shift, c, -scale * s.shift_gradient[c] * share - slope * s.means[c]);
    }
    simd::combine_columns(s.scale, grad_y, s.slope, x, s.shift, grad_x, pass.pool);
  }

  void write_gradient(const Pass& pass, LayerBatch, std::span<const float> row_weights,
                      std::span<float> gradient) const override {
    SOSIA_CHECK(row_weights.empty(), kRefusal);
    const Scratch s(pass.scratch, channels_, pixels_);
    std::ranges::copy(s.gain_gradient, gradient.begin());
    std::ranges::copy(s.shift_gradient, gradient.last(channels_).begin());
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

  /// Numbers for each channel (plural) and for each column (singular), kept from forward to write_gradient.
  struct Scratch {
    Scratch(std::span<float> all, std::size_t channels, std::size_t pixels)
        : means(all.subspan(0, channels)),
          deviations(all.subspan(channels, channels)),
          gain_gradient(all.subspan(2 * channels, channels)),
          shift_gradient(all.subspan(3 * channels, channels)) {
      const std::size_t width = channels * pixels;
      mean = all.subspan(4 * channels, width);
      scale = all.subspan(4 * channels + width, width);
      shift = all.subspan(4 * channels + 2 * width, width);
      slope = all.subspan(4 * channels + 3 * width, width);
    }
    std::span<float> means, deviations, gain_gradient, shift_gradient;
    std::span<float> mean, scale, shift, slope;
  };

  void spread(std::span<float> columns, std::size_t channel, float value) const {
    std::ranges::fill(columns.subspan(channel * pixels_, pixels_), value);
  }
  double sum_of(std::span<const float> columns, std::size_t channel) const {
    double sum = 0.0;
    for (const float value : columns.subspan(channel * pixels_, pixels_)) sum += value;
    return sum;
  }

  /// From s.mean and, in s.scale, the variances of columns.
  void pool_moments(const Scratch& s) const {
    const auto count = static_cast<double>(pixels_);
    for (std::size_t c = 0; c < channels_; ++c) {
      const double mean = sum_of(s.mean, c) / count;
      double between = 0.0;
      for (const float m : s.mean.subspan(c * pixels_, pixels_)) between += (m - mean) * (m - mean);
      s.means[c] = static_cast<float>(mean);
      s.deviations[c] = static_cast<float>((sum_of(s.scale, c) + between) / count);
    }
  }

  /// s.deviations still holds the variances of the batch; the running ones are of the population, as elsewhere.
  void update_state(const Pass& pass, const Scratch& s, std::size_t count) const {
    const auto momentum = static_cast<float>(options_.momentum);
    const auto unbiased = static_cast<float>(static_cast<double>(count) / static_cast<double>(count - 1));
    for (std::size_t c = 0; c < channels_; ++c) {
      float& mean = pass.next_state[c];
      float& variance = pass.next_state[channels_ + c];
      mean += momentum * (s.means[c] - mean);
      variance += momentum * (unbiased * s.deviations[c] - variance);
    }
  }

  std::size_t channels_, pixels_;
  BatchNormOptions options_;
};

}  // namespace

LayerPtr channel_norm(const ImageShape& shape, const BatchNormOptions& options) {
  return std::make_unique<ChannelNorm>(shape, options);
}

}  // namespace sosia::nn
