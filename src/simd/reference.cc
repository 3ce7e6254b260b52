// SPDX-License-Identifier: Apache-2.0
#include "simd/reference.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "random/public_rng.h"
#include "simd/normals_constants.h"

namespace sosia::simd::reference {

namespace {

double at(const Factor& f, std::size_t row, std::size_t col) {
  return f.is_transposed ? f.matrix.row(col)[row] : f.matrix.row(row)[col];
}

float to_float(double x) { return static_cast<float>(x); }

float average(double decay, float old_value, float new_value) {
  return to_float(decay) * old_value + to_float(1.0 - decay) * new_value;
}

}  // namespace

void gemm(float alpha, Factor a, Factor b, float beta, MatrixView<float> c) {
  for (std::size_t i = 0; i < c.rows; ++i) {
    for (std::size_t j = 0; j < c.cols; ++j) {
      double sum = 0.0;
      for (std::size_t k = 0; k < a.cols(); ++k) sum += at(a, i, k) * at(b, k, j);
      const double old = beta == 0.0F ? 0.0 : double{beta} * c.row(i)[j];
      c.row(i)[j] = to_float(alpha * sum + old);
    }
  }
}

void gram(float alpha, MatrixView<const float> a, float beta, MatrixView<float> c) {
  gemm(alpha, transposed(a), a, beta, c);
}

float exp(float x) { return to_float(std::exp(double{x})); }
float log(float x) { return to_float(std::log(double{x})); }
float tanh(float x) { return to_float(std::tanh(double{x})); }
float sigmoid(float x) { return to_float(1.0 / (1.0 + std::exp(-double{x}))); }

namespace {

/// A pixel that a tap meets: row and column may lie outside, where everything is 0.
double pixel(const ConvolutionShape& s, std::span<const float> planes, std::size_t plane, std::size_t y,
             std::size_t x) {
  y -= s.border();
  x -= s.border();
  return y < s.height && x < s.width ? planes[(plane * s.height + y) * s.width + x] : 0.0;
}

/// Calls visit(tap, value) for every tap at a place.
template <class Visit>
void for_taps(const ConvolutionShape& s, std::span<const float> from, std::size_t y, std::size_t x,
              const Visit& visit) {
  for (std::size_t tap = 0; tap < s.taps(); ++tap) {
    visit(tap, pixel(s, from, tap / (s.side * s.side), y + tap / s.side % s.side, x + tap % s.side));
  }
}

}  // namespace

void convolve(const ConvolutionShape& s, std::span<const float> from, std::span<const float> weights,
              std::span<const float> start, std::span<float> image) {
  for (std::size_t i = 0; i < image.size(); ++i) {
    const std::size_t o = i / s.pixels();
    double sum = start[o];
    for_taps(s, from, i / s.width % s.height, i % s.width,
             [&](std::size_t tap, double value) { sum += weights[o * s.taps() + tap] * value; });
    image[i] = to_float(sum);
  }
}

void add_filter_gradient(const ConvolutionShape& s, std::span<const float> from, std::span<const float> gradients,
                         std::span<float> gradient) {
  std::vector<double> sums(gradient.begin(), gradient.end());
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    for_taps(s, from, i / s.width % s.height, i % s.width,
             [&](std::size_t tap, double value) { sums[i / s.pixels() * s.taps() + tap] += gradients[i] * value; });
  }
  for (std::size_t i = 0; i < sums.size(); ++i) gradient[i] = to_float(sums[i]);
}

double sum(std::span<const float> x) {
  double total = 0.0;
  for (const float v : x) total += v;
  return total;
}

double dot(std::span<const float> x, std::span<const float> y) {
  double total = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) total += double{x[i]} * y[i];
  return total;
}

void log_softmax(std::span<const float> logits, std::span<const std::uint32_t> widths, std::span<float> out) {
  std::size_t begin = 0;
  for (const std::uint32_t width : widths) {
    const std::span<const float> block = logits.subspan(begin, width);
    const double top = *std::ranges::max_element(block);
    double total = 0.0;
    for (const float x : block) total += std::exp(x - top);
    for (std::size_t i = 0; i < width; ++i) out[begin + i] = to_float(block[i] - top - std::log(total));
    begin += width;
  }
}

void softmax(std::span<const float> logits, std::span<const std::uint32_t> widths, std::span<float> out) {
  std::size_t begin = 0;
  for (const std::uint32_t width : widths) {
    const std::span<const float> block = logits.subspan(begin, width);
    const double top = *std::ranges::max_element(block);
    double total = 0.0;
    for (const float x : block) total += std::exp(x - top);
    for (std::size_t i = 0; i < width; ++i) out[begin + i] = to_float(std::exp(block[i] - top) / total);
    begin += width;
  }
}

