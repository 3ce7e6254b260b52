// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <utility>

#include "eval/learners/learner.h"
#include "eval/learners/tree.h"
#include "eval/rows.h"
#include "simd/parallel.h"

namespace sosia::eval {

namespace {

constexpr std::size_t kRowsPerPiece = 256;

struct Voting {
  std::size_t trees = 1;
  bool resamples = false;       ///< each tree has its own rows, drawn with replacement
  bool draws_features = false;  ///< each split looks at a square root of them
  std::uint64_t first_stream = 0;
};

/// A tree whose leaves hold the shares of classes. Most leaves have one class, so that only what is there is kept.
class VotingTree {
 public:
  VotingTree(const Examples& examples, const FeatureCodes& codes, std::span<const double> weights,
             const TreeOptions& options, ThreadPool& pool)
      : VotingTree(grow_tree(codes, ClassTarget{examples.labels, examples.classes}, weights, options, pool),
                   examples.labels, weights) {}

  void vote(std::span<const float> row, std::span<double> scores) const {
    const std::size_t leaf = tree_.leaf_of(row);
    for (std::size_t i = first_[leaf]; i < first_[leaf + 1]; ++i) scores[shares_[i].label] += shares_[i].share;
  }

 private:
  struct Share {
    std::uint32_t label = 0;
    double share = 0.0;
  };

  VotingTree(GrownTree grown, std::span<const std::uint32_t> labels, std::span<const double> weights)
      : tree_(std::move(grown.tree)), first_(tree_.leaves() + 1, 0) {
    std::vector<std::vector<Share>> by_leaf(tree_.leaves());
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (grown.leaves[i] == GrownTree::kNowhere) continue;
      std::vector<Share>& shares = by_leaf[grown.leaves[i]];
      auto of_class = std::find_if(shares.begin(), shares.end(), [&](const Share& s) { return s.label == labels[i]; });
      if (of_class == shares.end()) of_class = shares.insert(of_class, {labels[i], 0.0});
      of_class->share += weights[i];
    }
    for (std::size_t leaf = 0; leaf < by_leaf.size(); ++leaf) {
      double total = 0.0;
      for (const Share& s : by_leaf[leaf]) total += s.share;
      for (const Share& s : by_leaf[leaf]) shares_.push_back({s.label, s.share / total});
      first_[leaf + 1] = shares_.size();
    }
  }

  Tree tree_;
  std::vector<std::size_t> first_;  ///< of the shares of each leaf
  std::vector<Share> shares_;
};

class VotingTrees : public Learner {
 public:
  VotingTrees(const Voting& voting, std::uint64_t seed) : voting_(voting), seed_(seed) {}

  void fit(const Examples& examples, ThreadPool& pool) override {
    classes_ = examples.classes;
    const FeatureCodes codes(examples.x, pool);
    std::vector<std::unique_ptr<VotingTree>> trees(voting_.trees);
    if (voting_.trees == 1) {
      trees[0] = tree(examples, codes, 0, pool);
    } else {
      simd::for_pieces(pool, trees.size(), [&](std::size_t t) {
        ThreadPool alone(1);  // the other threads have trees of their own
        trees[t] = tree(examples, codes, t, alone);
      });
    }
    trees_ = std::move(trees);
  }

  std::vector<double> scores(MatrixView<const float> x, ThreadPool& pool) const override {
    std::vector<double> scores(x.rows * classes_, 0.0);
    simd::for_ranges(pool, x.rows, kRowsPerPiece, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        const std::span<double> votes = std::span(scores).subspan(i * classes_, classes_);
        for (const auto& tree : trees_) tree->vote(x.row(i), votes);
        for (double& vote : votes) vote /= static_cast<double>(trees_.size());
      }
    });
    return scores;
  }

 private:
  std::unique_ptr<VotingTree> tree(const Examples& examples, const FeatureCodes& codes, std::size_t number,
                                   ThreadPool& pool) const {
    const std::size_t rows = examples.x.rows;
    PublicRng rng(seed_, voting_.first_stream + number);
    std::vector<double> weights(rows, voting_.resamples ? 0.0 : 1.0);
    if (voting_.resamples) {
      for (std::size_t i = 0; i < rows; ++i) weights[draw_below(rows, rng)] += 1.0;
    }
    for (std::size_t i = 0; i < rows; ++i) weights[i] *= examples.weight(i);
    const auto root = static_cast<std::size_t>(std::sqrt(static_cast<double>(examples.x.cols)));
    const TreeOptions options{.tried = voting_.draws_features ? std::max<std::size_t>(1, root) : 0, .rng = rng};
    return std::make_unique<VotingTree>(examples, codes, weights, options, pool);
  }

  Voting voting_;
  std::uint64_t seed_;
  std::size_t classes_ = 0;
  std::vector<std::unique_ptr<VotingTree>> trees_;
};

}  // namespace

std::unique_ptr<Learner> decision_tree() { return std::make_unique<VotingTrees>(Voting{}, 0); }

std::unique_ptr<Learner> bagging(std::uint64_t seed) {
  return std::make_unique<VotingTrees>(Voting{.trees = 10, .resamples = true, .first_stream = 1000}, seed);
}

std::unique_ptr<Learner> random_forest(std::uint64_t seed) {
  const Voting forest{.trees = 100, .resamples = true, .draws_features = true, .first_stream = 2000};
  return std::make_unique<VotingTrees>(forest, seed);
}

}  // namespace sosia::eval
