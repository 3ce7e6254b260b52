// SPDX-License-Identifier: Apache-2.0
// Statistical tests have fixed seeds; were these drawn anew, each would fail with a probability below 1e-6.
#include "random/exponential_choice.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

namespace sosia {
namespace {

constexpr int kDraws = 200'000;
constexpr double kSigmas = 5.3;  // a normal number lies farther out with probability 1.2e-7

TEST(ExponentialCoin, HasItsChance) {
  SecureRng rng = SecureRng::for_tests(1);
  struct Case {
    u128 above, below;
  };
  const u128 large = u128(1) << 79;
  for (const Case& c : {Case{0, 7}, Case{1, 1000}, Case{2, 3}, Case{1, 1}, Case{5, 2}, Case{large / 3, large}}) {
    int heads = 0;
    for (int i = 0; i < kDraws; ++i) heads += exponential_coin(c.above, c.below, rng) ? 1 : 0;
    const double chance = std::exp(-static_cast<double>(c.above) / static_cast<double>(c.below));
    EXPECT_NEAR(heads, kDraws * chance, kSigmas * std::sqrt(kDraws * chance * (1.0 - chance)) + 1e-9);
  }
}

TEST(ExponentialCoin, EndsSoonWhereTheChanceIsTiny) {
  SecureRng rng = SecureRng::for_tests(2);
  EXPECT_FALSE(exponential_coin(u128(1) << 126, 3, rng));
}

TEST(ExponentialChoice, FollowsTheLaw) {
  SecureRng rng = SecureRng::for_tests(3);
  const std::vector<std::int64_t> scores = {-3, 10, 10, 4, 7};
  std::array<int, 5> drawn = {};
  for (int i = 0; i < kDraws; ++i) ++drawn[exponential_choice(scores, 3, 10, rng)];
  double total = 0.0;
  for (const std::int64_t score : scores) total += std::exp(0.3 * static_cast<double>(score));
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double chance = std::exp(0.3 * static_cast<double>(scores[i])) / total;
    EXPECT_NEAR(drawn[i], kDraws * chance, kSigmas * std::sqrt(kDraws * chance * (1.0 - chance))) << i;
  }
}

TEST(ExponentialChoice, TakesScoresOfTheirWholeRange) {
  SecureRng rng = SecureRng::for_tests(4);
  const std::int64_t far = std::int64_t{1} << 62;
  const std::vector<std::int64_t> scores = {0, far, 0};
  const u128 above = (u128(1) << 64) - 1;
  for (int i = 0; i < 100; ++i) EXPECT_EQ(exponential_choice(scores, above, 1, rng), 1U);
}

}  // namespace
}  // namespace sosia
