// SPDX-License-Identifier: Apache-2.0
// The softmax of blocks: a row is a sequence of blocks of the given widths (which add up to its length), and each block
// is normalised by itself. A probability p has a relative error of at most 1e-6 + 6e-8 |log p|. Sums run in an order
// that depends on the widths alone; other CPU targets may differ within the error.
#pragma once

#include <cstdint>
#include <span>

#include "base/matrix.h"
#include "base/thread_pool.h"

namespace sosia::simd {

/// Probabilities, each block summing to one. `out` may be `logits`.
void softmax(MatrixView<const float> logits, std::span<const std::uint32_t> widths, MatrixView<float> out,
             ThreadPool& pool);
/// Their logarithms, also where the probability itself would be zero. `out` may be `logits`.
void log_softmax(MatrixView<const float> logits, std::span<const std::uint32_t> widths, MatrixView<float> out,
                 ThreadPool& pool);
/// The gradient by logits, from probabilities p and the gradient by p. `out` may be `grad`.
void softmax_backward(MatrixView<const float> p, MatrixView<const float> grad, std::span<const std::uint32_t> widths,
                      MatrixView<float> out, ThreadPool& pool);

}  // namespace sosia::simd
