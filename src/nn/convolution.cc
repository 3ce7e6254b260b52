// SPDX-License-Identifier: Apache-2.0
#include "simd/convolution.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "nn/layers.h"
#include "simd/activation.h"
#include "simd/elementwise.h"
#include "simd/normals.h"
#include "simd/parallel.h"
#include "simd/reduce.h"

namespace sosia::nn {

namespace {

// Sums over rows are made in so many parts at most, enough for many threads, and in each part over so many images at a
// time: enough to be worth a pass over the filter, few enough numbers in a row for floats.
constexpr std::size_t kMostParts = 16, kImages = 8;
std::size_t parts_of(std::size_t rows) { return std::clamp<std::size_t>(rows / kImages, 1, kMostParts); }

/// Scratch: the filter in the order of its use, there or back, and the weights of the way back; the frames of all
/// inputs, those of all gradients, and sums of parts of a batch.
class Convolution final : public Layer {
 public:
  Convolution(const ImageShape& shape, std::size_t channels, const ConvolutionOptions& options)
      : shape_{shape.channels, channels, shape.height, shape.width, options.side}, options_(options) {
    SOSIA_CHECK(shape.values() > 0 && channels > 0 && options.side % 2 == 1,
                "a convolution without pixels or channels, or with a filter that has no middle");
  }

  std::size_t inputs() const override { return shape_.inputs * shape_.pixels(); }
  std::size_t outputs() const override { return shape_.outputs * shape_.pixels(); }
  std::size_t parameter_count() const override { return shape_.filter_size() + shape_.outputs; }
  std::size_t state_count() const override { return 0; }
  std::size_t scratch_count(std::size_t rows) const override {
    return 2 * shape_.filter_size() + rows * (shape_.frame_size(shape_.inputs) + shape_.frame_size(shape_.outputs)) +
           parts_of(rows) * parameter_count();
  }
  bool mixes_examples() const override { return false; }

  void initialize(std::span<float> parameters, std::span<float>, PublicRng& rng, ThreadPool& pool) const override {
    const std::span<float> filter = parameters.first(shape_.filter_size());
    const auto fan_in = static_cast<double>(shape_.taps()), fan_out = static_cast<double>(shape_.reversed().taps());
    if (options_.init == Init::kaiming) {
      simd::fill_normals(rng.next_u64(), 0, filter, pool);
      simd::scale(static_cast<float>(std::sqrt(2.0 / fan_in)), filter);
    } else {
      const double bound = std::sqrt(6.0 / (fan_in + fan_out));
      for (float& w : filter) w = static_cast<float>(bound * (2.0 * rng.uniform() - 1.0));
    }
    std::ranges::fill(parameters.last(shape_.outputs), 0.0F);
  }

  void forward(const Pass& pass, MatrixView<const float> x, MatrixView<float> y) const override {
    const Scratch s(*this, pass.scratch, x.rows);
    simd::arrange_filter(shape_, pass.parameters.first(shape_.filter_size()), s.filter);
    simd::for_ranges(pass.pool, x.rows, images_at_once(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t r = begin; r < end; ++r) simd::fill_frame(shape_, x.row(r), s.frames_of(r, r + 1));
      simd::convolve(shape_, s.frames_of(begin, end), s.filter, pass.parameters.last(shape_.outputs),
                     rows_of(y, begin, end));
    });
    if (options_.activation.kind != simd::ActivationKind::identity) {
      simd::activate(y, options_.activation, y, pass.pool);
    }
  }

  void backward(const Pass& pass, MatrixView<const float> x, MatrixView<const float> y, MatrixView<float> grad_y,
                MatrixView<float> grad_x) const override {
    const Scratch s(*this, pass.scratch, x.rows);
    simd::activate_backward(y, grad_y, options_.activation, grad_y, pass.pool);
    const std::span<float> zeros = s.part(0).first(shape_.inputs);  // the way back has no bias
    std::ranges::fill(zeros, 0.0F);
    if (grad_x.data != nullptr) {
      simd::reverse_weights(shape_, pass.parameters.first(shape_.filter_size()), s.reversed);
      simd::arrange_filter(shape_.reversed(), s.reversed, s.filter);
    }
    simd::for_ranges(pass.pool, x.rows, images_at_once(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t r = begin; r < end; ++r) simd::fill_frame(shape_, grad_y.row(r), s.gradients_of(r, r + 1));
      if (grad_x.data == nullptr) return;
      simd::convolve(shape_.reversed(), s.gradients_of(begin, end), s.filter, zeros, rows_of(grad_x, begin, end));
    });
  }

