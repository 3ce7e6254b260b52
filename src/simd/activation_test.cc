// SPDX-License-Identifier: Apache-2.0
#include "simd/activation.h"

#include "simd/reference.h"
#include "simd/test_support.h"

namespace sosia::simd {
namespace {

const Activation kAll[] = {{.kind = ActivationKind::identity},
                           {.kind = ActivationKind::relu},
                           {.kind = ActivationKind::leaky_relu, .leak = 0.2F},
                           {.kind = ActivationKind::tanh},
                           {.kind = ActivationKind::sigmoid}};

// Rows of every length, some columns apart from each other, so that rows begin at every alignment.
TEST(Activation, FormsAgreeWithTheReference) {
  constexpr std::size_t kRows = 5;
  ThreadPool pool(2);
  for_each_target([&] {
    for (const Activation f : kAll) {
      for (const std::size_t cols : kLengths) {
        const std::size_t stride = cols + 3;
        std::vector<float> x = random_floats(kRows * stride, -9.0F, 9.0F, 1), y(kRows * stride, 7.0F);
        const std::vector<float> scale = random_floats(cols, 0.5F, 2.0F, 2),
                                 shift = random_floats(cols, -1.0F, 1.0F, 3);
        const MatrixView<float> in(x.data(), kRows, cols, stride), out(y.data(), kRows, cols, stride);
        const auto expect = [&](MatrixView<float> got, const auto& input) {
          for (std::size_t r = 0; r < kRows; ++r) {
            for (std::size_t c = 0; c < cols; ++c) {
              ASSERT_LE(ulps_between(got.row(r)[c], reference::activate(input(r, c), f)), 4) << input(r, c);
            }
          }
        };
        activate(in, f, out, pool);
        expect(out, [&](std::size_t r, std::size_t c) { return in.row(r)[c]; });
        scale_shift_activate(in, scale, shift, f, out, pool);
        expect(out, [&](std::size_t r, std::size_t c) { return scale[c] * in.row(r)[c] + shift[c]; });
        const std::vector<float> before = x;
        shift_activate(in, shift, f, pool);
        expect(in, [&](std::size_t r, std::size_t c) { return before[r * stride + c] + shift[c]; });
        for (std::size_t r = 0; r < kRows; ++r) ASSERT_EQ(y[r * stride + cols], 7.0F) << "written beyond the row";
      }
    }
  });
}

TEST(Activation, BackwardIsTheReferenceToTheBit) {
  constexpr std::size_t kRows = 3;
  ThreadPool pool(2);
  for_each_target([&] {
    for (const Activation f : kAll) {
      for (const std::size_t cols : kLengths) {
        std::vector<float> y = random_floats(kRows * cols, -1.0F, 1.0F, 1),
                           grad = random_floats(kRows * cols, -2.0F, 2.0F, 2);
        if (cols > 2) y[1] = 0.0F;
        const std::vector<float> before = grad;
        std::vector<float> out(kRows * cols);
        const MatrixView<float> results(y.data(), kRows, cols), grads(grad.data(), kRows, cols);
        activate_backward(results, grads, f, {out.data(), kRows, cols}, pool);
        activate_backward(results, grads, f, grads, pool);
        for (std::size_t i = 0; i < out.size(); ++i) {
          ASSERT_EQ(out[i], reference::activate_backward(y[i], before[i], f));
          ASSERT_EQ(grad[i], out[i]);
        }
      }
    }
  });
}

}  // namespace
}  // namespace sosia::simd
