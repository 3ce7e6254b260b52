// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "base/thread_pool.h"

namespace sosia::nn {

/// Gradient descent, with momentum if it is not 0.
struct Sgd {
  double momentum = 0.0;
};
/// Kingma and Ba 2015.
struct Adam {
  double decay1 = 0.9, decay2 = 0.999, epsilon = 1e-8;
};
/// Tieleman and Hinton 2012.
struct RmsProp {
  double decay = 0.99, epsilon = 1e-8;
};
using OptimizerOptions = std::variant<Sgd, Adam, RmsProp>;

/// Moves weights against their gradient. Keeps its averages between steps, and allocates them here only. A critic whose
/// weights are to stay within bounds has simd::clamp after each step.
class Optimizer {
 public:
  Optimizer(OptimizerOptions options, std::size_t weights);

  void step(double rate, std::span<const float> gradient, std::span<float> weights, ThreadPool& pool);
  std::int64_t steps() const { return steps_; }

 private:
  OptimizerOptions options_;
  std::int64_t steps_ = 0;
  std::vector<float> first_, second_;
};

}  // namespace sosia::nn
