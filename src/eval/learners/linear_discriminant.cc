// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numeric>

#include "eval/learners/cholesky.h"
#include "eval/learners/class_moments.h"
#include "simd/gemm.h"

namespace sosia::eval {

namespace {

constexpr double kShrinkage = 1e-4;

class LinearDiscriminant : public Learner {
 public:
  void fit(const Examples& examples, ThreadPool& pool) override {
    const ClassMoments moments(examples);
    const Cholesky covariance(shared_covariance(examples, moments, pool), examples.x.cols);
    classes_.assign(examples.classes, {});
    for (std::size_t k = 0; k < examples.classes; ++k) {
      Class& made = classes_[k];
      made.weights = covariance.solve(moments.means[k]);
      const double center =
          std::inner_product(made.weights.begin(), made.weights.end(), moments.means[k].begin(), 0.0) / 2.0;
      made.constant = moments.weights[k] > 0.0 ? std::log(moments.weights[k]) - center : kNeverSeen;
    }
  }

  std::vector<double> scores(MatrixView<const float> x, ThreadPool& /*pool*/) const override {
    std::vector<double> scores;
    scores.reserve(x.rows * classes_.size());
    for (std::size_t i = 0; i < x.rows; ++i) {
      for (const Class& k : classes_) {
        scores.push_back(std::inner_product(x.row(i).begin(), x.row(i).end(), k.weights.begin(), k.constant));
      }
    }
    return scores;
  }

 private:
  struct Class {
    std::vector<double> weights;
    double constant = 0.0;
  };

  static std::vector<double> shared_covariance(const Examples& examples, const ClassMoments& moments,
                                               ThreadPool& pool) {
    const std::size_t rows = examples.x.rows, width = examples.x.cols;
    double total = 0.0;
    for (std::size_t i = 0; i < rows; ++i) total += examples.weight(i);
    std::vector<float> centered(rows * width), products(width * width);
    for (std::size_t i = 0; i < rows; ++i) {
      const double root = std::sqrt(examples.weight(i) / total);
      const std::vector<double>& mean = moments.means[examples.labels[i]];
      for (std::size_t c = 0; c < width; ++c) {
        centered[i * width + c] = static_cast<float>(root * (examples.x.row(i)[c] - mean[c]));
      }
    }
    simd::gram(1.0F, {centered.data(), rows, width}, 0.0F, {products.data(), width, width}, pool);
    std::vector<double> covariance(products.begin(), products.end());
    double trace = 0.0;
    for (std::size_t c = 0; c < width; ++c) trace += covariance[c * width + c];
    // Without any variation at all every direction is as good.
    const double spread = trace > 0.0 ? trace / static_cast<double>(width) : 1.0;
    for (double& value : covariance) value *= 1.0 - kShrinkage;
    for (std::size_t c = 0; c < width; ++c) covariance[c * width + c] += kShrinkage * spread;
    return covariance;
  }

  std::vector<Class> classes_;
};

}  // namespace

std::unique_ptr<Learner> linear_discriminant() { return std::make_unique<LinearDiscriminant>(); }

}  // namespace sosia::eval
