// SPDX-License-Identifier: Apache-2.0
// Classifiers with fixed settings, all behind one interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <sosia/images.h>

#include "base/matrix.h"
#include "base/thread_pool.h"

namespace sosia::eval {

struct Examples {
  MatrixView<const float> x;
  std::span<const std::uint32_t> labels;  ///< below `classes`; not every class need be there
  std::size_t classes = 2;
  std::span<const double> weights = {};  ///< not negative; empty: all 1

  double weight(std::size_t row) const { return weights.empty() ? 1.0 : weights[row]; }
};

/// A score of a class that no example had: below all others, and finite.
inline constexpr double kNeverSeen = -1e30;

class Learner {
 public:
  virtual ~Learner() = default;
  /// Forgets what it learnt before. At least one example; the result does not depend on the number of threads.
  virtual void fit(const Examples& examples, ThreadPool& pool) = 0;
  /// A number for each row and class, row by row: the class with the largest one is the guess. For two classes the
  /// second number less the first ranks the rows.
  virtual std::vector<double> scores(MatrixView<const float> x, ThreadPool& pool) const = 0;
};

/// |w|^2 / 2 + the sum of losses, a constant feature being one of the features; one class against the rest.
std::unique_ptr<Learner> logistic_regression();  ///< loss ln(1 + exp(-y w x)): scores are log-odds
std::unique_ptr<Learner> linear_svm();           ///< loss max(0, 1 - y w x)^2

/// Features independent and normal in each class; variances grow by 1e-9 of the largest variance of a feature.
std::unique_ptr<Learner> gaussian_naive_bayes();
/// Features independent in each class, 1 if they are above 0, shares with one more row of each kind.
std::unique_ptr<Learner> bernoulli_naive_bayes();
/// Normal classes with a common covariance, of which a ten-thousandth part is replaced by a multiple of the identity.
std::unique_ptr<Learner> linear_discriminant();
/// A hidden layer of 64, rectified; 20 passes of Adam in batches of 128. Scores are logits.
std::unique_ptr<Learner> small_net(std::uint64_t seed);
/// For rows that are images of this shape: 3 x 3 convolutions to 16 and to 32 planes, rectified, each with the largest
/// of every 2 x 2 pixels after it, then a layer to the classes; 6 passes as above, and 100 steps at least.
/// Not among all_learners.
std::unique_ptr<Learner> convolutional_net(const ImageShape& shape, std::uint64_t seed);

/// Learners of trees take up to 65,536 distinct values of a feature. Scores of the first three are shares of classes:
/// in a leaf of a tree of pure leaves (tree.h), and means of such over trees.
std::unique_ptr<Learner> decision_tree();
/// 10 trees, each of as many rows, drawn with replacement.
std::unique_ptr<Learner> bagging(std::uint64_t seed);
/// 100 such trees, and each split looks at a square root of the features.
std::unique_ptr<Learner> random_forest(std::uint64_t seed);
/// 50 trees of one split, weighed by SAMME.
std::unique_ptr<Learner> ada_boost();
/// 100 stages of trees of depth 3, rate 0.1, by log-likelihood. Scores are log-odds.
std::unique_ptr<Learner> gradient_boosting();
/// The library's defaults: 100 rounds of trees of depth 6, rate 0.3, by log-likelihood. Scores are log-odds.
std::unique_ptr<Learner> xgboost();

struct NamedLearner {
  std::string name;
  std::unique_ptr<Learner> learner;
};
/// One of each.
std::vector<NamedLearner> all_learners(std::uint64_t seed);

}  // namespace sosia::eval
