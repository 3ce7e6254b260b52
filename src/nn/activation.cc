// SPDX-License-Identifier: Apache-2.0
#include "nn/layers.h"
#include "nn/parameter_free.h"

namespace sosia::nn {

namespace {

class ActivationLayer final : public ParameterFree {
 public:
  ActivationLayer(std::size_t width, simd::Activation f) : ParameterFree(width), f_(f) {}

  void forward(const Pass& pass, MatrixView<const float> x, MatrixView<float> y) const override {
    simd::activate(x, f_, y, pass.pool);
  }

  void backward(const Pass& pass, MatrixView<const float>, MatrixView<const float> y, MatrixView<float> grad_y,
                MatrixView<float> grad_x) const override {
    if (grad_x.data != nullptr) simd::activate_backward(y, grad_y, f_, grad_x, pass.pool);
  }

 private:
  simd::Activation f_;
};

}  // namespace

LayerPtr activation(std::size_t width, simd::Activation activation) {
  return std::make_unique<ActivationLayer>(width, activation);
}

}  // namespace sosia::nn
