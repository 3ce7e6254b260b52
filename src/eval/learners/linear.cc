// SPDX-License-Identifier: Apache-2.0
// Regularised linear classifiers by a truncated Newton method: conjugate gradients inside, halved steps outside (Lin,
// Weng, Keerthi 2008). Sums over rows are cut by shape alone, so that they are the same from any number of threads.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "eval/learners/learner.h"
#include "simd/parallel.h"

namespace sosia::eval {

namespace {

constexpr int kMostSteps = 100, kMostInner = 200;
constexpr double kGradient = 1e-7, kInner = 0.1, kDecrease = 1e-4;
constexpr std::size_t kPiece = 2048;  // rows

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

/// Four sums at a time: a single one would wait for each addition.
double row_dot(std::span<const float> row, const Vector& w) {
  std::array<double, 4> sums = {0.0, 0.0, 0.0, 0.0};
  std::size_t c = 0;
  for (; c + 4 <= row.size(); c += 4) {
    for (std::size_t k = 0; k < 4; ++k) sums[k] += row[c + k] * w[c + k];
  }
  for (; c < row.size(); ++c) sums[0] += row[c] * w[c];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// Every row by the weights, the last of which is the constant's.
Vector times(MatrixView<const float> x, const Vector& w, ThreadPool& pool) {
  Vector out(x.rows);
  simd::for_ranges(pool, x.rows, kPiece, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) out[i] = row_dot(x.row(i), w) + w.back();
  });
  return out;
}

Vector transposed_times(MatrixView<const float> x, const Vector& u, ThreadPool& pool) {
  const std::size_t pieces = (x.rows + kPiece - 1) / kPiece;
  std::vector<Vector> sums(pieces, Vector(x.cols + 1, 0.0));
  simd::for_pieces(pool, pieces, [&](std::size_t piece) {
    Vector& sum = sums[piece];
    for (std::size_t i = piece * kPiece; i < std::min(x.rows, (piece + 1) * kPiece); ++i) {
      if (u[i] == 0.0) continue;
      const auto row = x.row(i);
      for (std::size_t c = 0; c < x.cols; ++c) sum[c] += u[i] * row[c];
      sum.back() += u[i];
    }
  });
  Vector total(x.cols + 1, 0.0);
  for (const Vector& sum : sums) std::transform(sum.begin(), sum.end(), total.begin(), total.begin(), std::plus<>());
  return total;
}

/// Of y z = margin: the loss, and its first and second derivative by the margin.
struct Loss {
  double value, slope, curve;
};

Loss logistic(double margin) {
  const double e = std::exp(-std::abs(margin));
  const double share = margin >= 0.0 ? e / (1.0 + e) : 1.0 / (1.0 + e);
  return {std::log1p(e) + std::max(0.0, -margin), -share, share * (1.0 - share)};
}

Loss squared_hinge(double margin) {
  const double gap = std::max(0.0, 1.0 - margin);
  return {gap * gap, -2.0 * gap, gap > 0.0 ? 2.0 : 0.0};
}

/// One class against the rest.
class Problem {
 public:
  Problem(const Examples& examples, std::uint32_t positive, Loss (*loss)(double), ThreadPool& pool)
      : x_(examples.x), loss_(loss), pool_(pool) {
    for (std::size_t i = 0; i < x_.rows; ++i) {
      signs_.push_back(examples.labels[i] == positive ? 1.0 : -1.0);
      weights_.push_back(examples.weight(i));
    }
  }

  Vector solve() {
    Vector w(x_.cols + 1, 0.0), z(x_.rows, 0.0);
    double first_norm = 0.0;
    for (int step = 0; step < kMostSteps; ++step) {
      const Vector gradient = gradient_at(w, z);
      const double norm = std::sqrt(dot(gradient, gradient));
      if (step == 0) first_norm = norm;
      if (norm <= kGradient * first_norm || norm == 0.0) break;
      const Vector direction = newton_direction(gradient);
      const Vector along = times(x_, direction, pool_);
      if (!advance(w, z, direction, along, dot(gradient, direction))) break;
    }
    return w;
  }

