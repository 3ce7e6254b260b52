// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "base/check.h"
#include "nn/layers.h"
#include "nn/parameter_free.h"
#include "simd/softmax.h"

namespace sosia::nn {

namespace {

/// Neighbouring blocks of one kind, done in one call.
struct Run {
  HeadKind kind;
  std::size_t begin, cols;
  std::vector<std::uint32_t> widths;
};

std::vector<Run> runs_of(const std::vector<HeadBlock>& blocks) {
  std::vector<Run> runs;
  std::size_t begin = 0;
  for (const HeadBlock& block : blocks) {
    SOSIA_CHECK(block.width > 0, "an empty block");
    if (runs.empty() || runs.back().kind != block.kind) runs.push_back({block.kind, begin, 0, {}});
    runs.back().cols += block.width;
    runs.back().widths.push_back(block.width);
    begin += block.width;
  }
  return runs;
}

simd::Activation activation_of(HeadKind kind) {
  switch (kind) {
    case HeadKind::sigmoid:
      return {.kind = simd::ActivationKind::sigmoid};
    case HeadKind::tanh:
      return {.kind = simd::ActivationKind::tanh};
    case HeadKind::linear:
    case HeadKind::softmax:
      break;
  }
  return {};
}

template <class T>
MatrixView<T> columns_of(MatrixView<T> m, const Run& run) {
  return {m.data + run.begin, m.rows, run.cols, m.stride};
}

class Head final : public ParameterFree {
 public:
  explicit Head(std::vector<Run> runs)
      : ParameterFree(runs.empty() ? 0 : runs.back().begin + runs.back().cols), runs_(std::move(runs)) {}

  void forward(const Pass& pass, MatrixView<const float> x, MatrixView<float> y) const override {
    for (const Run& run : runs_) {
      if (run.kind == HeadKind::softmax) {
        simd::softmax(columns_of(x, run), run.widths, columns_of(y, run), pass.pool);
      } else {
        simd::activate(columns_of(x, run), activation_of(run.kind), columns_of(y, run), pass.pool);
      }
    }
  }

  void backward(const Pass& pass, MatrixView<const float>, MatrixView<const float> y, MatrixView<float> grad_y,
                MatrixView<float> grad_x) const override {
    if (grad_x.data == nullptr) return;
    for (const Run& run : runs_) {
      const MatrixView<const float> result = columns_of(y, run), grad = columns_of(grad_y, run);
      if (run.kind == HeadKind::softmax) {
        simd::softmax_backward(result, grad, run.widths, columns_of(grad_x, run), pass.pool);
      } else {
        simd::activate_backward(result, grad, activation_of(run.kind), columns_of(grad_x, run), pass.pool);
      }
    }
  }

 private:
  std::vector<Run> runs_;
};

}  // namespace

LayerPtr head(const std::vector<HeadBlock>& blocks) { return std::make_unique<Head>(runs_of(blocks)); }

}  // namespace sosia::nn
