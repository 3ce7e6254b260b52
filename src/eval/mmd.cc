// SPDX-License-Identifier: Apache-2.0
// Maximum mean discrepancy with a Gaussian kernel k(x, y) = exp(-|x - y|^2 / (2 h^2)) on the vectors of features.h: the
// unbiased estimate (Gretton et al. 2012, lemma 6) of its square from up to 4,000 rows of each table. h is the median
// distance of two real rows. Around 0, and below it by chance, for equal distributions.
#include <algorithm>
#include <cmath>

#include "eval/features.h"
#include "eval/metrics.h"
#include "eval/order_statistics.h"
#include "simd/elementwise.h"
#include "simd/gemm.h"
#include "simd/reduce.h"

namespace sosia::eval {

namespace {

constexpr std::size_t kMostRows = 4000, kBlock = 256, kBandwidthRows = 1000;

struct Vectors {
  std::vector<float> values;
  std::size_t width = 0;
  std::vector<double> squares = {};  ///< squared norms

  std::size_t rows() const { return squares.size(); }
  MatrixView<const float> view(std::size_t first, std::size_t count) const {
    return {values.data() + first * width, count, width};
  }
};

Vectors vectors_of(const Features& features, const Rows& rows, PublicRng& rng) {
  Vectors made{.values = features.vectors(rows, draw_rows(rows.count, kMostRows, rng)), .width = features.width()};
  const std::size_t count = made.values.size() / made.width;
  for (std::size_t i = 0; i < count; ++i) made.squares.push_back(simd::squared_norm(made.view(i, 1).row(0)));
  return made;
}

/// Calls work(i, the products of a_i with all rows of b) for the first `rows` rows of a.
template <class Work>
void for_products(const Vectors& a, const Vectors& b, std::size_t rows, ThreadPool& pool, const Work& work) {
  std::vector<float> products(kBlock * b.rows());
  for (std::size_t begin = 0; begin < rows; begin += kBlock) {
    const std::size_t count = std::min(kBlock, rows - begin);
    const MatrixView<float> out(products.data(), count, b.rows());
    simd::gemm(1.0F, a.view(begin, count), simd::transposed(b.view(0, b.rows())), 0.0F, out, pool);
    for (std::size_t i = 0; i < count; ++i) work(begin + i, out.row(i));
  }
}

double median_squared_distance(const Vectors& real, ThreadPool& pool) {
  std::vector<double> distances;
  for_products(real, real, std::min(kBandwidthRows, real.rows()), pool, [&](std::size_t i, std::span<float> products) {
    const std::size_t count = std::min(i, kBandwidthRows);
    for (std::size_t j = 0; j < count; ++j) {
      distances.push_back(std::max(0.0, real.squares[i] + real.squares[j] - 2.0 * products[j]));
    }
  });
  if (distances.empty()) return 1.0;
  std::sort(distances.begin(), distances.end());
  const double median = quantile(distances, 0.5);
  return median > 0.0 ? median : 1.0;
}

/// The sum of the kernel over all pairs; a table with itself: over pairs of different rows.
double kernel_sum(const Vectors& a, const Vectors& b, double squared_width, ThreadPool& pool) {
  double sum = 0.0;
  std::vector<float> kernel(b.rows());
  for_products(a, b, a.rows(), pool, [&](std::size_t i, std::span<float> products) {
    for (std::size_t j = 0; j < b.rows(); ++j) {
      const double distance = std::max(0.0, a.squares[i] + b.squares[j] - 2.0 * products[j]);
      kernel[j] = static_cast<float>(-distance / (2.0 * squared_width));
    }
    simd::exp(kernel, kernel);
    if (&a == &b) kernel[i] = 0.0F;
    sum += simd::sum(kernel);
  });
  return sum;
}

Finding measure(const Comparison& comparison) {
  const Features features(comparison.outline, comparison.real);
  PublicRng rng = rng_of(comparison.seed, Stream::kernel_rows);
  const Vectors real = vectors_of(features, comparison.real, rng), made = vectors_of(features, comparison.made, rng);
  const double width = median_squared_distance(real, comparison.pool);
  const auto n = static_cast<double>(real.rows()), m = static_cast<double>(made.rows());
  Finding found;
  found.value = kernel_sum(real, real, width, comparison.pool) / (n * (n - 1.0)) +
                kernel_sum(made, made, width, comparison.pool) / (m * (m - 1.0)) -
                2.0 * kernel_sum(real, made, width, comparison.pool) / (n * m);
  found.counted = {{"real rows", n}, {"made rows", m}};
  return found;
}

}  // namespace

Metric mmd_metric() {
  return {{.name = "mmd", .summary = "maximum mean discrepancy, squared, with a Gaussian kernel; about 0 if alike"},
          measure};
}

}  // namespace sosia::eval
