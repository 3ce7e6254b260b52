// SPDX-License-Identifier: Apache-2.0
#include "features/feature_contract.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/thread_pool.h"
#include "random/public_rng.h"

namespace sosia {

std::vector<float> vectors_of(const FeatureMap& map, const std::vector<float>& rows) {
  const auto inputs = static_cast<std::size_t>(map.inputs()), dim = static_cast<std::size_t>(map.dim());
  const std::size_t count = rows.size() / inputs;
  std::vector<float> vectors(count * dim, NAN);
  map.forward({rows.data(), count, inputs}, {vectors.data(), count, dim});
  return vectors;
}

void expect_bound(const FeatureMap& map, const std::vector<float>& rows) {
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

void expect_rows_alone(const FeatureMap& map, const std::vector<float>& rows) {
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

/// Rows between codes, their parts, and a gradient by the sums.
struct RandomRows {
  RandomRows(const FeatureMap& map, std::size_t count, std::size_t part_count, std::uint64_t seed)
      : numbers(count * static_cast<std::size_t>(map.inputs())),
        d_sums(part_count * static_cast<std::size_t>(map.dim())),
        parts(count) {
    PublicRng rng(seed);
    for (float& number : numbers) number = static_cast<float>(rng.uniform());
    for (float& number : d_sums) number = static_cast<float>(rng.normal());
    for (std::uint32_t& part : parts) part = rng.next_u32() % static_cast<std::uint32_t>(part_count);
  }
  std::vector<float> numbers, d_sums;
  std::vector<std::uint32_t> parts;
};

void expect_sums(const FeatureMap& map, std::uint64_t seed) {
  constexpr std::size_t kRows = 301, kParts = 3;
  const auto inputs = static_cast<std::size_t>(map.inputs()), dim = static_cast<std::size_t>(map.dim());
  const RandomRows open(map, kRows, kParts, seed);
  const std::vector<float> vectors = vectors_of(map, open.numbers);
  std::vector<double> expected(kParts * dim), size(kParts * dim);
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t j = 0; j < dim; ++j) {
      expected[open.parts[r] * dim + j] += vectors[r * dim + j];
      size[open.parts[r] * dim + j] += std::abs(vectors[r * dim + j]);
    }
  }
  std::vector<float> one(kParts * dim, NAN), three(kParts * dim, NAN);
  ThreadPool alone(1), together(3);
  map.sum({open.numbers.data(), kRows, inputs}, open.parts, {one.data(), kParts, dim}, alone);
  map.sum({open.numbers.data(), kRows, inputs}, open.parts, {three.data(), kParts, dim}, together);
  EXPECT_EQ(one, three);
  for (std::size_t j = 0; j < expected.size(); ++j) EXPECT_NEAR(one[j], expected[j], 1e-5 * size[j] + 1e-6) << j;
}

void expect_gradient(const FeatureMap& map, std::uint64_t seed) {
  constexpr std::size_t kRows = 5, kParts = 2;
  constexpr double kStep = 1e-2;
  const auto inputs = static_cast<std::size_t>(map.inputs()), dim = static_cast<std::size_t>(map.dim());
  const RandomRows open(map, kRows, kParts, seed);
  std::vector<float> gradient(kRows * inputs, NAN), again(kRows * inputs, NAN);
  ThreadPool alone(1), together(3);
  const MatrixView<const float> rows(open.numbers.data(), kRows, inputs), d_sums(open.d_sums.data(), kParts, dim);
  map.backward(rows, open.parts, d_sums, {gradient.data(), kRows, inputs}, alone);
  map.backward(rows, open.parts, d_sums, {again.data(), kRows, inputs}, together);
  EXPECT_EQ(gradient, again);
  std::vector<float> both(kRows * inputs, NAN), sums(kParts * dim, NAN), sums_alone(kParts * dim, NAN);
  map.sum(rows, open.parts, {sums_alone.data(), kParts, dim}, alone);
  const auto between = [&] { EXPECT_EQ(sums, sums_alone); };
  map.sum_and_backward(rows, open.parts, {sums.data(), kParts, dim}, between, d_sums, {both.data(), kRows, inputs},
                       together);
  EXPECT_EQ(gradient, both);
  std::ranges::fill(both, NAN);
  std::ranges::fill(sums, NAN);
  map.backward_and_sum(rows, open.parts, d_sums, {both.data(), kRows, inputs}, {sums.data(), kParts, dim}, together);
  EXPECT_EQ(gradient, both);
  EXPECT_EQ(sums, sums_alone);
  const auto value = [&](std::size_t r, std::size_t j, double change) {
    std::vector<float> at(rows.row(r).begin(), rows.row(r).end());
    at[j] = static_cast<float>(static_cast<double>(at[j]) + change);
    const std::vector<float> vector = vectors_of(map, at);
    double sum = 0.0;
    for (std::size_t k = 0; k < dim; ++k) {
      sum += static_cast<double>(vector[k]) * static_cast<double>(d_sums.row(open.parts[r])[k]);
    }
    return sum;
  };
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t j = 0; j < inputs; ++j) {
      // Of fourth order, so that curves that bend within tenths are followed as well.
      const auto difference = [&](double step) { return (value(r, j, step) - value(r, j, -step)) / (2.0 * step); };
      const double expected = (4.0 * difference(kStep) - difference(2.0 * kStep)) / 3.0;
      EXPECT_NEAR(gradient[r * inputs + j], expected, 1e-3 * std::max(1.0, std::abs(expected)))
          << "row " << r << ", input " << j;
    }
  }
}

}  // namespace sosia
