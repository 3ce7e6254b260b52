// SPDX-License-Identifier: Apache-2.0
#include "generate/embedding.h"

#include <gtest/gtest.h>

#include <sosia/error.h>

#include "generate/halves_loss.h"
#include "generate/moving_loss.h"

namespace sosia {
namespace {

/// Classes of which the first never has state 0 of the second field, the other always; shares 1 to 3.
struct TwoClasses {
  OpenRows rows{{2, 3}, 0};
  std::shared_ptr<const FeatureMap> map = block_products({3}, {{0}});
  Embedding embedding{{0.0, 75.0, 25.0, 300.0, 0.0, 0.0}, 1.0};
  std::vector<double> counts = {100.0, 300.0};

  NetGenerator fit(int threads, int steps = 200) const {
    ThreadPool pool(threads);
    const NetFitOptions options{.shape = {4, 2, {16, 8}}, .steps = steps, .batch = 200, .seed = 3};
    return fit_net(rows, {{map, &embedding, 1.0}}, counts, options, pool, [](int, double) { return true; });
  }
  NetGenerator fit_moving(int threads, int steps = 600) const {
    ThreadPool pool(threads);
    const NetFitOptions options{.shape = {4, 2, {16, 8}}, .steps = steps, .batch = 32, .seed = 3};
    std::vector<std::unique_ptr<RowLoss>> losses;
    losses.push_back(moving_loss({map, &embedding, 1.0}, counts, 0.9));
    return fit_net(rows, losses, counts, options, pool, [](int, double) { return true; });
  }
  NetGenerator fit_halves(int threads, int steps = 600) const {
    ThreadPool pool(threads);
    const NetFitOptions options{.shape = {4, 2, {16, 8}}, .steps = steps, .batch = 32, .seed = 3};
    std::vector<std::unique_ptr<RowLoss>> losses;
    losses.push_back(halves_loss({map, &embedding, 1.0}, counts));
    return fit_net(rows, losses, counts, options, pool, [](int, double) { return true; });
  }
};

std::vector<float> sampled(const NetGenerator& generator, const Condition& condition, std::size_t count) {
  std::vector<float> rows(count * 2);
  generator.sample(11, 2, condition, {rows.data(), count, 2});
  return rows;
}

void expect_means(const NetGenerator& generator) {
  constexpr std::size_t kRows = 20000;
  const std::vector<float> rows = sampled(generator, {}, kRows);
  double cells[2][3] = {};
  for (std::size_t r = 0; r < kRows; ++r) {
    cells[static_cast<int>(rows[2 * r])][static_cast<int>(rows[2 * r + 1])] += 1.0 / kRows;
  }
  EXPECT_NEAR(cells[0][0], 0.0, 0.02);
  EXPECT_NEAR(cells[0][1], 0.1875, 0.03);
  EXPECT_NEAR(cells[0][2], 0.0625, 0.03);
  EXPECT_NEAR(cells[1][0], 0.75, 0.03);
}

TEST(FitNet, FollowsTheMeansOfEachClass) { expect_means(TwoClasses().fit(1)); }

/// The mean over all batches of two rows of two that a part could have, each a state for certain.
TEST(HalvesLoss, HasNoBiasOfSmallBatches) {
  const TwoClasses known;
  ThreadPool pool(1);
  const auto halves = halves_loss({known.map, &known.embedding, 2.0}, known.counts);
  const auto whole = embedding_loss({known.map, &known.embedding, 2.0}, known.counts);
  double by_halves = 0.0, by_whole = 0.0;
  for (std::size_t first = 0; first < 4; ++first) {  // state 1 with three chances of four, else state 2: as released
    for (std::size_t second = 0; second < 4; ++second) {
      std::vector<float> rows(6, 0.0F), gradient(6, 0.0F);
      rows[first < 3 ? 1 : 2] = 1.0F;
      rows[second < 3 ? 4 : 5] = 1.0F;
      const std::vector<std::uint32_t> parts = {0, 0};
      const MatrixView<const float> batch(rows.data(), 2, 3);
      by_halves += halves->evaluate(batch, parts, {gradient.data(), 2, 3}, pool) / 16.0;
      by_whole += whole->evaluate(batch, parts, {gradient.data(), 2, 3}, pool) / 16.0;
    }
  }
  EXPECT_NEAR(by_halves, 0.0, 1e-6);
  EXPECT_NEAR(by_whole, 2.0 * (2.0 * 0.75 * 0.25) / 2.0, 1e-6);  // the variance of two rows
}

TEST(HalvesLoss, EachHalfIsMovedByTheGapOfTheOther) {
  const TwoClasses known;
  ThreadPool pool(1);
  const auto loss = halves_loss({known.map, &known.embedding, 1.0}, known.counts);
  // The mean of part 0 is (0, .75, .25); its gaps here are (1, -.75, -.25) and (0, .25, -.25). Part 1 has one row.
  const std::vector<float> rows = {1.0F, 0.0F, 0.0F, 0.0F, 1.0F, 0.0F, 0.0F, 1.0F, 0.0F};
  const std::vector<std::uint32_t> parts = {0, 0, 1};
  std::vector<float> gradient(9, 0.0F);
  EXPECT_NEAR(loss->evaluate({rows.data(), 3, 3}, parts, {gradient.data(), 3, 3}, pool), -0.125, 1e-6);
  const std::vector<float> expected = {0.0F, 0.25F, -0.25F, 1.0F, -0.75F, -0.25F, 0.0F, 0.0F, 0.0F};
  for (std::size_t j = 0; j < 9; ++j) EXPECT_NEAR(gradient[j], expected[j], 1e-6) << j;
}

TEST(HalvesLoss, TheSameFromAnyNumberOfThreads) {
  const NetGenerator one = TwoClasses().fit_halves(1, 20), three = TwoClasses().fit_halves(3, 20);
  EXPECT_TRUE(std::ranges::equal(one.net().parameters(), three.net().parameters()));
}

TEST(HalvesLoss, FollowsTheMeansOfEachClassBySmallBatches) { expect_means(TwoClasses().fit_halves(1)); }

TEST(MovingLoss, FollowsTheMeansOfEachClassBySmallBatches) { expect_means(TwoClasses().fit_moving(1)); }

TEST(MovingLoss, TheSameFromAnyNumberOfThreads) {
  const NetGenerator one = TwoClasses().fit_moving(1, 20), three = TwoClasses().fit_moving(3, 20);
  EXPECT_TRUE(std::ranges::equal(one.net().parameters(), three.net().parameters()));
}

TEST(MovingLoss, TheGradientComesFromTheBatchesBefore) {
  const TwoClasses known;
  ThreadPool pool(1);
  const auto loss = moving_loss({known.map, &known.embedding, 1.0}, known.counts, 0.5);
  // One row of each class, certain of state 0; the means are (0, .75, .25) and (1, 0, 0).
  const std::vector<float> rows = {1.0F, 0.0F, 0.0F, 1.0F, 0.0F, 0.0F};
  const std::vector<std::uint32_t> parts = {0, 1};
  std::vector<float> gradient(6);
  const auto evaluate = [&] {
    std::fill(gradient.begin(), gradient.end(), 0.0F);
    return loss->evaluate({rows.data(), 2, 3}, parts, {gradient.data(), 2, 3}, pool);
  };
  EXPECT_EQ(evaluate(), 0.0);
  EXPECT_EQ(gradient, std::vector<float>(6));
  EXPECT_NEAR(evaluate(), 1.0 + 0.5625 + 0.0625, 1e-6);
  const std::vector<float> expected = {2.0F, -1.5F, -0.5F, 0.0F, 0.0F, 0.0F};
  for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(gradient[j], expected[j], 1e-6);
}

TEST(FitNet, TheSameFromAnyNumberOfThreads) {
  const NetGenerator one = TwoClasses().fit(1, 20), three = TwoClasses().fit(3, 20);
  EXPECT_TRUE(std::ranges::equal(one.net().parameters(), three.net().parameters()));
  EXPECT_EQ(sampled(one, {}, 100), sampled(three, {}, 100));
}

TEST(FitNet, EndsWhenToldTo) {
  const TwoClasses known;
  ThreadPool pool(1);
  int steps = 0;
  fit_net(known.rows, {{known.map, &known.embedding, 1.0}}, known.counts, {.shape = {2, 0, {4}}, .steps = 50}, pool,
          [&](int step, double) { return (steps = step) < 7; });
  EXPECT_EQ(steps, 7);
}

TEST(NetGenerator, ConditionsHoldForClassesAndOtherFields) {
  const NetGenerator generator = TwoClasses().fit(1);
  for (const Condition& condition : {Condition{{0, 1}}, Condition{{1, 2}}, Condition{{0, 0}, {1, 1}}}) {
    const std::vector<float> rows = sampled(generator, condition, 50);
    for (std::size_t r = 0; r < 50; ++r) {
      for (const auto& [field, state] : condition) {
        EXPECT_EQ(rows[2 * r + static_cast<std::size_t>(field)], static_cast<float>(state));
      }
    }
  }
}

TEST(NetGenerator, WhatHasNoChanceIsRefused) {
  const OpenRows rows({2, 3}, 0);
  ThreadPool pool(1);
  const NetShape shape{2, 1, {4}};
  const NetGenerator generator(rows, shape, {1.0, 0.0}, NetGenerator::make_net(rows, shape, 1, pool));
  EXPECT_THROW(sampled(generator, {{0, 1}}, 5), Error);
  EXPECT_THROW(sampled(generator, {{1, 7}}, 5), Error);
}

}  // namespace
}  // namespace sosia
