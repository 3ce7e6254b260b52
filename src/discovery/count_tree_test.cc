// SPDX-License-Identifier: Apache-2.0
#include "discovery/count_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace sosia {
namespace {

std::vector<double> counts_of(const TreeShape& shape, const std::vector<double>& leaves) {
  std::vector<double> counts;
  for (std::size_t level = 0; level < shape.levels(); ++level) {
    std::vector<double> nodes(shape.width(level));
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) nodes[leaf / shape.span(level)] += leaves[leaf];
    counts.insert(counts.end(), nodes.begin(), nodes.end());
  }
  return counts;
}

TEST(TreeShape, GroupsBySixteenUntilFew) {
  EXPECT_EQ(TreeShape(1).levels(), 1U);
  EXPECT_EQ(TreeShape(16).levels(), 1U);
  EXPECT_EQ(TreeShape(17).levels(), 2U);
  EXPECT_EQ(TreeShape(17).width(0), 2U);
  const TreeShape full(4096);
  EXPECT_EQ(full.levels(), 3U);
  EXPECT_EQ(full.width(0), 16U);
  EXPECT_EQ(full.span(0), 256U);
}

TEST(CountTree, QuantilesOfExactCounts) {
  for (const std::size_t leaves : {1, 5, 16, 100, 1000, 4096}) {
    const TreeShape shape(leaves);
    std::vector<double> counts(leaves);
    for (std::size_t i = 0; i < leaves; ++i) counts[i] = static_cast<double>((i * 7) % 5);
    if (leaves == 1) counts[0] = 3.0;
    double total = 0.0;
    for (const double count : counts) total += count;
    const CountTree tree(shape, counts_of(shape, counts), 1.0);
    for (const double share : {0.0, 0.1, 0.25, 0.5, 0.9, 1.0}) {
      double below = 0.0;
      const double place = tree.quantile(share);
      const auto leaf = std::min(static_cast<std::size_t>(place), leaves - 1);
      for (std::size_t i = 0; i < leaf; ++i) below += counts[i];
      below += (place - static_cast<double>(leaf)) * counts[leaf];
      EXPECT_NEAR(below, share * total, 1e-6 * total) << leaves << ' ' << share;
    }
  }
}

TEST(CountTree, QuantilesRiseWhateverTheNoise) {
  const TreeShape shape(300);
  std::vector<double> counts(shape.width(0) + shape.width(1) + shape.width(shape.levels() - 1));
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = static_cast<double>((i * 2654435761U) % 101) - 50.0;
  const CountTree tree(shape, counts, 10.0);
  double last = 0.0;
  for (int k = 0; k <= 200; ++k) {
    const double place = tree.quantile(k / 200.0);
    EXPECT_GE(place, last);
    EXPECT_LE(place, 300.0);
    last = place;
  }
}

TEST(CountTree, RowsBeginWhereCountsAreClear) {
  const TreeShape shape(256);
  std::vector<double> leaves(256);
  leaves[37] = 100.0;
  const auto end = [&](double sigma) { return CountTree(shape, counts_of(shape, leaves), sigma).outer_leaf(false); };
  EXPECT_EQ(CountTree(shape, counts_of(shape, leaves), 1.0).outer_leaf(true), 37U);
  for (std::size_t i = 160; i < 176; ++i) leaves[i] = 0.4;  // 6.4 in one node
  EXPECT_EQ(end(1.0), 37U);                                 // less than 3 sqrt(6), the noise of six nodes
  for (std::size_t i = 160; i < 176; ++i) leaves[i] = 0.7;
  EXPECT_EQ(end(1.0), 175U);  // the node is clear, none of its leaves
  leaves[170] = 50.0;
  EXPECT_EQ(end(1.0), 170U);
  EXPECT_EQ(end(1000.0), 255U);
}

}  // namespace
}  // namespace sosia
