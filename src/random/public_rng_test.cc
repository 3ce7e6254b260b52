// SPDX-License-Identifier: Apache-2.0
#include "random/public_rng.h"

#include <gtest/gtest.h>

#include <cmath>
#include <type_traits>
#include <vector>

#include "random/secure_rng.h"

namespace sosia {
namespace {

static_assert(!std::is_convertible_v<PublicRng, SecureRng> && !std::is_constructible_v<SecureRng, PublicRng>,
              "public randomness must not pass for private");

// Known answers of the reference implementation, Random123 (kat_vectors).
TEST(PublicRng, PhiloxGivesTheKnownAnswers) {
  using Block = PublicRng::Block;
  EXPECT_EQ(PublicRng::philox({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(PublicRng::philox({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(PublicRng::philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(PublicRng, NumbersAreTheBlocksOfItsSeedAndStream) {
  PublicRng rng(0x1122334455667788, 0x99aabbccddeeff00);
  for (std::uint32_t block = 0; block < 3; ++block) {
    for (const std::uint32_t expected :
         PublicRng::philox({block, 0, 0xddeeff00, 0x99aabbcc}, {0x55667788, 0x11223344})) {
      EXPECT_EQ(rng.next_u32(), expected);
    }
  }
}

TEST(PublicRng, SeedsAndStreamsAreKeptApart) {
  EXPECT_EQ(PublicRng(1, 2).next_u64(), PublicRng(1, 2).next_u64());
  EXPECT_NE(PublicRng(1, 2).next_u64(), PublicRng(1, 3).next_u64());
  EXPECT_NE(PublicRng(1, 2).next_u64(), PublicRng(2, 2).next_u64());
}

// Limits: 5 standard errors, a false alarm rate of 6e-7 each (and the seed is fixed).
TEST(PublicRng, MomentsOfUniformAndNormal) {
  constexpr int kDraws = 400'000;
  PublicRng rng(7);
  double uniform = 0, normal = 0, square = 0, fourth = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double u = rng.uniform(), z = rng.normal();
    ASSERT_TRUE(u >= 0.0 && u < 1.0);
    uniform += u;
    normal += z;
    square += z * z;
    fourth += z * z * z * z;
  }
  const double root = std::sqrt(static_cast<double>(kDraws));
  EXPECT_NEAR(uniform / kDraws, 0.5, 5 * std::sqrt(1.0 / 12) / root);
  EXPECT_NEAR(normal / kDraws, 0.0, 5 / root);
  EXPECT_NEAR(square / kDraws, 1.0, 5 * std::sqrt(2.0) / root);
  EXPECT_NEAR(fourth / kDraws, 3.0, 5 * std::sqrt(96.0) / root);
}

}  // namespace
}  // namespace sosia
