// SPDX-License-Identifier: Apache-2.0
#include "nn/loss.h"

#include <cmath>

#include "base/check.h"
#include "simd/elementwise.h"
#include "simd/parallel.h"
#include "simd/reduce.h"
#include "simd/softmax.h"

namespace sosia::nn {

namespace {

/// Calls row_loss(r) for every row and adds up, in the order of rows.
template <class RowLoss>
double sum_over_rows(MatrixView<const float> x, MatrixView<const float> target, double weight, const LossOutput& out,
                     ThreadPool& pool, const RowLoss& row_loss) {
  SOSIA_CHECK(x.rows == target.rows && x.cols == target.cols && x.rows == out.gradient.rows &&
                  x.cols == out.gradient.cols && x.rows == out.row_losses.size(),
              "shapes differ");
  simd::for_ranges(pool, x.rows, simd::rows_per_piece(x.cols), [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) out.row_losses[r] = row_loss(r);
  });
  double total = 0.0;
  for (const double loss : out.row_losses) total += loss;
  return weight * total;
}

}  // namespace

double squared_error(MatrixView<const float> prediction, MatrixView<const float> target, double weight, LossOutput out,
                     ThreadPool& pool) {
  const auto row_loss = [&](std::size_t r) {
    const std::span<float> gradient = out.gradient.row(r);
    const std::span<const float> x = prediction.row(r), t = target.row(r);
    for (std::size_t c = 0; c < x.size(); ++c) gradient[c] = x[c] - t[c];
    const double loss = simd::squared_norm(gradient);
    simd::scale(static_cast<float>(2.0 * weight), gradient);
    return loss;
  };
  return sum_over_rows(prediction, target, weight, out, pool, row_loss);
}

double logistic_loss(MatrixView<const float> logits, MatrixView<const float> target, double weight, LossOutput out,
                     ThreadPool& pool) {
  const auto row_weight = static_cast<float>(weight);
  const auto row_loss = [&](std::size_t r) {
    const std::span<float> gradient = out.gradient.row(r);
    const std::span<const float> x = logits.row(r), t = target.row(r);
    simd::sigmoid(x, gradient);
    double loss = 0.0;
    for (std::size_t c = 0; c < x.size(); ++c) {
      // log(1 + e^x) - t x, without overflow
      loss += std::max(x[c], 0.0F) - double{x[c]} * t[c] + std::log1p(std::exp(-std::abs(double{x[c]})));
      gradient[c] = row_weight * (gradient[c] - t[c]);
    }
    return loss;
  };
  return sum_over_rows(logits, target, weight, out, pool, row_loss);
}

double cross_entropy(MatrixView<const float> logits, std::span<const std::uint32_t> widths,
                     MatrixView<const float> target, double weight, LossOutput out, ThreadPool& pool) {
  simd::log_softmax(logits, widths, out.gradient, pool);
  const auto row_weight = static_cast<float>(weight);
  const auto row_loss = [&](std::size_t r) {
    const std::span<float> gradient = out.gradient.row(r);
    const std::span<const float> t = target.row(r);
    const double loss = -simd::dot(gradient, t);
    simd::exp(gradient, gradient);
    std::size_t begin = 0;
    for (const std::uint32_t width : widths) {
      const auto mass = static_cast<float>(simd::sum(t.subspan(begin, width)));
      for (std::size_t c = begin; c < begin + width; ++c) gradient[c] = row_weight * (mass * gradient[c] - t[c]);
      begin += width;
    }
    return loss;
  };
  return sum_over_rows(logits, target, weight, out, pool, row_loss);
}

}  // namespace sosia::nn
