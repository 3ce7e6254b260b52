// SPDX-License-Identifier: Apache-2.0
// The contract that every feature map keeps. To be run on each of them, in tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "features/feature_map.h"
#include "random/public_rng.h"

namespace sosia {

inline std::vector<float> vectors_of(const FeatureMap& map, const std::vector<float>& rows) {
  const auto inputs = static_cast<std::size_t>(map.inputs()), dim = static_cast<std::size_t>(map.dim());
  const std::size_t count = rows.size() / inputs;
  std::vector<float> vectors(count * dim, NAN);
  map.forward({rows.data(), count, inputs}, {vectors.data(), count, dim});
  return vectors;
}

/// Rows that the door could see: their vectors keep the bound, to rounding, and their sign where that is promised.
inline void expect_bound(const FeatureMap& map, const std::vector<float>& rows) {
  const auto dim = static_cast<std::size_t>(map.dim());
  const std::vector<float> vectors = vectors_of(map, rows);
  for (std::size_t first = 0; first < vectors.size(); first += dim) {
    double squares = 0.0;
    for (std::size_t j = first; j < first + dim; ++j) {
      squares += static_cast<double>(vectors[j]) * static_cast<double>(vectors[j]);
      if (map.nonnegative()) {
        EXPECT_GE(vectors[j], 0.0F);
      }
    }
    EXPECT_LE(std::sqrt(squares), map.norm_bound() * (1.0 + 1e-6));
  }
}

/// To the bit: alone and in another place.
inline void expect_rows_alone(const FeatureMap& map, const std::vector<float>& rows) {
  const auto inputs = static_cast<std::size_t>(map.inputs()), dim = static_cast<std::size_t>(map.dim());
  const std::vector<float> together = vectors_of(map, rows);
  std::vector<float> turned(rows.begin() + static_cast<std::ptrdiff_t>(inputs), rows.end());
  turned.insert(turned.end(), rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(inputs));
  const std::vector<float> moved = vectors_of(map, turned);
  const std::size_t count = rows.size() / inputs;
  for (std::size_t r = 0; r < count; ++r) {
    const std::vector<float> row(rows.begin() + static_cast<std::ptrdiff_t>(r * inputs),
                                 rows.begin() + static_cast<std::ptrdiff_t>((r + 1) * inputs));
    const std::vector<float> alone = vectors_of(map, row);
    const std::size_t place = (r + count - 1) % count;
    for (std::size_t j = 0; j < dim; ++j) {
      EXPECT_EQ(alone[j], together[r * dim + j]);
      EXPECT_EQ(moved[place * dim + j], together[r * dim + j]);
    }
  }
}

/// Against central differences, at rows between codes.
inline void expect_gradient(const FeatureMap& map, std::uint64_t seed) {
  constexpr double kStep = 1e-2;
  const auto inputs = static_cast<std::size_t>(map.inputs()), dim = static_cast<std::size_t>(map.dim());
  PublicRng rng(seed);
  std::vector<float> row(inputs), d(dim), gradient(inputs, NAN);
  for (float& number : row) number = static_cast<float>(rng.uniform());
  for (float& number : d) number = static_cast<float>(rng.normal());
  map.backward({row.data(), 1, inputs}, {d.data(), 1, dim}, {gradient.data(), 1, inputs});
  const auto value = [&](std::size_t j, double change) {
    std::vector<float> at = row;
    at[j] = static_cast<float>(static_cast<double>(at[j]) + change);
    const std::vector<float> vector = vectors_of(map, at);
    double sum = 0.0;
    for (std::size_t k = 0; k < dim; ++k) sum += static_cast<double>(vector[k]) * static_cast<double>(d[k]);
    return sum;
  };
  for (std::size_t j = 0; j < inputs; ++j) {
    const double expected = (value(j, kStep) - value(j, -kStep)) / (2.0 * kStep);
    EXPECT_NEAR(gradient[j], expected, 1e-3 * std::max(1.0, std::abs(expected))) << "input " << j;
  }
}

}  // namespace sosia
