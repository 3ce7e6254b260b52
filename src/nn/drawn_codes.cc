// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "nn/layers.h"
#include "nn/parameter_free.h"

namespace sosia::nn {

namespace {

class DrawnCodes final : public ParameterFree {
 public:
  explicit DrawnCodes(std::size_t width) : ParameterFree(3 * width), width_(width) {}

  void forward(const Pass&, MatrixView<const float> x, MatrixView<float> y) const override {
    for (std::size_t r = 0; r < x.rows; ++r) {
      const std::span<const float> in = x.row(r);
      const std::span<float> out = y.row(r);
      for (std::size_t i = 0; i < width_; ++i) out[i] = in[i] + std::exp(in[width_ + i]) * in[2 * width_ + i];
      std::copy_n(in.begin(), 2 * width_, out.begin() + static_cast<std::ptrdiff_t>(width_));
    }
  }

  void backward(const Pass&, MatrixView<const float> x, MatrixView<const float>, MatrixView<float> grad_y,
                MatrixView<float> grad_x) const override {
    if (grad_x.data == nullptr) return;
    for (std::size_t r = 0; r < x.rows; ++r) {
      const std::span<const float> in = x.row(r), slopes = grad_y.row(r);
      const std::span<float> out = grad_x.row(r);
      for (std::size_t i = 0; i < width_; ++i) {
        const float spread = std::exp(in[width_ + i]), slope = slopes[i];
        out[i] = slope + slopes[width_ + i];
        out[width_ + i] = slope * spread * in[2 * width_ + i] + slopes[2 * width_ + i];
        out[2 * width_ + i] = slope * spread;
      }
    }
  }

 private:
  std::size_t width_;
};

}  // namespace

LayerPtr drawn_codes(std::size_t width) { return std::make_unique<DrawnCodes>(width); }

}  // namespace sosia::nn
