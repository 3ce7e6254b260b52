// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include "eval/learners/learner.h"
#include "eval/learners/success.h"
#include "eval/learners/tree.h"

namespace sosia::eval {

namespace {

constexpr int kRounds = 50;

/// A tree of one split, whose two leaves each name the class with the largest weight.
struct Stump {
  Tree tree;
  std::vector<std::uint32_t> guesses;  ///< by leaf
  double say = 1.0;
};

/// SAMME (Zhu et al. 2009): rows that a stump gets wrong weigh more for the next one.
class AdaBoost : public Learner {
 public:
  void fit(const Examples& examples, ThreadPool& pool) override {
    stumps_.clear();
    std::vector<char> is_seen(examples.classes, 0);
    std::vector<double> weights(examples.x.rows);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weights[i] = examples.weight(i);
      if (weights[i] > 0.0) is_seen[examples.labels[i]] = 1;
    }
    const auto seen = static_cast<double>(std::count(is_seen.begin(), is_seen.end(), 1));
    classes_ = examples.classes;
    scale_ = seen > 1.0 ? seen / (seen - 1.0) : 1.0;
    const FeatureCodes codes(examples.x, pool);
    for (int round = 0; round < kRounds; ++round) {
      scale_to_one(weights);
      if (!add_stump(examples, codes, seen, weights, pool)) break;
    }
  }

  std::vector<double> scores(MatrixView<const float> x, ThreadPool& /*pool*/) const override {
    std::vector<double> scores(x.rows * classes_, 0.0);
    double all = 0.0;
    for (const Stump& stump : stumps_) all += stump.say;
    for (std::size_t i = 0; i < x.rows; ++i) {
      for (const Stump& stump : stumps_) {
        scores[i * classes_ + stump.guesses[stump.tree.leaf_of(x.row(i))]] += scale_ * stump.say / all;
      }
    }
    return scores;
  }

 private:
  static void scale_to_one(std::vector<double>& weights) {
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double& weight : weights) weight /= sum;
  }

  /// False if it was the last: there is nothing left to get right, or no stump does better than chance.
  bool add_stump(const Examples& examples, const FeatureCodes& codes, double seen, std::vector<double>& weights,
                 ThreadPool& pool) {
    GrownTree grown = grow_tree(codes, ClassTarget{examples.labels, examples.classes}, weights, {.depth = 1}, pool);
    std::vector<double> by_leaf(grown.tree.leaves() * classes_, 0.0);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] > 0.0) by_leaf[grown.leaves[i] * classes_ + examples.labels[i]] += weights[i];
    }
    Stump stump{.tree = std::move(grown.tree), .guesses = guesses_of(by_leaf, classes_)};
    const auto is_wrong = [&](std::size_t i) {
      return weights[i] > 0.0 && stump.guesses[grown.leaves[i]] != examples.labels[i];
    };
    double error = 0.0;
    for (std::size_t i = 0; i < weights.size(); ++i) error += is_wrong(i) ? weights[i] : 0.0;
    const bool is_chance = error >= 1.0 - 1.0 / seen, is_last = is_chance || error <= 0.0;
    if (!is_last) {
      stump.say = std::log((1.0 - error) / error) + std::log(seen - 1.0);
      for (std::size_t i = 0; i < weights.size(); ++i) {
        if (is_wrong(i)) weights[i] *= std::exp(stump.say);
      }
    }
    // One that is no better than chance still knows the commonest class, if there is nothing else.
    if (!is_chance || stumps_.empty()) stumps_.push_back(std::move(stump));
    return !is_last;
  }

  std::size_t classes_ = 0;
  double scale_ = 1.0;
  std::vector<Stump> stumps_;
};

}  // namespace

std::unique_ptr<Learner> ada_boost() { return std::make_unique<AdaBoost>(); }

}  // namespace sosia::eval
