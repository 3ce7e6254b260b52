// SPDX-License-Identifier: Apache-2.0
#include "eval/plane.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "simd/gemm.h"

namespace sosia::eval {

namespace {

constexpr int kMostIterations = 2000;
constexpr double kTolerance = 1e-12;

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

void scale_to_unit(Vector& v) {
  const double norm = std::sqrt(dot(v, v));
  for (double& x : v) x = norm > 0.0 ? x / norm : 0.0;
}

/// Leaves nothing of `v` along the unit vector `u`.
void remove_along(const Vector& u, Vector& v) {
  const double along = dot(u, v);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] -= along * u[i];
}

Vector times(MatrixView<const float> matrix, const Vector& v) {
  Vector out(matrix.rows);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto row = matrix.row(i);
    out[i] = std::inner_product(row.begin(), row.end(), v.begin(), 0.0);
  }
  return out;
}

/// The eigenvector of the largest eigenvalue of a symmetric matrix without negative ones, among those at right angles
/// to `others`. Power iteration: one multiplication a step.
Vector leading(MatrixView<const float> matrix, std::span<const Vector> others) {
  Vector v(matrix.rows);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = 1.0 + 0.001 * static_cast<double>(i % 97);  // along no feature
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    Vector next = times(matrix, v);
    for (const Vector& other : others) remove_along(other, next);
    scale_to_unit(next);
    double change = 0.0;
    for (std::size_t i = 0; i < v.size(); ++i) change += (next[i] - v[i]) * (next[i] - v[i]);
    v = std::move(next);
    if (change < kTolerance * kTolerance) break;
  }
  const auto largest =
      std::max_element(v.begin(), v.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
  if (*largest < 0.0) std::transform(v.begin(), v.end(), v.begin(), std::negate<>());
  return v;
}

}  // namespace

Plane::Plane(const Outline& outline, const Rows& real, std::span<const std::size_t> indices, ThreadPool& pool)
    : features_(outline, real), means_(features_.width(), 0.0), scales_(features_.width(), 0.0) {
  const std::size_t width = features_.width();
  const auto count = static_cast<double>(indices.size());
  std::vector<float> vectors = features_.vectors(real, indices);
  for (std::size_t f = 0; f < width; ++f) {
    double squares = 0.0;
    for (std::size_t i = f; i < vectors.size(); i += width) means_[f] += vectors[i] / count;
    for (std::size_t i = f; i < vectors.size(); i += width) squares += std::pow(vectors[i] - means_[f], 2) / count;
    // A feature that hardly varies but for roundings says nothing.
    scales_[f] = squares > 1e-12 ? 1.0 / std::sqrt(squares) : 0.0;
    for (std::size_t i = f; i < vectors.size(); i += width) {
      vectors[i] = static_cast<float>((vectors[i] - means_[f]) * scales_[f]);
    }
  }
  std::vector<float> products(width * width);
  const MatrixView<float> covariance(products.data(), width, width);
  simd::gram(1.0F / static_cast<float>(count), {vectors.data(), indices.size(), width}, 0.0F, covariance, pool);
  double total = 0.0;
  for (std::size_t f = 0; f < width; ++f) total += covariance.row(f)[f];
  for (std::size_t k = 0; k < 2; ++k) {
    components_[k] = leading(covariance, std::span(components_).first(k));
    const double variance = std::max(0.0, dot(components_[k], times(covariance, components_[k])));
    deviations_[k] = variance > 0.0 ? std::sqrt(variance) : 1.0;
    explained_[k] = total > 0.0 ? variance / total : 0.0;
  }
}

std::vector<std::array<double, 2>> Plane::project(const Rows& rows, std::span<const std::size_t> indices) const {
  const std::vector<float> vectors = features_.vectors(rows, indices);
  const std::size_t width = features_.width();
  std::vector<std::array<double, 2>> points(indices.size(), {0.0, 0.0});
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t f = 0; f < width; ++f) {
      const double x = (vectors[i * width + f] - means_[f]) * scales_[f];
      for (std::size_t k = 0; k < 2; ++k) points[i][k] += x * components_[k][f] / deviations_[k];
    }
  }
  return points;
}

}  // namespace sosia::eval
