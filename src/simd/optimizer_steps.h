// SPDX-License-Identifier: Apache-2.0
// One step of an optimiser over all parameters in one pass. All spans have one length. Every operation is rounded, in
// the order written: the same bits on every CPU, from any number of threads.
#pragma once

#include <span>

#include "base/thread_pool.h"

namespace sosia::simd {

struct SgdStep {
  float rate, momentum;
};
/// velocity = momentum * velocity + grad; weights -= rate * velocity
void sgd_step(SgdStep step, std::span<const float> grad, std::span<float> velocity, std::span<float> weights,
              ThreadPool& pool);

/// The decay is a double since 1 - decay would lose digits in floats.
struct RmsPropStep {
  float rate;
  double decay;
  float epsilon;
};
/// square = decay * square + (1 - decay) * grad^2; weights -= rate * grad / (sqrt(square) + epsilon)
void rmsprop_step(RmsPropStep step, std::span<const float> grad, std::span<float> square, std::span<float> weights,
                  ThreadPool& pool);

/// rate and scale carry Adam's bias corrections: rate / (1 - decay1^t) and 1 / sqrt(1 - decay2^t).
struct AdamStep {
  float rate;
  double decay1, decay2;
  float epsilon, scale;
};
/// mean = decay1 * mean + (1 - decay1) * grad; square = decay2 * square + (1 - decay2) * grad^2;
/// weights -= rate * mean / (scale * sqrt(square) + epsilon)
void adam_step(AdamStep step, std::span<const float> grad, std::span<float> mean, std::span<float> square,
               std::span<float> weights, ThreadPool& pool);

}  // namespace sosia::simd
