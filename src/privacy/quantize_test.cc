// SPDX-License-Identifier: Apache-2.0
#include "privacy/quantize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/wide_int.h"
#include "random/public_rng.h"

namespace sosia {
namespace {

using Cells = std::vector<std::int64_t>;

Cells quantized(const Quantizer& quantizer, std::vector<float> vector) {
  Cells sum(vector.size(), 0);
  quantizer.add({vector.data(), 1, vector.size()}, std::vector<std::uint32_t>{0}, sum);
  return sum;
}

u128 squared_norm(const Cells& cells) {
  u128 squares = 0;
  for (const std::int64_t cell : cells) squares += square(cell);
  return squares;
}

Lattice grid(double noise = 2.0, double bound = 1.0) {
  return make_lattice({.noise = noise, .norm_bound = bound, .row_limit = 1'000'000});
}

TEST(Quantizer, CutsTowardZero) {
  const Lattice lattice{20, 0.25, 1 << 20};
  EXPECT_EQ(quantized(Quantizer(lattice, 4, false), {0.99F, -0.99F, 0.2F, -0.2F}), (Cells{3, -3, 0, 0}));
  EXPECT_EQ(quantized(Quantizer(lattice, 4, true), {0.99F, -0.99F, 0.25F, -0.0F}), (Cells{3, 0, 1, 0}));
}

TEST(Quantizer, AVectorThatIsNotFiniteAddsNothing) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  for (const bool nonnegative : {false, true}) {
    const Quantizer quantizer(grid(), 3, nonnegative);
    for (const float bad : {kInf, -kInf, std::numeric_limits<float>::quiet_NaN(), -std::nanf("7")}) {
      for (int place = 0; place < 3; ++place) {
        std::vector<float> vector = {0.1F, 0.1F, 0.1F};
        vector[place] = bad;
        EXPECT_EQ(quantized(quantizer, vector), (Cells{0, 0, 0}));
      }
    }
  }
}

TEST(Quantizer, AddsUpAndCountsByPart) {
  const Quantizer quantizer({20, 0.25, 1 << 20, 7}, 2, false);
  const std::vector<float> vectors = {1.0F, 0.0F, 0.0F, 2.0F, 1.0F, 1.0F, NAN, 1.0F, 1.0F, 1.0F};
  Cells sums(3 * 2 + 3);
  quantizer.add({vectors.data(), 5, 2}, std::vector<std::uint32_t>{2, 0, 2, 0, 3}, sums);
  EXPECT_EQ(sums, (Cells{0, 8, 0, 0, 8, 4, 7, 0, 14}));  // no number and no such part: neither added nor counted
}

TEST(Quantizer, ShrinksToTheBoundAndKeepsTheDirection) {
  const Lattice lattice = grid();
  const Quantizer quantizer(lattice, 2, false);
  for (const float scale : {1.0001F, 2.0F, 1e10F, 8e37F}) {
    const Cells cells = quantized(quantizer, {3.0F * scale, -4.0F * scale});
    EXPECT_LE(squared_norm(cells), square(lattice.norm));
    EXPECT_NEAR(static_cast<double>(cells[0]) / static_cast<double>(lattice.norm), 0.6, 1e-7);
    EXPECT_NEAR(static_cast<double>(cells[1]) / static_cast<double>(lattice.norm), -0.8, 1e-7);
  }
}

TEST(Quantizer, NegativeEntriesDoNotCountTowardTheNormOfNonnegativeMaps) {
  const Lattice lattice = grid();
  const Cells cells = quantized(Quantizer(lattice, 2, true), {0.5F, -1e30F});
  EXPECT_EQ(cells[0], static_cast<std::int64_t>(0.5 / lattice.step));
  EXPECT_EQ(cells[1], 0);
}

// Vectors at the edge of the bound, where the quick check cannot decide, and far outside; all dimensions of the
// unrolled loop.
TEST(Quantizer, NormIsNeverExceeded) {
  PublicRng rng(21);
  for (int i = 0; i < 20'000; ++i) {
    const std::size_t dim = 1 + rng.next_u32() % 40;
    const Lattice lattice = grid(std::exp(6.0 * rng.uniform() - 3.0), std::exp(6.0 * rng.uniform() - 3.0));
    const bool nonnegative = rng.uniform() < 0.5;
    std::vector<double> direction(dim);
    double squares = 0.0;
    for (double& x : direction) {
      x = rng.uniform() < 0.2 ? 0.0 : rng.normal();
      squares += x * x;
    }
    if (squares == 0.0) continue;
    const double bound = static_cast<double>(lattice.norm) * lattice.step;
    const double length =
        bound * (rng.uniform() < 0.7 ? 1.0 + 1e-6 * rng.normal() : std::exp(60.0 * rng.uniform() - 10.0));
    std::vector<float> vector;
    for (const double x : direction) vector.push_back(static_cast<float>(x / std::sqrt(squares) * length));
    const Cells cells = quantized(Quantizer(lattice, static_cast<int>(dim), nonnegative), vector);
    EXPECT_LE(squared_norm(cells), square(lattice.norm));
    double wanted = 0.0;
    for (std::size_t j = 0; j < dim; ++j) {
      EXPECT_TRUE(!nonnegative || cells[j] >= 0);
      const double y = nonnegative ? std::max(vector[j], 0.0F) : vector[j];
      wanted += y * y;
    }
    // Accuracy: what is within the bound is only cut, what is outside ends at the bound, less the cut of each entry.
    const double target = std::min(std::sqrt(wanted), bound) / lattice.step;
    EXPECT_GE(std::sqrt(static_cast<double>(squared_norm(cells))), target * (1 - 1e-9) - std::sqrt(dim) - 1.0);
  }
}

TEST(Quantizer, SumIsTheSumOfItsRows) {
  PublicRng rng(22);
  constexpr std::size_t kRows = 50, kDim = 13, kStride = 17;
  std::vector<float> values(kRows * kStride);
  for (float& x : values) x = static_cast<float>(0.5 * rng.normal());
  const Quantizer quantizer(grid(), kDim, false);
  Cells sum(kDim, 7), expected(kDim, 7);
  quantizer.add({values.data(), kRows, kDim, kStride}, std::vector<std::uint32_t>(kRows), sum);
  for (std::size_t r = 0; r < kRows; ++r) {
    const Cells row = quantized(quantizer, {values.begin() + r * kStride, values.begin() + r * kStride + kDim});
    for (std::size_t j = 0; j < kDim; ++j) expected[j] += row[j];
  }
  EXPECT_EQ(sum, expected);
}

TEST(AddCounts, OneCellASlotAndNoneOutside) {
  const std::vector<CountSlot> slots = {{2, 1.0}, {3, 1.0}};
  const std::vector<std::uint32_t> cells = {0, 2, 1, 3, CountMap::kNoCell, 0, 2, 0};
  Cells counts(5, 0);
  add_counts({cells.data(), 4, 2}, slots, counts);
  EXPECT_EQ(counts, (Cells{1, 1, 2, 0, 1}));
}

}  // namespace
}  // namespace sosia
