// SPDX-License-Identifier: Apache-2.0
// What a metric is: a name, what it says, and a function of two tables.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sosia/evaluate.h>

#include "base/thread_pool.h"
#include "eval/rows.h"

namespace sosia::eval {

/// Tables with the same columns. All have at least one row.
struct Comparison {
  const Outline& outline;
  const Rows& real;
  const Rows& made;                   ///< the synthetic rows, or those of a table that stands beside them
  const Rows* holdout;                ///< null if there is none
  std::optional<std::size_t> target;  ///< the column of the label
  std::uint64_t seed;
  ThreadPool& pool;
};

struct Part {
  std::vector<std::string> of;
  double value = 0.0;
};

/// What a metric finds. Which parts there are, and their order, may depend on the real table but not on the made one.
struct Finding {
  double value = 0.0;
  std::vector<Part> parts = {};
  std::vector<std::pair<std::string, double>> counted = {};
};

/// The finding depends on the comparison alone: not on the number of threads, not on earlier calls.
struct Metric {
  MetricInfo info;
  std::function<Finding(const Comparison&)> measure;
  /// Parts say something about the made table alone, so that the real table's are worth showing beside.
  bool describes = false;
};

/// In the order in which they are shown.
const std::vector<Metric>& all_metrics();
/// Those with these names, or of the groups with these names; all if there are none. An unknown name is a usage error
/// that lists the valid ones.
std::vector<const Metric*> find_metrics(const std::vector<std::string>& names);

/// Streams of public randomness: no two users share one.
enum class Stream : std::uint64_t {
  bootstrap,
  independent,
  column_sets,
  sub_sample,
  queries,
  kernel_rows,
  plane_rows,
  closest_rows,
  member_rows,
  training_rows,
  prediction_rows,
  prediction_columns,
  importance_rows,
  group_rows,
  test_rows,
  propensity_rows,
  pair_columns,
  importance_columns,
  image_rows
};
inline PublicRng rng_of(std::uint64_t seed, Stream stream) {
  return PublicRng(seed, static_cast<std::uint64_t>(stream));
}

double mean_of(const std::vector<Part>& parts);

}  // namespace sosia::eval
