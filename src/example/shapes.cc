// SPDX-License-Identifier: Apache-2.0
#include "example/shapes.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "random/public_rng.h"

namespace sosia {

namespace {

constexpr int kSide = 8;
enum Shape { bar, ring, cross };

/// Whether a pixel, so far from the centre, belongs to the shape.
bool is_inside(int shape, int dx, int dy) {
  if (shape == bar) return dx == 0 && std::abs(dy) <= 3;
  if (shape == cross) return std::abs(dx) == std::abs(dy) && std::abs(dx) <= 2;
  return std::max(std::abs(dx), std::abs(dy)) == 2;
}

}  // namespace

Schema shapes_schema() { return {.columns = {}, .images = ImageSchema{{kSide, kSide, 1}, {"bar", "ring", "cross"}}}; }

void draw_shape(std::uint64_t seed, std::int64_t number, std::span<float> row) {
  SOSIA_CHECK(row.size() == kSide * kSide + 1, "room for a picture and its class");
  PublicRng rng(seed, static_cast<std::uint64_t>(number));
  const auto pick = [&](int count) { return static_cast<int>(rng.uniform() * count); };
  const int shape = pick(3), x = 3 + pick(2), y = 3 + pick(2);
  const double brightness = 0.6 + 0.4 * rng.uniform();
  for (int j = 0; j < kSide * kSide; ++j) {
    const double grain = 0.1 * rng.uniform();
    const double light = is_inside(shape, j % kSide - x, j / kSide - y) ? brightness - grain : grain;
    row[static_cast<std::size_t>(j)] = static_cast<float>(std::round(255.0 * light) / 255.0);
  }
  row.back() = static_cast<float>(shape);
}

}  // namespace sosia
