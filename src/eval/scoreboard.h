// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <sosia/evaluate.h>

#include "eval/metric.h"

namespace sosia::eval {

/// Which of several lists of metrics is meant by these names of metrics or groups: places in the list, all of them if
/// there are no names. An unknown name is a usage error that lists the valid ones.
std::vector<std::size_t> places_of(const std::vector<MetricInfo>& list, const std::vector<std::string>& names);

/// What stands in the place of the synthetic data.
enum class Stand { synthetic, floor, ceiling, real };

/// Writes down what metrics find, one table after the other, so that never more than one of those beside the synthetic
/// one is in memory.
class Scoreboard {
 public:
  struct Line {
    MetricInfo info;
    bool describes = false;  ///< as Metric has it
  };
  /// Adds the metrics to `scores`; calls `watch`, if there is one, before each measurement.
  Scoreboard(std::vector<Line> lines, const EvaluateWatch& watch, Scores& scores);

  /// measure(i) is what metric i finds. Of the real table only metrics that describe are asked.
  void stand(Stand who, const std::function<Finding(std::size_t metric)>& measure);

 private:
  std::vector<Line> lines_;
  const EvaluateWatch& watch_;
  Scores& scores_;
  int step_ = 0, most_ = 0;
};

}  // namespace sosia::eval