void softmax_backward(std::span<const float> p, std::span<const float> grad, std::span<const std::uint32_t> widths,
                      std::span<float> out) {
  std::size_t begin = 0;
  for (const std::uint32_t width : widths) {
    const double mean = dot(p.subspan(begin, width), grad.subspan(begin, width));
    for (std::size_t i = begin; i < begin + width; ++i) out[i] = to_float(p[i] * (grad[i] - mean));
    begin += width;
  }
}

float activate(float x, Activation f) {
  switch (f.kind) {
    case ActivationKind::relu:
      return x > 0.0F ? x : 0.0F;
    case ActivationKind::leaky_relu:
      return x > 0.0F ? x : x * f.leak;
    case ActivationKind::tanh:
      return tanh(x);
    case ActivationKind::sigmoid:
      return sigmoid(x);
    case ActivationKind::identity:
      break;
  }
  return x;
}

float activate_backward(float y, float grad, Activation f) {
  switch (f.kind) {
    case ActivationKind::relu:
      return y > 0.0F ? grad : 0.0F;
    case ActivationKind::leaky_relu:
      return y > 0.0F ? grad : grad * f.leak;
    case ActivationKind::tanh:
      return grad * (1.0F - y * y);
    case ActivationKind::sigmoid:
      return grad * (y * (1.0F - y));
    case ActivationKind::identity:
      break;
  }
  return grad;
}

void column_sums(MatrixView<const float> x, std::span<float> sums) {
  for (std::size_t c = 0; c < x.cols; ++c) {
    double total = 0.0;
    for (std::size_t r = 0; r < x.rows; ++r) total += x.row(r)[c];
    sums[c] = to_float(total);
  }
}

void column_moments(MatrixView<const float> x, std::span<float> means, std::span<float> variances) {
  for (std::size_t c = 0; c < x.cols; ++c) {
    double total = 0.0, squares = 0.0;
    for (std::size_t r = 0; r < x.rows; ++r) total += x.row(r)[c];
    const double mean = total / static_cast<double>(x.rows);
    for (std::size_t r = 0; r < x.rows; ++r) squares += (x.row(r)[c] - mean) * (x.row(r)[c] - mean);
    means[c] = to_float(mean);
    variances[c] = to_float(squares / static_cast<double>(x.rows));
  }
}

void column_products(MatrixView<const float> g, MatrixView<const float> x, std::span<const float> center,
                     std::span<float> sums) {
  for (std::size_t c = 0; c < x.cols; ++c) {
    double total = 0.0;
    for (std::size_t r = 0; r < x.rows; ++r) total += double{g.row(r)[c]} * (double{x.row(r)[c]} - center[c]);
    sums[c] = to_float(total);
  }
}

void fourier_vector(MatrixView<const float> w, double scale, std::span<const float> row, std::span<double> vector) {
  for (std::size_t f = 0; f < w.rows; ++f) {
    vector[f] = scale * std::cos(dot(w.row(f), row));
    vector[w.rows + f] = scale * std::sin(dot(w.row(f), row));
  }
}

void fourier_gradient(MatrixView<const float> w, double scale, std::span<const float> row,
                      std::span<const float> d_vector, std::span<double> d_row) {
  std::ranges::fill(d_row, 0.0);
  for (std::size_t f = 0; f < w.rows; ++f) {
    const double x = dot(w.row(f), row);
    const double slope = scale * (d_vector[w.rows + f] * std::cos(x) - d_vector[f] * std::sin(x));
    for (std::size_t i = 0; i < row.size(); ++i) d_row[i] += slope * w.row(f)[i];
  }
}

double sum_of_squares(std::span<const float> x) {
  double sums[32] = {};
  for (std::size_t i = 0; i < x.size(); ++i) sums[i % 32] += double{x[i]} * double{x[i]};
  for (std::size_t half = 16; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) sums[i] += sums[i + half];
  }
  return sums[0];
}

void add_truncated(std::span<const float> x, double scale, std::span<std::int64_t> sum) {
  for (std::size_t i = 0; i < x.size(); ++i) sum[i] += static_cast<std::int64_t>(double{x[i]} * scale);
}

