// SPDX-License-Identifier: Apache-2.0
#include "generate/class_shares.h"

#include <gtest/gtest.h>

#include <cmath>

#include "simd/normals.h"

namespace sosia {
namespace {

constexpr double kRows = 1000.0, kSmall = 0.2;  // rows, and the share of the smaller of two classes

/// A label of two classes as the first field, and others of four groups, each even over all rows. `lean`: what the
/// smaller class has less of the first half of the groups. Counts of each with the label, with noise.
Measurements table(int fields, double lean, double sigma, std::uint64_t seed = 1) {
  Measurements out;
  out.rows = kRows;
  out.label = 0;
  out.fields = static_cast<std::size_t>(fields) + 1;
  for (int f = 0; f <= fields; ++f) out.views.push_back(View::finest(f, f == 0 ? 2 : 4));
  out.list.push_back({{0}, {kRows * (1.0 - kSmall), kRows * kSmall}, 1.0});
  for (int f = 1; f <= fields; ++f) out.list.push_back({{f}, std::vector<double>(4, kRows / 4.0), 1.0});
  std::vector<float> noise(static_cast<std::size_t>(fields) * 8);
  ThreadPool alone(1);
  simd::fill_normals(seed, 0, noise, alone);
  for (int f = 1; f <= fields; ++f) {
    Measurement& known = out.list.emplace_back(Measurement{{0, f}, {}, sigma});
    for (std::size_t cell = 0; cell < 8; ++cell) {
      const bool is_small = cell >= 4, is_low = cell % 4 < 2;
      const double moved = is_small ? lean : -lean * kSmall / (1.0 - kSmall);
      const double share = 0.25 + (is_low ? -moved : moved) / 2.0;
      known.counts.push_back(kRows * (is_small ? kSmall : 1.0 - kSmall) * share +
                             sigma *
                                 static_cast<double>(noise[known.counts.size() + 8 * static_cast<std::size_t>(f - 1)]));
    }
  }
  return out;
}

std::vector<std::vector<double>> even_shares(const Measurements& measured) {
  std::vector<std::vector<double>> shares = {{1.0 - kSmall, kSmall}};
  shares.resize(measured.fields, std::vector<double>(4, 0.25));
  return shares;
}

/// By how much the smaller class leans, on average over fields.
double lean_of(const std::vector<std::vector<double>>& fields) {
  double sum = 0.0;
  for (std::size_t f = 1; f < fields.size(); ++f) sum += 0.5 - fields[f][0] - fields[f][1];
  return sum / static_cast<double>(fields.size() - 1);
}

/// The root mean square distance of shares from even ones.
double spread_of(const std::vector<std::vector<double>>& fields) {
  double sum = 0.0;
  for (std::size_t f = 1; f < fields.size(); ++f) {
    for (const double share : fields[f]) sum += (share - 0.25) * (share - 0.25);
  }
  return std::sqrt(sum / (4.0 * static_cast<double>(fields.size() - 1)));
}

TEST(ClassShares, AreThoseOfTheCountsWhereThereIsNoNoise) {
  const Measurements measured = table(3, 0.3, 0.0);
  const auto shares = class_shares(measured, even_shares(measured));
  ASSERT_EQ(shares.size(), 2U);
  for (std::size_t f = 1; f <= 3; ++f) {
    EXPECT_NEAR(shares[1][f][0], 0.10, 1e-6);
    EXPECT_NEAR(shares[1][f][3], 0.40, 1e-6);
    EXPECT_NEAR(shares[0][f][0], 0.25 + 0.15 / 4.0, 1e-6);
  }
}

/// Noise of 60 rows on cells of 50: shares as counted would be 0.3 off. 300 fields that say nothing come out as such.
TEST(ClassShares, NoiseIsNotTakenForADifference) {
  const Measurements measured = table(300, 0.0, 60.0);
  const auto shares = class_shares(measured, even_shares(measured));
  EXPECT_LT(spread_of(shares[1]), 0.03);
  EXPECT_LT(spread_of(shares[0]), 0.03);
}

/// The same noise on fields that do say something: the smaller class leans the right way, no further than it does in
/// truth, and is nearer to the truth than its counts.
TEST(ClassShares, WhatManyFieldsSayIsKept) {
  const Measurements measured = table(300, 0.3, 60.0);
  const auto shares = class_shares(measured, even_shares(measured));
  // Noise of the mean lean as counted: 60 sqrt(4) / (2 * 200 sqrt(300)) = 0.017; and no more than a sixth of it where
  // differences of 0.19 are seen through noise of 0.3. Seven of those.
  EXPECT_GT(lean_of(shares[1]), 0.02);
  EXPECT_LT(lean_of(shares[1]), 0.3);
  EXPECT_LT(lean_of(shares[0]), 0.0);
  EXPECT_LT(spread_of(shares[1]), 0.2);
}

TEST(ClassShares, FieldsThatWereNotCountedWithTheLabelAreThoseOfAllRows) {
  Measurements measured = table(2, 0.3, 1.0);
  measured.list.pop_back();
  const auto shares = class_shares(measured, even_shares(measured));
  EXPECT_EQ(shares[1][2], std::vector<double>(4, 0.25));
  EXPECT_NE(shares[1][1], std::vector<double>(4, 0.25));
}

TEST(ClassShares, GroupsOfACoarserViewKeepTheirProportions) {
  Measurements measured = table(1, 0.3, 0.0);
  measured.views.push_back({1, 2, {0, 0, 1, 1}});
  measured.list.back() = {{0, 2}, {460.0, 340.0, 40.0, 160.0}, 0.0};
  std::vector<std::vector<double>> shares = even_shares(measured);
  shares[1] = {0.4, 0.1, 0.3, 0.2};
  const auto by_class = class_shares(measured, shares);
  EXPECT_NEAR(by_class[1][1][0] + by_class[1][1][1], 0.2, 1e-6);
  EXPECT_NEAR(by_class[1][1][0] / by_class[1][1][1], 4.0, 1e-6);
  EXPECT_NEAR(by_class[1][1][2] / by_class[1][1][3], 1.5, 1e-6);
}

}  // namespace
}  // namespace sosia
