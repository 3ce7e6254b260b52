// SPDX-License-Identifier: Apache-2.0
// Activation functions over matrices, fused with the shift or scale of columns before them.
#pragma once

#include <span>

#include "base/matrix.h"
#include "base/thread_pool.h"

namespace sosia::simd {

enum class ActivationKind { identity, relu, leaky_relu, tanh, sigmoid };

/// All are increasing, so that the derivative can be told from the result alone and the input need not be kept.
struct Activation {
  ActivationKind kind = ActivationKind::identity;
  float leak = 0.01F;  ///< slope below zero of leaky_relu, above 0
};

/// out = f(x)
void activate(MatrixView<const float> x, Activation f, MatrixView<float> out, ThreadPool& pool);
/// x = f(x + shift), one shift for each column.
void shift_activate(MatrixView<float> x, std::span<const float> shift, Activation f, ThreadPool& pool);
/// out = f(scale * x + shift), one scale and shift for each column.
void scale_shift_activate(MatrixView<const float> x, std::span<const float> scale, std::span<const float> shift,
                          Activation f, MatrixView<float> out, ThreadPool& pool);
/// out = grad * f'(x), where y = f(x). At the kink of relu and leaky_relu the derivative from below.
void activate_backward(MatrixView<const float> y, MatrixView<const float> grad, Activation f, MatrixView<float> out,
                       ThreadPool& pool);

}  // namespace sosia::simd
