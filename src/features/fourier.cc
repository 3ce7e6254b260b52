// SPDX-License-Identifier: Apache-2.0
#include "features/fourier.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "simd/cache_line.h"
#include "simd/fourier.h"
#include "simd/normals.h"

namespace sosia {

namespace {

std::vector<float> normals(std::uint64_t seed, std::uint64_t stream, std::size_t count) {
  std::vector<float> numbers(count);
  ThreadPool alone(1);
  simd::fill_normals(seed, stream, numbers, alone);
  return numbers;
}

double dot(std::span<const double> x, std::span<const double> y) {
  double sum = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

/// Directions orthogonal to those before them in their block, by Gram and Schmidt; lengths those of other normal
/// vectors, so that each row by itself is normal.
void orthogonalize(MatrixView<float> rows, const std::vector<float>& others) {
  std::vector<std::vector<double>> block;
  for (std::size_t f = 0; f < rows.rows; ++f) {
    if (block.size() == rows.cols) block.clear();
    std::vector<double> row(rows.row(f).begin(), rows.row(f).end());
    for (int pass = 0; pass < 2; ++pass) {  // the second one removes what rounding left of the first
      for (const std::vector<double>& other : block) {
        const double share = dot(row, other);
        for (std::size_t i = 0; i < row.size(); ++i) row[i] -= share * other[i];
      }
    }
    const double length = std::sqrt(dot(row, row));
    for (double& x : row) x /= length;
    double squares = 0.0;
    for (std::size_t i = f * rows.cols; i < (f + 1) * rows.cols; ++i) squares += double{others[i]} * others[i];
    for (std::size_t i = 0; i < row.size(); ++i) rows.row(f)[i] = static_cast<float>(row[i] * std::sqrt(squares));
    block.push_back(std::move(row));
  }
}

simd::FourierPanels draw(const std::vector<double>& length_scales, const FourierOptions& options) {
  SOSIA_CHECK(!length_scales.empty() && options.frequencies > 0 && !options.bandwidths.empty(),
              "Fourier features need columns, frequencies and a bandwidth");
  const auto is_scale = [](double x) { return x > 0.0; };
  SOSIA_CHECK(std::ranges::all_of(length_scales, is_scale) && std::ranges::all_of(options.bandwidths, is_scale),
              "length scales and bandwidths are positive");
  const std::size_t inputs = length_scales.size(), count = static_cast<std::size_t>(options.frequencies);
  std::vector<float> numbers = normals(options.seed, 0, count * inputs);
  const MatrixView<float> rows(numbers.data(), count, inputs);
  if (options.orthogonal) orthogonalize(rows, normals(options.seed, 1, count * inputs));
  for (std::size_t f = 0; f < count; ++f) {
    const double bandwidth = options.bandwidths[f % options.bandwidths.size()];
    for (std::size_t i = 0; i < inputs; ++i) {
      rows.row(f)[i] = static_cast<float>(rows.row(f)[i] / (length_scales[i] * bandwidth));
    }
  }
  return simd::FourierPanels(rows);
}

class Fourier : public FeatureMap {
 public:
  Fourier(const std::vector<double>& length_scales, const FourierOptions& options)
      : panels_(draw(length_scales, options)),
        scale_(static_cast<float>(std::sqrt(1.0 / options.frequencies) * (1.0 - 0x1p-20))) {}

  int inputs() const override { return static_cast<int>(panels_.inputs()); }
  int dim() const override { return static_cast<int>(2 * panels_.frequencies()); }
  double norm_bound() const override { return 1.0; }

  void forward(MatrixView<const float> rows, MatrixView<float> vectors) const override {
    simd::fourier_vectors(panels_, scale_, rows, vectors);
  }
  void sum(MatrixView<const float> rows, Parts parts, MatrixView<float> sums, ThreadPool& threads) const override {
    simd::fourier_sums(panels_, scale_, rows, parts, sums, {}, threads);
  }
  void backward(MatrixView<const float> rows, Parts parts, MatrixView<const float> d_sums, MatrixView<float> d_rows,
                ThreadPool& threads) const override {
    simd::fourier_gradients(panels_, scale_, rows, parts, d_sums, {}, d_rows, threads);
  }
  void sum_and_backward(MatrixView<const float> rows, Parts parts, MatrixView<float> sums,
                        const std::function<void()>& between, MatrixView<const float> d_sums, MatrixView<float> d_rows,
                        ThreadPool& threads) const override {
    // Angles are worth keeping if they stay in a cache and took many columns to make.
    constexpr std::size_t kMost = std::size_t{1} << 21, kColumns = 32;
    const std::size_t all = panels_.angles(rows.rows);
    const std::size_t count = all <= kMost && panels_.inputs() >= kColumns ? all : 0;
    // Not a vector, which would fill it with zeros first.
    const auto room = std::make_unique_for_overwrite<simd::CacheLine[]>(count / simd::kLine);
    const std::span<float> angles(count == 0 ? nullptr : room[0].numbers, count);
    simd::fourier_sums(panels_, scale_, rows, parts, sums, angles, threads);
    between();
    simd::fourier_gradients(panels_, scale_, rows, parts, d_sums, angles, d_rows, threads);
  }

 private:
  simd::FourierPanels panels_;
  float scale_;
};

}  // namespace

std::unique_ptr<FeatureMap> fourier(const std::vector<double>& length_scales, const FourierOptions& options) {
  return std::make_unique<Fourier>(length_scales, options);
}

}  // namespace sosia
