// SPDX-License-Identifier: Apache-2.0
// The one tree that all learners of trees grow (Breiman et al. 1984).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "eval/learners/feature_codes.h"
#include "random/public_rng.h"

namespace sosia::eval {

/// Questions "is this feature at most that?" that lead a row to a leaf.
class Tree {
 public:
  struct Node {
    double cut = 0.0;  ///< the row goes low if its feature is at most this
    std::uint32_t feature = 0;
    std::uint32_t low = 0, high = 0;  ///< nodes; high is 0 in a leaf, and low is its number
  };
  /// The root comes first.
  Tree(std::vector<Node> nodes, std::size_t leaves) : nodes_(std::move(nodes)), leaves_(leaves) {}

  std::size_t leaves() const { return leaves_; }
  std::size_t leaf_of(std::span<const float> row) const {
    const Node* node = nodes_.data();
    while (node->high != 0) node = &nodes_[row[node->feature] <= node->cut ? node->low : node->high];
    return node->low;
  }

 private:
  std::vector<Node> nodes_;
  std::size_t leaves_;
};

/// What a tree tells apart: with classes, splits have the least Gini impurity; with numbers, the least squared errors.
struct ClassTarget {
  std::span<const std::uint32_t> labels;
  std::size_t classes;
};
struct NumberTarget {
  std::span<const double> numbers;
};

struct TreeOptions {
  std::size_t depth = std::numeric_limits<std::size_t>::max();
  /// So many features, drawn for each split, are looked at, and more if all of these are constant. 0: all.
  std::size_t tried = 0;
  PublicRng rng = PublicRng(0);  ///< draws them
};

struct GrownTree {
  static constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();

  Tree tree;
  std::vector<std::uint32_t> leaves;  ///< where each row is; kNowhere if it has no weight
};

/// Splits until a node has one class, one number or one distinct row. Of equally good splits the one of the first
/// feature, then of the smallest value, is taken. A cut is halfway between two values that rows of the node have. Rows
/// without weight are as good as absent; there must be one with. The result does not depend on the number of threads.
GrownTree grow_tree(const FeatureCodes& codes, const ClassTarget& target, std::span<const double> weights,
                    const TreeOptions& options, ThreadPool& pool);
GrownTree grow_tree(const FeatureCodes& codes, const NumberTarget& target, std::span<const double> weights,
                    const TreeOptions& options, ThreadPool& pool);

}  // namespace sosia::eval
