// SPDX-License-Identifier: Apache-2.0
// Frechet distance between the normal distributions that have the means and covariances of the features of real and
// made images (Dowson and Landau 1982): |m - n|^2 + trace(S + T - 2 (S T)^(1/2)). Its parts are the two summands. With
// the features of an Inception net it is known as FID (Heusel et al. 2017), of which the figures depend on the net and,
// through an error of the covariances, on the number of images: compare those of the same features and numbers only.
#include <cmath>

#include "eval/images/image_metric.h"
#include "eval/images/spectrum.h"
#include "simd/gemm.h"

namespace sosia::eval {

namespace {

constexpr std::size_t kMostImages = 10000;

struct Normal {
  std::vector<double> mean, covariance;

  Normal(MatrixView<const float> rows, ThreadPool& pool) : mean(rows.cols, 0.0) {
    const std::size_t width = rows.cols;
    const auto count = static_cast<double>(rows.rows);
    for (std::size_t i = 0; i < rows.rows; ++i) {
      for (std::size_t c = 0; c < width; ++c) mean[c] += rows.row(i)[c] / count;
    }
    std::vector<float> centered(rows.rows * width), products(width * width);
    for (std::size_t i = 0; i < rows.rows; ++i) {
      for (std::size_t c = 0; c < width; ++c) {
        centered[i * width + c] = static_cast<float>(rows.row(i)[c] - mean[c]);
      }
    }
    const double scale = count > 1.0 ? 1.0 / (count - 1.0) : 0.0;
    simd::gram(1.0F, {centered.data(), rows.rows, width}, 0.0F, {products.data(), width, width}, pool);
    for (const float product : products) covariance.push_back(scale * product);
  }
};

Finding measure(const ImageComparison& comparison) {
  const auto real_rows = comparison.real.feature_rows(kMostImages),
             made_rows = comparison.made.feature_rows(kMostImages);
  const Normal real(real_rows, comparison.pool), made(made_rows, comparison.pool);
  const std::size_t width = real.mean.size();
  double means = 0.0, traces = 0.0;
  for (std::size_t c = 0; c < width; ++c) {
    means += (real.mean[c] - made.mean[c]) * (real.mean[c] - made.mean[c]);
    traces += real.covariance[c * width + c] + made.covariance[c * width + c];
  }
  traces -= 2.0 * trace_of_root(real.covariance, made.covariance, width, comparison.pool);
  return {.value = means + traces,
          .parts = {{{"means"}, means}, {{"covariances"}, traces}},
          .counted = {{"real images", static_cast<double>(real_rows.rows)},
                      {"made images", static_cast<double>(made_rows.rows)},
                      {"features", static_cast<double>(width)}}};
}

}  // namespace

ImageMetric frechet_metric() {
  return {.info = {.name = "frechet", .summary = "Frechet distance of the features of images"}, .measure = measure};
}

}  // namespace sosia::eval
