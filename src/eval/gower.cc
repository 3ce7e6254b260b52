// SPDX-License-Identifier: Apache-2.0
#include "eval/gower.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "simd/parallel.h"

namespace sosia::eval {

namespace {

constexpr std::size_t kReferences = 2048;  // a block of them stays in the cache while some queries pass over it
constexpr std::size_t kQueries = 64;
constexpr float kMissing = 2.0F;  // 1 or more from everything in [0, 1]

}  // namespace

Ruler::Ruler(const Outline& outline, const Rows& real) {
  for (std::size_t c = 0; c < outline.size(); ++c) {
    Scale scale{.is_number = outline[c].is_number()};
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const double x : real.numbers[c]) {
      if (std::isnan(x)) continue;
      low = std::min(low, x);
      high = std::max(high, x);
    }
    if (low <= high) scale.low = low;
    if (low < high) scale.per_unit = 1.0 / (high - low);
    scales_.push_back(scale);
  }
}

PlacedRows Ruler::place(const Rows& rows, std::span<const std::size_t> indices) const {
  PlacedRows placed{.count = indices.size(), .columns = {}};
  for (std::size_t c = 0; c < scales_.size(); ++c) {
    const Scale& scale = scales_[c];
    auto& column = placed.columns.emplace_back();
    column.reserve(indices.size());
    for (const std::size_t i : indices) {
      if (!scale.is_number) {
        column.push_back(static_cast<float>(rows.codes[c][i]));
      } else if (const double x = rows.numbers[c][i]; std::isnan(x)) {
        column.push_back(kMissing);
      } else {
        column.push_back(static_cast<float>(std::clamp((x - scale.low) * scale.per_unit, 0.0, 1.0)));
      }
    }
  }
  return placed;
}

void for_distances(const PlacedRows& queries, const PlacedRows& references, ThreadPool& pool,
                   const std::function<void(std::size_t query, std::span<float> distances)>& work) {
  const float share = 1.0F / static_cast<float>(queries.columns.size());
  simd::for_ranges(pool, queries.count, kQueries, [&](std::size_t first, std::size_t last) {
    std::array<float, kReferences> distances;
    for (std::size_t begin = 0; begin < references.count; begin += kReferences) {
      const std::size_t count = std::min(kReferences, references.count - begin);
      for (std::size_t query = first; query < last; ++query) {
        std::fill_n(distances.begin(), count, 0.0F);
        for (std::size_t c = 0; c < queries.columns.size(); ++c) {
          const float x = queries.columns[c][query];
          const float* y = references.columns[c].data() + begin;
          for (std::size_t i = 0; i < count; ++i) distances[i] += std::min(std::abs(x - y[i]), 1.0F);
        }
        for (std::size_t i = 0; i < count; ++i) distances[i] *= share;
        work(query, {distances.data(), count});
      }
    }
  });
}

std::vector<double> closest_distances(const PlacedRows& queries, const PlacedRows& references, ThreadPool& pool) {
  std::vector<double> closest(queries.count, std::numeric_limits<double>::infinity());
  for_distances(queries, references, pool, [&](std::size_t query, std::span<float> distances) {
    float least = distances.front();
    for (const float distance : distances) least = std::min(least, distance);
    closest[query] = std::min(closest[query], static_cast<double>(least));
  });
  return closest;
}

}  // namespace sosia::eval