  void write_gradient(const Pass& pass, LayerBatch batch, std::span<const float> row_weights,
                      std::span<float> gradient) const override {
    const std::size_t rows = batch.x.rows, parts = parts_of(rows);
    const Scratch s(*this, pass.scratch, rows);
    simd::for_pieces(pass.pool, parts, [&](std::size_t part) {
      const std::size_t begin = part * rows / parts, end = (part + 1) * rows / parts;
      if (!row_weights.empty()) {
        for (std::size_t r = begin; r < end; ++r) simd::scale(row_weights[r], s.gradients_of(r, r + 1));
      }
      write_sum(s, begin, end, s.part(part));
    });
    std::ranges::fill(gradient, 0.0F);
    for (std::size_t part = 0; part < parts; ++part) simd::add_scaled(1.0F, s.part(part), gradient);
  }

  void add_squared_norms(const Pass& pass, LayerBatch batch, std::size_t rows_per_example,
                         std::span<double> norms) const override {
    const std::size_t parts = parts_of(norms.size());
    const Scratch s(*this, pass.scratch, batch.x.rows);
    simd::for_pieces(pass.pool, parts, [&](std::size_t part) {
      for (std::size_t e = part * norms.size() / parts; e < (part + 1) * norms.size() / parts; ++e) {
        write_sum(s, e * rows_per_example, (e + 1) * rows_per_example, s.part(part));
        norms[e] += simd::squared_norm(s.part(part));
      }
    });
  }

  void write_example_gradients(const Pass& pass, LayerBatch batch, std::size_t rows_per_example,
                               MatrixView<float> gradients) const override {
    const Scratch s(*this, pass.scratch, batch.x.rows);
    simd::for_pieces(pass.pool, gradients.rows, [&](std::size_t e) {
      write_sum(s, e * rows_per_example, (e + 1) * rows_per_example, gradients.row(e));
    });
  }
  void add_factor_shapes(std::vector<FactorShape>&) const override { SOSIA_CHECK(false, kRefusal); }
  void add_factors(const Pass&, LayerBatch, std::vector<FactorPair<const float>>&) const override {
    SOSIA_CHECK(false, kRefusal);
  }

 private:
  static constexpr const char* kRefusal = "a filter is used at every pixel: its gradient is no outer product";
  struct Scratch {
    Scratch(const Convolution& layer, std::span<float> all, std::size_t rows)
        : frame_size(layer.shape_.frame_size(layer.shape_.inputs)),
          gradient_size(layer.shape_.frame_size(layer.shape_.outputs)),
          part_size(layer.parameter_count()) {
      const auto take = [&](std::size_t count) {
        const std::span<float> taken = all.first(count);
        all = all.subspan(count);
        return taken;
      };
      filter = take(layer.shape_.filter_size());
      reversed = take(layer.shape_.filter_size());
      frames = take(rows * frame_size);
      gradients = take(rows * gradient_size);
      parts = take(parts_of(rows) * part_size);
    }
    std::span<float> frames_of(std::size_t begin, std::size_t end) const {
      return frames.subspan(begin * frame_size, (end - begin) * frame_size);
    }
    std::span<float> gradients_of(std::size_t begin, std::size_t end) const {
      return gradients.subspan(begin * gradient_size, (end - begin) * gradient_size);
    }
    std::span<float> part(std::size_t i) const { return parts.subspan(i * part_size, part_size); }

    std::size_t frame_size, gradient_size, part_size;
    std::span<float> filter, reversed, frames, gradients, parts;
  };

  /// Enough pixels that the filter, once in the cache, is used many times.
  std::size_t images_at_once() const { return std::clamp<std::size_t>(1024 / shape_.run(), 1, kImages); }
  static MatrixView<float> rows_of(MatrixView<float> all, std::size_t begin, std::size_t end) {
    return {all.data + begin * all.stride, end - begin, all.cols, all.stride};
  }

  /// The gradient by all parameters, summed over rows begin .. end-1.
  void write_sum(const Scratch& s, std::size_t begin, std::size_t end, std::span<float> gradient) const {
    std::ranges::fill(gradient, 0.0F);
    for (std::size_t r = begin; r < end; r += kImages) {
      const std::size_t stop = std::min(r + kImages, end);
      simd::add_filter_gradient(shape_, stop - r, s.frames_of(r, stop), s.gradients_of(r, stop),
                                gradient.first(shape_.filter_size()));
    }
    const std::span<float> by_bias = gradient.last(shape_.outputs);
    for (std::size_t r = begin; r < end; ++r) {
      for (std::size_t o = 0; o < shape_.outputs; ++o) {
        const std::span<float> plane = s.gradients_of(r, r + 1).subspan(o * shape_.plane_size(), shape_.plane_size());
        by_bias[o] += static_cast<float>(simd::sum(plane));
      }
    }
  }

  simd::ConvolutionShape shape_;
  ConvolutionOptions options_;
};

}  // namespace

LayerPtr convolution(const ImageShape& shape, std::size_t channels, const ConvolutionOptions& options) {
  return std::make_unique<Convolution>(shape, channels, options);
}

}  // namespace sosia::nn
