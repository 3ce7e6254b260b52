// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include "eval/learners/boosted_sum.h"
#include "eval/learners/learner.h"

namespace sosia::eval {

namespace {

/// Log-likelihood of classes, whose chances are the softmax of one sum a class. Of two classes the first has 0.
class GradientBoosting : public Learner {
 public:
  void fit(const Examples& examples, ThreadPool& pool) override {
    const std::vector<double> shares = shares_of(examples);
    const std::size_t first = examples.classes == 2 ? 1 : 0;
    sums_.clear();
    for (const double share : shares) sums_.emplace_back(share > 0.0 ? std::log(share) : kNeverSeen);
    if (first == 1 && shares[0] > 0.0 && shares[1] > 0.0) {
      sums_ = {BoostedSum(0.0), BoostedSum(std::log(shares[1] / shares[0]))};
    }
    if (std::count_if(shares.begin(), shares.end(), [](double share) { return share > 0.0; }) < 2) return;
    const auto classes = static_cast<double>(examples.classes);
    const double factor = first == 1 ? 1.0 : (classes - 1.0) / classes;
    const FeatureCodes codes(examples.x, pool);
    Progress progress(examples, sums_);
    for (int stage = 0; stage < BoostedSum::kStages; ++stage) {
      progress.update_chances();
      for (std::size_t k = first; k < sums_.size(); ++k) {
        if (shares[k] > 0.0) progress.improve(k, factor, codes, sums_[k], pool);
      }
    }
  }

  std::vector<double> scores(MatrixView<const float> x, ThreadPool& pool) const override {
    std::vector<double> scores(x.rows * sums_.size());
    for (std::size_t k = 0; k < sums_.size(); ++k) {
      const std::vector<double> sums = sums_[k].of(x, pool);
      for (std::size_t i = 0; i < x.rows; ++i) scores[i * sums_.size() + k] = sums[i];
    }
    return scores;
  }

 private:
  /// Where the examples stand while sums grow: everything by class, then row.
  class Progress {
   public:
    Progress(const Examples& examples, const std::vector<BoostedSum>& sums) : examples_(examples) {
      for (std::size_t i = 0; i < examples.x.rows; ++i) weights_.push_back(examples.weight(i));
      for (const BoostedSum& sum : sums) sums_.emplace_back(examples.x.rows, sum.constant());
      chances_ = sums_;
    }

    void update_chances() {
      for (std::size_t i = 0; i < weights_.size(); ++i) {
        double largest = kNeverSeen, all = 0.0;
        for (const auto& sums : sums_) largest = std::max(largest, sums[i]);
        for (std::size_t k = 0; k < sums_.size(); ++k) all += chances_[k][i] = std::exp(sums_[k][i] - largest);
        for (auto& chances : chances_) chances[i] /= all;
      }
    }

    void improve(std::size_t k, double factor, const FeatureCodes& codes, BoostedSum& sum, ThreadPool& pool) {
      std::vector<double> down, curves;
      for (std::size_t i = 0; i < weights_.size(); ++i) {
        const double chance = chances_[k][i];
        down.push_back((examples_.labels[i] == k ? 1.0 : 0.0) - chance);
        curves.push_back(chance * (1.0 - chance));
      }
      sum.add_stage(codes, {down, curves}, weights_, factor, sums_[k], pool);
    }

   private:
    const Examples& examples_;
    std::vector<double> weights_;
    std::vector<std::vector<double>> sums_, chances_;
  };

  static std::vector<double> shares_of(const Examples& examples) {
    std::vector<double> shares(examples.classes, 0.0);
    for (std::size_t i = 0; i < examples.x.rows; ++i) shares[examples.labels[i]] += examples.weight(i);
    const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares) share /= all;
    return shares;
  }

  std::vector<BoostedSum> sums_;  ///< by class
};

}  // namespace

std::unique_ptr<Learner> gradient_boosting() { return std::make_unique<GradientBoosting>(); }

}  // namespace sosia::eval
