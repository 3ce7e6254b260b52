// SPDX-License-Identifier: Apache-2.0
// Steps of training, on one core and on two. Rates are by CPU seconds of all threads. "gemm share" is the share of them
// that the step's products alone would take at the speed of a product that stays in the cache. Target: 60 % or more.
#include <benchmark/benchmark.h>

#include <chrono>
#include <vector>

#include "nn/image_generator.h"
#include "nn/loss.h"
#include "nn/net.h"
#include "nn/optimizer.h"
#include "simd/gemm.h"
#include "simd/normals.h"
#include "simd/softmax.h"

namespace {

using namespace sosia;

constexpr simd::Activation kRelu{.kind = simd::ActivationKind::relu};

/// Blocks of 40 columns.
std::vector<std::uint32_t> blocks_of(std::size_t columns) { return std::vector<std::uint32_t>(columns / 40, 40); }

/// Operations a second of a product that stays in the cache, on one core.
double peak() {
  constexpr std::size_t kSize = 192;
  ThreadPool pool(1);
  std::vector<float> a(kSize * kSize, 1.0F), c(kSize * kSize);
  const MatrixView<const float> factor(a.data(), kSize, kSize);
  double best = 0.0;
  for (int trial = 0; trial < 200; ++trial) {
    const auto start = std::chrono::steady_clock::now();
    simd::gemm(1.0F, factor, factor, 0.0F, {c.data(), kSize, kSize}, pool);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    best = std::max(best, 2.0 * kSize * kSize * kSize / time.count());
  }
  return best;
}

void set_share(benchmark::State& state, double operations) {
  const double total = operations * static_cast<double>(state.iterations());
  state.counters["GFLOP/s"] = benchmark::Counter(1e-9 * total, benchmark::Counter::kIsRate);
  state.counters["gemm share"] = benchmark::Counter(total / peak(), benchmark::Counter::kIsRate);
}

// z(64) -> 512 -> 512 -> columns of logits -> softmax of blocks; squared error, Adam.
void generator_step(benchmark::State& state) {
  const auto rows = static_cast<std::size_t>(state.range(0)), columns = static_cast<std::size_t>(state.range(1));
  const auto threads = static_cast<int>(state.range(2));
  constexpr std::size_t kCode = 64, kHidden = 512;
  ThreadPool pool(threads);
  std::vector<nn::LayerPtr> layers;
  layers.push_back(nn::dense(kCode, kHidden));
  layers.push_back(nn::batch_norm(kHidden, {.activation = kRelu}));
  layers.push_back(nn::dense(kHidden, kHidden));
  layers.push_back(nn::batch_norm(kHidden, {.activation = kRelu}));
  layers.push_back(nn::dense(kHidden, columns, {.init = nn::Init::xavier}));
  layers.push_back(nn::head(std::vector<nn::HeadBlock>(columns / 40, {nn::HeadKind::softmax, 40})));
  nn::Net net(std::move(layers), 1, pool);
  nn::Workspace workspace(net, rows);
  nn::Optimizer optimizer(nn::Adam{}, net.parameters().size());
  std::vector<float> codes(rows * kCode), target(rows * columns, 0.025F), gradient(net.parameters().size());
  std::vector<double> losses(rows);
  std::uint64_t step = 0;
  for (auto _ : state) {
    simd::fill_normals(1, step++, codes, pool);
    net.forward({codes.data(), rows, kCode}, workspace, pool);
    nn::squared_error(workspace.output(), {target.data(), rows, columns}, 1.0 / static_cast<double>(rows),
                      {workspace.output_gradient(), losses}, pool);
    net.backward(workspace, gradient, pool);
    optimizer.step(1e-3, gradient, net.parameters(), pool);
  }
  // Forward, gradient by weights, gradient by inputs (none for the first layer).
  const double weights = 3.0 * kHidden * static_cast<double>(columns + kHidden) + 2.0 * kCode * kHidden;
  set_share(state, 2.0 * static_cast<double>(rows) * weights);
}
BENCHMARK(generator_step)
    ->ArgNames({"rows", "columns", "threads"})
    ->ArgsProduct({{1024, 4096}, {600, 3000}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime();

// A table of logits of `rows` components: softmax, moments P'P, their gradient, Adam. No net.
void mixture_step(benchmark::State& state) {
  const auto rows = static_cast<std::size_t>(state.range(0)), columns = static_cast<std::size_t>(state.range(1));
  const auto threads = static_cast<int>(state.range(2));
  const std::vector<std::uint32_t> widths = blocks_of(columns);
  ThreadPool pool(threads);
  std::vector<float> logits(rows * columns), p(rows * columns), grad(rows * columns), moments(columns * columns);
  simd::fill_normals(1, 0, logits, pool);
  nn::Optimizer optimizer(nn::Adam{}, logits.size());
  const MatrixView<float> probabilities(p.data(), rows, columns), gradient(grad.data(), rows, columns),
      square(moments.data(), columns, columns);
  for (auto _ : state) {
    simd::softmax({logits.data(), rows, columns}, widths, probabilities, pool);
    simd::gram(1.0F / static_cast<float>(rows), probabilities, 0.0F, square, pool);
    simd::gemm(2.0F, probabilities, square, 0.0F, gradient, pool);
    simd::softmax_backward(probabilities, gradient, widths, gradient, pool);
    optimizer.step(1e-2, grad, logits, pool);
  }
  set_share(state, 3.0 * static_cast<double>(rows * columns * columns));
}
BENCHMARK(mixture_step)
    ->ArgNames({"rows", "columns", "threads"})
    ->Args({1000, 600, 1})
    ->Args({1000, 600, 2})
    ->Args({1000, 3000, 1})
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime();

// A critic's step of DP-SGD: pairs of a real and a made-up row, clipped and summed.
void clipped_step(benchmark::State& state) {
  const auto threads = static_cast<int>(state.range(0));
  constexpr std::size_t kRows = 256, kColumns = 100, kHidden = 128;
  ThreadPool pool(threads);
  std::vector<nn::LayerPtr> layers;
  layers.push_back(nn::dense(kColumns, kHidden, {.activation = kRelu}));
  layers.push_back(nn::dense(kHidden, kHidden, {.activation = kRelu}));
  layers.push_back(nn::dense(kHidden, 1));
  nn::Net net(std::move(layers), 1, pool);
  nn::Workspace workspace(net, kRows);
  std::vector<float> x(kRows * kColumns), sum(net.parameters().size());
  simd::fill_normals(1, 0, x, pool);
  for (auto _ : state) {
    net.forward({x.data(), kRows, kColumns}, workspace, pool);
    for (std::size_t r = 0; r < kRows; ++r) workspace.output_gradient().row(r)[0] = r % 2 == 0 ? 1.0F : -1.0F;
    net.backward(workspace, {}, pool);
    net.clipped_gradient_sum(workspace, 0.1, 2, sum, pool);
  }
}
BENCHMARK(clipped_step)->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMicrosecond)->MeasureProcessCPUTime();

// The DP-MERF paper's generator of images, 5 codes and 10 classes to 28 x 28 pixels, or with its convolutions alone,
// from codes of 16 x 7 x 7: forward, squared error, backward, Adam. Its target is PyTorch's speed: bench/conv_speed.py.
void image_step(benchmark::State& state) {
  const bool is_whole = state.range(0) != 0;
  const auto threads = static_cast<int>(state.range(1));
  constexpr std::size_t kRows = 100;
  const ImageShape shape{28, 28, 1};
  const std::size_t codes = is_whole ? 15 : 16 * 7 * 7;
  ThreadPool pool(threads);
  std::vector<nn::LayerPtr> layers = nn::convolutional_generator(15, shape);
  if (!is_whole) layers.erase(layers.begin(), layers.begin() + 4);
  nn::Net net(std::move(layers), 1, pool);
  nn::Workspace workspace(net, kRows, true);
  nn::Optimizer optimizer(nn::Adam{}, net.parameters().size());
  std::vector<float> x(kRows * codes), target(kRows * shape.values(), 0.1F), gradient(net.parameters().size());
  std::vector<double> losses(kRows);
  std::uint64_t step = 0;
  for (auto _ : state) {
    simd::fill_normals(1, step++, x, pool);
    net.forward({x.data(), kRows, codes}, workspace, pool);
    nn::squared_error(workspace.output(), {target.data(), kRows, shape.values()}, 1.0 / kRows,
                      {workspace.output_gradient(), losses}, pool);
    net.backward(workspace, gradient, pool);
    optimizer.step(1e-2, gradient, net.parameters(), pool);
  }
  const double weights = 16.0 * 8 * 25 * 14 * 14 + 8.0 * 25 * 28 * 28 + (is_whole ? 15.0 * 200 + 200.0 * 784 : 0.0);
  set_share(state, 3.0 * 2.0 * kRows * weights);
}
BENCHMARK(image_step)
    ->ArgNames({"whole", "threads"})
    ->ArgsProduct({{0, 1}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime();

}  // namespace
