// SPDX-License-Identifier: Apache-2.0
#include "simd/normals.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "simd/reference.h"
#include "simd/test_support.h"

namespace sosia::simd {
namespace {

constexpr std::uint64_t kSeed = 0x1122334455667788, kStream = 0x99aabbccddeeff00;

TEST(Normals, TheSameBitsFromEveryTargetAndThreadCount) {
  ThreadPool one(1), several(3);
  std::vector<std::size_t> lengths = kLengths;
  lengths.push_back(100'003);
  for_each_target([&] {
    for (const std::size_t n : lengths) {
      for (const std::size_t offset : {0, 1}) {
        std::vector<float> out(n + offset + 1, 7.0F), expected(n);
        reference::fill_normals(kSeed, kStream, expected);
        for (ThreadPool* pool : {&one, &several}) {
          fill_normals(kSeed, kStream, {out.data() + offset, n}, *pool);
          ASSERT_TRUE(std::equal(expected.begin(), expected.end(), out.begin() + static_cast<std::ptrdiff_t>(offset)));
          ASSERT_EQ(out[n + offset], 7.0F) << "written beyond the end";
        }
      }
    }
  });
}

// The blocks are PublicRng's: the first two words of block 0 make the first two numbers.
TEST(Normals, AreBoxAndMullerOfPublicRng) {
  PublicRng rng(kSeed, kStream);
  std::vector<float> numbers(4000);
  ThreadPool pool(1);
  fill_normals(kSeed, kStream, numbers, pool);
  for (std::size_t i = 0; i < numbers.size(); i += 2) {
    const double radius = std::sqrt(-2.0 * std::log((rng.next_u32() + 1.0) * 0x1p-32));
    const double angle = 2.0 * std::numbers::pi * rng.next_u32() * 0x1p-32;
    // u near 1 has few digits left of its distance to 1: there the radius itself is small.
    ASSERT_NEAR(numbers[i], radius * std::cos(angle), 4e-7 * radius + 3e-8 / std::max(radius, 1e-4));
    ASSERT_NEAR(numbers[i + 1], radius * std::sin(angle), 4e-7 * radius + 3e-8 / std::max(radius, 1e-4));
  }
}

TEST(Normals, StreamsDiffer) {
  ThreadPool pool(1);
  std::vector<float> a(8), b(8), c(8);
  fill_normals(1, 2, a, pool);
  fill_normals(1, 3, b, pool);
  fill_normals(2, 2, c, pool);
  EXPECT_NE(a, b);
  EXPECT_NE(a, c);
}

// Kolmogorov and Smirnov's distance: P(sqrt(n) D > 2.7) < 2 exp(-2 * 2.7^2) = 9.3e-7. The seed is fixed.
TEST(Normals, HaveTheNormalDistribution) {
  constexpr std::size_t kCount = 1 << 20;
  std::vector<float> numbers(kCount);
  ThreadPool pool(2);
  fill_normals(5, 0, numbers, pool);
  // Neighbours of a pair, and pairs of a block, are uncorrelated: 5 standard errors, a false alarm rate of 6e-7.
  double product1 = 0.0, product2 = 0.0;
  for (std::size_t i = 0; i + 2 < kCount; ++i) {
    product1 += double{numbers[i]} * numbers[i + 1];
    product2 += double{numbers[i]} * numbers[i + 2];
  }
  EXPECT_LT(std::abs(product1), 5.0 * std::sqrt(kCount));
  EXPECT_LT(std::abs(product2), 5.0 * std::sqrt(kCount));

  std::ranges::sort(numbers);
  double distance = 0.0;
  for (std::size_t i = 0; i < kCount; ++i) {
    const double p = 0.5 * std::erfc(-numbers[i] / std::numbers::sqrt2);
    distance = std::max({distance, p - static_cast<double>(i) / kCount, static_cast<double>(i + 1) / kCount - p});
  }
  EXPECT_LT(std::sqrt(kCount) * distance, 2.7);
}

}  // namespace
}  // namespace sosia::simd
