// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sosia::nn {

/// constant: the rate. cosine: from the rate down to 0 along half a wave, over all steps. step: the rate times
/// factor^k after k * every steps.
enum class ScheduleKind { constant, cosine, step };

/// How the learning rate goes over the steps of a training, the first being step 0.
struct Schedule {
  ScheduleKind kind = ScheduleKind::constant;
  double rate = 1e-3;
  std::int64_t steps = 1;    ///< of the whole training; for cosine
  std::int64_t warm_up = 0;  ///< so many steps rise to the rate in equal parts before the rest begins
  std::int64_t every = 1;    ///< for step
  double factor = 0.5;       ///< for step
};

/// Past the last step, cosine stays at 0.
double rate_at(const Schedule& schedule, std::int64_t step);

}  // namespace sosia::nn