 private:
  /// Also sets the curvatures of the losses.
  Vector gradient_at(const Vector& w, const Vector& z) {
    Vector slopes(z.size());
    curves_.resize(z.size());
    for (std::size_t i = 0; i < z.size(); ++i) {
      const Loss loss = loss_(signs_[i] * z[i]);
      slopes[i] = weights_[i] * signs_[i] * loss.slope;
      curves_[i] = weights_[i] * loss.curve;
    }
    Vector gradient = transposed_times(x_, slopes, pool_);
    for (std::size_t c = 0; c < w.size(); ++c) gradient[c] += w[c];
    return gradient;
  }

  Vector newton_direction(const Vector& gradient) const {
    Vector direction(gradient.size(), 0.0), rest(gradient.size());
    std::transform(gradient.begin(), gradient.end(), rest.begin(), std::negate<>());
    Vector search = rest;
    double squared = dot(rest, rest);
    const double enough = kInner * kInner * squared;
    for (int inner = 0; inner < kMostInner && squared > enough; ++inner) {
      Vector u = times(x_, search, pool_);
      for (std::size_t i = 0; i < u.size(); ++i) u[i] *= curves_[i];
      Vector bent = transposed_times(x_, u, pool_);
      for (std::size_t c = 0; c < bent.size(); ++c) bent[c] += search[c];
      const double length = squared / dot(search, bent);
      for (std::size_t c = 0; c < bent.size(); ++c) {
        direction[c] += length * search[c];
        rest[c] -= length * bent[c];
      }
      const double next = dot(rest, rest);
      for (std::size_t c = 0; c < bent.size(); ++c) search[c] = rest[c] + next / squared * search[c];
      squared = next;
    }
    return direction;
  }

  double value_at(const Vector& w, const Vector& z) const {
    double sum = dot(w, w) / 2.0;
    for (std::size_t i = 0; i < z.size(); ++i) sum += weights_[i] * loss_(signs_[i] * z[i]).value;
    return sum;
  }

  /// False if no step is small enough to go down: then roundings are all that is left.
  bool advance(Vector& w, Vector& z, const Vector& direction, const Vector& along, double slope) const {
    const double before = value_at(w, z);
    for (double length = 1.0; length > 1e-10; length /= 2.0) {
      Vector next_w = w, next_z = z;
      for (std::size_t c = 0; c < w.size(); ++c) next_w[c] += length * direction[c];
      for (std::size_t i = 0; i < z.size(); ++i) next_z[i] += length * along[i];
      if (value_at(next_w, next_z) > before + kDecrease * length * slope) continue;
      w = std::move(next_w);
      z = std::move(next_z);
      return true;
    }
    return false;
  }

  MatrixView<const float> x_;
  Loss (*loss_)(double);
  ThreadPool& pool_;
  Vector signs_, weights_, curves_;
};

class LinearLearner : public Learner {
 public:
  explicit LinearLearner(Loss (*loss)(double)) : loss_(loss) {}

  void fit(const Examples& examples, ThreadPool& pool) override {
    weights_.clear();
    // Of two classes, the first is what the second is not.
    if (examples.classes == 2) weights_.emplace_back(examples.x.cols + 1, 0.0);
    for (std::size_t k = weights_.size(); k < examples.classes; ++k) {
      weights_.push_back(Problem(examples, static_cast<std::uint32_t>(k), loss_, pool).solve());
    }
  }

  std::vector<double> scores(MatrixView<const float> x, ThreadPool& pool) const override {
    std::vector<double> scores(x.rows * weights_.size());
    for (std::size_t k = 0; k < weights_.size(); ++k) {
      const Vector z = times(x, weights_[k], pool);
      for (std::size_t i = 0; i < x.rows; ++i) scores[i * weights_.size() + k] = z[i];
    }
    return scores;
  }

 private:
  Loss (*loss_)(double);
  std::vector<Vector> weights_;  ///< by class
};

}  // namespace

std::unique_ptr<Learner> logistic_regression() { return std::make_unique<LinearLearner>(logistic); }
std::unique_ptr<Learner> linear_svm() { return std::make_unique<LinearLearner>(squared_hinge); }

}  // namespace sosia::eval
