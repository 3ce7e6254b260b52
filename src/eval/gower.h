// SPDX-License-Identifier: Apache-2.0
// Gower's distance between rows (1971): the mean over columns of |x - y| by the range of the real values for numbers,
// and of 0 or 1 for states that are or are not the same. Missing is a state of its own, 1 away from every number.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "eval/rows.h"

namespace sosia::eval {

/// Rows as points: the distance is the mean over columns of min(|x - y|, 1). Column by column.
struct PlacedRows {
  std::size_t count = 0;
  std::vector<std::vector<float>> columns;
};

class Ruler {
 public:
  Ruler(const Outline& outline, const Rows& real);
  PlacedRows place(const Rows& rows, std::span<const std::size_t> indices) const;

 private:
  struct Scale {
    bool is_number = false;
    double low = 0.0, per_unit = 0.0;
  };
  std::vector<Scale> scales_;
};

/// Calls work(query, distances) with the distances of a query to some of the references until all have come, in order;
/// they may be changed. Queries are spread over threads; each is handled by one of them.
void for_distances(const PlacedRows& queries, const PlacedRows& references, ThreadPool& pool,
                   const std::function<void(std::size_t query, std::span<float> distances)>& work);

/// From each query to the closest reference.
std::vector<double> closest_distances(const PlacedRows& queries, const PlacedRows& references, ThreadPool& pool);

}  // namespace sosia::eval