void add_outer_rounded(MatrixView<const double> left, MatrixView<const double> right, std::size_t terms,
                       std::span<std::int64_t> sum) {
  for (std::size_t r = 0; r < right.rows; r += terms) {
    for (std::size_t i = 0; i < left.cols; ++i) {
      for (std::size_t j = 0; j < right.cols; ++j) {
        constexpr double kWhole = 0x1.8p52;  // beside it, all doubles are whole
        double cell = kWhole;
        for (std::size_t t = r; t < r + terms; ++t) cell += left.row(t)[i] * right.row(t)[j];
        sum[i * right.cols + j] += static_cast<std::int64_t>(cell - kWhole);
      }
    }
  }
}

void add_scaled(float a, std::span<const float> x, std::span<float> y) {
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = y[i] + a * x[i];
}

void sgd_step(SgdStep step, std::span<const float> grad, std::span<float> velocity, std::span<float> weights) {
  for (std::size_t i = 0; i < grad.size(); ++i) {
    velocity[i] = step.momentum * velocity[i] + grad[i];
    weights[i] = weights[i] - step.rate * velocity[i];
  }
}

void rmsprop_step(RmsPropStep step, std::span<const float> grad, std::span<float> square, std::span<float> weights) {
  for (std::size_t i = 0; i < grad.size(); ++i) {
    square[i] = average(step.decay, square[i], grad[i] * grad[i]);
    weights[i] = weights[i] - step.rate * grad[i] / (std::sqrt(square[i]) + step.epsilon);
  }
}

void adam_step(AdamStep step, std::span<const float> grad, std::span<float> mean, std::span<float> square,
               std::span<float> weights) {
  for (std::size_t i = 0; i < grad.size(); ++i) {
    mean[i] = average(step.decay1, mean[i], grad[i]);
    square[i] = average(step.decay2, square[i], grad[i] * grad[i]);
    weights[i] = weights[i] - step.rate * mean[i] / (step.scale * std::sqrt(square[i]) + step.epsilon);
  }
}

namespace {

/// sqrt(-2 ln u), u = (bits + 1) / 2^32 rounded to a float
float radius_of(std::uint32_t bits) {
  using namespace normal_constants;
  const auto high = static_cast<float>(bits >> 16), low = static_cast<float>((bits & 0xFFFF) + 1);
  const float u = (high * 0x1p16F + low) * 0x1p-32F;
  const auto u_bits = std::bit_cast<std::uint32_t>(u);
  auto e = static_cast<float>(static_cast<int>(u_bits >> 23) - 126);
  auto m = std::bit_cast<float>((u_bits & 0x007FFFFF) | 0x3F000000);
  if (m < kRootHalf) {
    e -= 1.0F;
    m += m;
  }
  const float x = m - 1.0F;
  float y = kLog[0];
  for (int i = 1; i < 9; ++i) y = y * x + kLog[i];
  const float x2 = x * x;
  y = y * x * x2;
  y = y + e * kLn2Low;
  y = y - 0.5F * x2;
  return std::sqrt(-2.0F * (x + y + e * kLn2High));
}

/// Cosine and sine of bits / 2^32 turns.
std::pair<float, float> direction_of(std::uint32_t bits) {
  using namespace normal_constants;
  const std::uint32_t quarter = (bits + (1U << 29)) >> 30;
  const auto rest = static_cast<float>(static_cast<std::int32_t>(bits - (quarter << 30)));
  const float x = rest * kRadiansPerStep, x2 = x * x;
  const float s = ((kSin[0] * x2 + kSin[1]) * x2 + kSin[2]) * x2 * x + x;
  const float c = ((kCos[0] * x2 + kCos[1]) * x2 + kCos[2]) * x2 * x2 - 0.5F * x2 + 1.0F;
  switch (quarter & 3) {
    case 0:
      return {c, s};
    case 1:
      return {-s, c};
    case 2:
      return {-c, -s};
    default:
      return {s, -c};
  }
}

}  // namespace

void fill_normals(std::uint64_t seed, std::uint64_t stream, std::span<float> out) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
  for (std::size_t i = 0; i < out.size(); i += 4) {
    const std::uint64_t block = i / 4;
    const PublicRng::Block bits =
        PublicRng::philox({low(block), high(block), low(stream), high(stream)}, {low(seed), high(seed)});
    float numbers[4];
    for (int pair = 0; pair < 2; ++pair) {
      const auto [cosine, sine] = direction_of(bits[2 * pair + 1]);
      const float radius = radius_of(bits[2 * pair]);
      numbers[2 * pair] = radius * cosine;
      numbers[2 * pair + 1] = radius * sine;
    }
    std::copy_n(numbers, std::min<std::size_t>(4, out.size() - i), out.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

}  // namespace sosia::simd::reference
