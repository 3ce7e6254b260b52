// SPDX-License-Identifier: Apache-2.0
#include "nn/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/check.h"

namespace sosia::nn {

double rate_at(const Schedule& schedule, std::int64_t step) {
  SOSIA_CHECK(step >= 0 && schedule.warm_up >= 0 && schedule.every > 0, "a schedule out of range");
  if (step < schedule.warm_up) {
    return schedule.rate * static_cast<double>(step + 1) / static_cast<double>(schedule.warm_up + 1);
  }
  const std::int64_t done = step - schedule.warm_up;
  switch (schedule.kind) {
    case ScheduleKind::cosine: {
      const auto all = static_cast<double>(std::max<std::int64_t>(1, schedule.steps - schedule.warm_up));
      const double part = std::min(1.0, static_cast<double>(done) / all);
      return schedule.rate * 0.5 * (1.0 + std::cos(std::numbers::pi * part));
    }
    case ScheduleKind::step: {
      const std::int64_t falls = done / schedule.every;
      return schedule.rate * std::pow(schedule.factor, static_cast<double>(falls));
    }
    case ScheduleKind::constant:
      break;
  }
  return schedule.rate;
}

}  // namespace sosia::nn
