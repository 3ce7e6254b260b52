// SPDX-License-Identifier: Apache-2.0
#include "methods/pairwise_shares.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "methods/entries.h"

namespace sosia {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

using Given = std::vector<std::pair<std::string, std::string>>;

Settings settings(const Given& given = {}) { return Settings(pairwise_method().info, given); }

Outline fields(std::size_t count, std::uint32_t width) {
  Outline outline;
  outline.widths.assign(count, width);
  outline.ordered.assign(count, 0);
  outline.spare.assign(count, 0);
  return outline;
}

double sum(const PairwiseShares& shares) {
  return shares.singles + shares.scores + shares.counts + shares.second_scores + shares.second_counts + shares.picks +
         shares.star;
}

TEST(PairwiseShares, AddUpToTheBudget) {
  for (const char* scores : {"0.001", "0.03", "0.5"}) {
    for (const char* second : {"0", "0.3", "0.9"}) {
      const Settings how = settings({{"scores", scores}, {"second_round", second}});
      for (const double mu : {1e-4, 0.02, 0.3, 5.0, kInfinite}) {
        for (const double rows : {1.0, 800.0, 1e7}) {
          for (const std::size_t count : {1U, 2U, 3U, 20U, 200U}) {
            for (const std::uint32_t width : {1U, 2U, 100U}) {
              const PairwiseShares shares =
                  pairwise_shares(fields(count, width), mu, rows, 0.002, Neighbors::add_remove, how);
              EXPECT_NEAR(sum(shares), 1.0 - 0.002, 1e-12);
              EXPECT_GE(
                  std::min({shares.singles, shares.scores, shares.counts, shares.second_scores, shares.second_counts}),
                  0.0);
              EXPECT_EQ(shares.counts > 0.0, shares.scores > 0.0);
              EXPECT_TRUE(count > 1 || shares.counts == 0.0);
              EXPECT_EQ(shares.second_scores > 0.0, shares.second_counts > 0.0);
            }
          }
        }
      }
    }
  }
}

TEST(PairwiseShares, CellsAndScoresAreBoundedWithoutNoise) {
  EXPECT_EQ(most_cells(kInfinite, 2000.0, 600, settings()), most_cells(4.0, 2000.0, 600, settings()));
  EXPECT_LT(most_cells(kInfinite, 2000.0, 600, settings()), 100.0);
  EXPECT_GT(most_cells(kInfinite, 50000.0, 15, settings()), 2000.0);
  EXPECT_LT(most_scores(kInfinite, 2000.0, settings()), 600.0 * 599.0 / 2.0);
}

TEST(PairwiseShares, NothingForPairsWhoseScoresDrown) {
  const auto has_pairs = [](double mu, double rows) {
    return pairwise_shares(fields(12, 5), mu, rows, 0.0, Neighbors::add_remove, settings()).counts > 0.0;
  };
  EXPECT_FALSE(has_pairs(0.02, 900.0));  // sqrt(66) / (0.02 sqrt(0.03)) = 2345 rows
  EXPECT_TRUE(has_pairs(0.02, 2400.0));
  EXPECT_TRUE(has_pairs(kInfinite, 1.0));
}

TEST(PairwiseShares, ColumnsArePickedWhereScoresDrownAndThereIsALabel) {
  const auto picked = [](std::size_t count, double mu, double rows, Neighbors relation) {
    Outline labelled = fields(count, 5);
    labelled.target = 1;
    const PairwiseShares shares = pairwise_shares(labelled, mu, rows, 0.002, relation, settings());
    EXPECT_NEAR(sum(shares), 1.0 - 0.002, 1e-12);
    EXPECT_EQ(shares.picked > 0, shares.picks > 0.0);
    EXPECT_TRUE(shares.picks == 0.0 || shares.scores == 0.0);
    return shares.picked;
  };
  for (const Neighbors relation : {Neighbors::add_remove, Neighbors::replace}) {
    EXPECT_EQ(picked(12, 0.1, 420.0, relation), 1);
    EXPECT_EQ(picked(35, 0.19, 602.0, relation), 1);
    EXPECT_EQ(picked(12, 0.02, 900.0, relation), 0) << "not even one could be learned";
    EXPECT_EQ(picked(12, 0.1, 600.0, relation), 0) << "scores do not drown";
    EXPECT_EQ(picked(3, kInfinite, 1.0, relation), 0);
  }
}

TEST(PairwiseShares, PairsAreScoredInClassesWhereThereAreTooManyOfThem) {
  constexpr double kRows = 10000.0;
  const auto in_classes = [](std::size_t count, double mu, bool has_label) {
    Outline outline = fields(count, 5);
    if (has_label) outline.target = 1;
    const PairwiseShares shares = pairwise_shares(outline, mu, kRows, 0.002, Neighbors::add_remove, settings());
    EXPECT_NEAR(sum(shares), 1.0 - 0.002, 1e-12);
    if (shares.in_classes) {
      EXPECT_GT(shares.star, 0.0);
      EXPECT_GT(shares.counts, shares.star);
      EXPECT_GE(shares.star_values, 4.0) << "as fine as pairs in 5 classes";
    }
    return shares.in_classes;
  };
  EXPECT_TRUE(in_classes(60, 0.19, true));  // 1770 pairs, 1083 scores
  EXPECT_FALSE(in_classes(60, 0.19, false));
  EXPECT_FALSE(in_classes(40, 0.19, true)) << "780 pairs";
  EXPECT_FALSE(in_classes(60, 0.30, true)) << "2700 scores";
  EXPECT_FALSE(in_classes(60, kInfinite, true));
  EXPECT_FALSE(in_classes(120, 0.19, true)) << "7140 pairs, of 1083 scores";
}

TEST(PairwiseShares, AStarBesidePairsOrInThePlaceOfAll) {
  const auto of = [](std::size_t count, double mu, double rows, const Given& given = {}) {
    Outline labelled = fields(count, 50);
    labelled.target = 1;
    labelled.widths[1] = 2;
    const PairwiseShares shares = pairwise_shares(labelled, mu, rows, 0.002, Neighbors::add_remove, settings(given));
    EXPECT_NEAR(sum(shares), 1.0 - 0.002, 1e-12);
    return shares;
  };
  const PairwiseShares beside = of(17, 0.03, 36000.0), alone = of(618, 0.19, 2183.0);
  EXPECT_GT(beside.star, 0.0);
  EXPECT_LT(beside.star, beside.counts);
  EXPECT_GT(std::min(beside.singles, beside.scores), 0.0);
  EXPECT_EQ(alone.star, 1.0 - 0.002);
  EXPECT_EQ(of(618, 0.19, 2183.0, {{"picks", "14"}}).star, 0.0) << "picks that are asked for come first";
  EXPECT_TRUE(of(618, 700.0, 2183.0).in_classes) << "190653 pairs, 22873 scores: more than four times, without noise";
  EXPECT_FALSE(of(618, 3.0, 2183.0).in_classes);
  EXPECT_EQ(pairwise_shares(fields(17, 50), 0.03, 36000.0, 0.002, Neighbors::add_remove, settings()).star, 0.0)
      << "there is no label";
}

TEST(PairwiseShares, SecondRoundOnlyWhereItPays) {
  const auto has_second = [](const Outline& outline, double mu, double rows) {
    return pairwise_shares(outline, mu, rows, 0.0, Neighbors::add_remove, settings()).second_counts > 0.0;
  };
  EXPECT_TRUE(has_second(fields(12, 2), 0.2, 5000.0));
  EXPECT_FALSE(has_second(fields(2, 2), 0.2, 5000.0)) << "there are no triples";
  EXPECT_FALSE(has_second(fields(33, 2), 0.2, 5000.0)) << "there are too many";
  EXPECT_FALSE(has_second(fields(12, 50), 0.2, 5000.0)) << "they are too large";
  EXPECT_FALSE(has_second(fields(12, 2), 0.01, 5000.0)) << "their scores drown";
  EXPECT_FALSE(has_second(fields(12, 2), kInfinite, 5000.0)) << "nothing bounds their size";
  Outline labelled = fields(12, 2);
  labelled.target = 0;
  EXPECT_FALSE(has_second(labelled, 0.2, 5000.0)) << "pairs are counted by class already";
}

}  // namespace
}  // namespace sosia
