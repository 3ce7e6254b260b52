// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>

#include "eval/learners/class_moments.h"
#include "simd/parallel.h"

namespace sosia::eval {

namespace {

/// The log-likelihood of a row is a sum over features of a + b x + c x^2, whose coefficients the class decides.
class QuadraticScores {
 public:
  QuadraticScores() = default;
  QuadraticScores(std::size_t classes, std::size_t width) : constants(classes, 0.0), linear(classes), square(classes) {
    for (std::size_t k = 0; k < classes; ++k) linear[k].resize(width), square[k].resize(width);
  }

  std::vector<double> of(MatrixView<const float> x, ThreadPool& pool) const {
    std::vector<double> scores(x.rows * constants.size());
    simd::for_ranges(pool, x.rows, simd::rows_per_piece(x.cols), [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        const auto row = x.row(i);
        for (std::size_t k = 0; k < constants.size(); ++k) {
          double sum = constants[k];
          for (std::size_t c = 0; c < row.size(); ++c) sum += (linear[k][c] + square[k][c] * row[c]) * row[c];
          scores[i * constants.size() + k] = sum;
        }
      }
    });
    return scores;
  }

  std::vector<double> constants;  ///< by class
  std::vector<std::vector<double>> linear, square;
};

class GaussianNaiveBayes : public Learner {
 public:
  void fit(const Examples& examples, ThreadPool& /*pool*/) override {
    const ClassMoments moments(examples);
    const std::size_t width = examples.x.cols;
    const double least = kSmoothing * largest_variance(moments, width);
    scores_ = QuadraticScores(examples.classes, width);
    for (std::size_t k = 0; k < examples.classes; ++k) {
      if (moments.weights[k] <= 0.0) {
        scores_.constants[k] = kNeverSeen;
        continue;
      }
      double& constant = scores_.constants[k] = std::log(moments.weights[k]);
      for (std::size_t c = 0; c < width; ++c) {
        const double mean = moments.means[k][c], variance = std::max(moments.variances[k][c] + least, 1e-300);
        constant -= std::log(2.0 * std::numbers::pi * variance) / 2.0 + mean * mean / (2.0 * variance);
        scores_.linear[k][c] = mean / variance;
        scores_.square[k][c] = -1.0 / (2.0 * variance);
      }
    }
  }

  std::vector<double> scores(MatrixView<const float> x, ThreadPool& pool) const override { return scores_.of(x, pool); }

 private:
  static constexpr double kSmoothing = 1e-9;

  /// Of a feature over all examples: within and between classes.
  static double largest_variance(const ClassMoments& moments, std::size_t width) {
    double largest = 0.0;
    for (std::size_t c = 0; c < width; ++c) {
      double mean = 0.0, square = 0.0;
      for (std::size_t k = 0; k < moments.weights.size(); ++k) {
        const double center = moments.means[k][c];
        mean += moments.weights[k] * center;
        square += moments.weights[k] * (moments.variances[k][c] + center * center);
      }
      largest = std::max(largest, square - mean * mean);
    }
    return largest;
  }

  QuadraticScores scores_;
};

class BernoulliNaiveBayes : public Learner {
 public:
  void fit(const Examples& examples, ThreadPool& /*pool*/) override {
    const std::size_t width = examples.x.cols;
    std::vector<double> weights(examples.classes, 0.0);
    std::vector<std::vector<double>> ones(examples.classes, std::vector<double>(width, 0.0));
    double total = 0.0;
    for (std::size_t i = 0; i < examples.x.rows; ++i) {
      const std::uint32_t k = examples.labels[i];
      weights[k] += examples.weight(i);
      total += examples.weight(i);
      for (std::size_t c = 0; c < width; ++c) ones[k][c] += examples.x.row(i)[c] > 0.0F ? examples.weight(i) : 0.0;
    }
    scores_ = QuadraticScores(examples.classes, width);
    for (std::size_t k = 0; k < examples.classes; ++k) {
      double& constant = scores_.constants[k] = weights[k] > 0.0 ? std::log(weights[k] / total) : kNeverSeen;
      for (std::size_t c = 0; c < width; ++c) {
        const double share = (ones[k][c] + 1.0) / (weights[k] + 2.0);
        constant += std::log(1.0 - share);
        scores_.linear[k][c] = std::log(share / (1.0 - share));
      }
    }
  }

  std::vector<double> scores(MatrixView<const float> x, ThreadPool& pool) const override {
    std::vector<float> bits(x.rows * x.cols);
    for (std::size_t i = 0; i < x.rows; ++i) {
      std::transform(x.row(i).begin(), x.row(i).end(), bits.begin() + static_cast<std::ptrdiff_t>(i * x.cols),
                     [](float value) { return value > 0.0F ? 1.0F : 0.0F; });
    }
    return scores_.of({bits.data(), x.rows, x.cols}, pool);
  }

 private:
  QuadraticScores scores_;
};

}  // namespace

std::unique_ptr<Learner> gaussian_naive_bayes() { return std::make_unique<GaussianNaiveBayes>(); }
std::unique_ptr<Learner> bernoulli_naive_bayes() { return std::make_unique<BernoulliNaiveBayes>(); }

}  // namespace sosia::eval
