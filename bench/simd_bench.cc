// SPDX-License-Identifier: Apache-2.0
// Kernels on one core, each beside its plain reference. Targets: gemm at 80 % of what the core can do in fused
// multiply-adds (gemm_in_cache shows it); all else at 4 times the reference or more, or at the speed of memory.
#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "random/public_rng.h"
#include "simd/elementwise.h"
#include "simd/gemm.h"
#include "simd/normals.h"
#include "simd/optimizer_steps.h"
#include "simd/reduce.h"
#include "simd/reference.h"
#include "simd/softmax.h"

namespace {

using namespace sosia;

std::vector<float> numbers(std::size_t count) {
  ThreadPool pool(1);
  std::vector<float> x(count);
  simd::fill_normals(1, 2, x, pool);
  return x;
}

void set_flops(benchmark::State& state, double operations) {
  state.counters["GFLOP/s"] =
      benchmark::Counter(1e-9 * operations * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

// As large as two factors may be to stay in the nearest caches: what remains is the arithmetic.
void gemm_in_cache(benchmark::State& state) {
  constexpr std::size_t kSize = 96;
  const std::vector<float> a = numbers(kSize * kSize), b = numbers(kSize * kSize);
  std::vector<float> c(kSize * kSize);
  ThreadPool pool(1);
  const MatrixView<const float> left(a.data(), kSize, kSize), right(b.data(), kSize, kSize);
  for (auto _ : state) simd::gemm(1.0F, left, right, 0.0F, {c.data(), kSize, kSize}, pool);
  set_flops(state, 2.0 * kSize * kSize * kSize);
}
BENCHMARK(gemm_in_cache);

// Arguments: rows, columns, inner; form: 0 plain, 1 first factor transposed, 2 second factor transposed.
void gemm(benchmark::State& state) {
  const auto rows = static_cast<std::size_t>(state.range(0)), cols = static_cast<std::size_t>(state.range(1)),
             inner = static_cast<std::size_t>(state.range(2));
  const bool first = state.range(3) == 1, second = state.range(3) == 2;
  const std::vector<float> a = numbers(rows * inner), b = numbers(inner * cols);
  std::vector<float> c(rows * cols);
  ThreadPool pool(1);
  const simd::Factor left({a.data(), first ? inner : rows, first ? rows : inner}, first);
  const simd::Factor right({b.data(), second ? cols : inner, second ? inner : cols}, second);
  for (auto _ : state) simd::gemm(1.0F, left, right, 0.0F, {c.data(), rows, cols}, pool);
  set_flops(state, 2.0 * static_cast<double>(rows * cols * inner));
}
BENCHMARK(gemm)
    ->ArgNames({"rows", "cols", "inner", "form"})
    ->Args({1024, 512, 512, 0})
    ->Args({1024, 600, 512, 0})
    ->Args({1024, 3000, 512, 0})
    ->Args({512, 3000, 1024, 1})
    ->Args({1024, 512, 3000, 2})
    ->Unit(benchmark::kMillisecond);

void gemm_reference(benchmark::State& state) {
  constexpr std::size_t kSize = 128;
  const std::vector<float> a = numbers(kSize * kSize), b = numbers(kSize * kSize);
  std::vector<float> c(kSize * kSize);
  const MatrixView<const float> left(a.data(), kSize, kSize), right(b.data(), kSize, kSize);
  for (auto _ : state) simd::reference::gemm(1.0F, left, right, 0.0F, {c.data(), kSize, kSize});
  set_flops(state, 2.0 * kSize * kSize * kSize);
}
BENCHMARK(gemm_reference)->Unit(benchmark::kMillisecond);

// The moments of a batch of rows: counted as the full product, though only half of it is computed.
void gram(benchmark::State& state) {
  const auto rows = static_cast<std::size_t>(state.range(0)), cols = static_cast<std::size_t>(state.range(1));
  const std::vector<float> a = numbers(rows * cols);
  std::vector<float> c(cols * cols);
  ThreadPool pool(1);
  for (auto _ : state) simd::gram(1.0F, {a.data(), rows, cols}, 0.0F, {c.data(), cols, cols}, pool);
  set_flops(state, 2.0 * static_cast<double>(rows * cols * cols));
}
BENCHMARK(gram)->ArgNames({"rows", "cols"})->Args({1000, 600})->Args({4096, 600})->Unit(benchmark::kMillisecond);

constexpr std::size_t kLength = std::size_t{1} << 16;

template <void (*kernel)(std::span<const float>, std::span<float>)>
void function(benchmark::State& state) {
  std::vector<float> x = numbers(kLength), out(kLength);
  for (float& v : x) v = std::abs(v) + 0.1F;
  for (auto _ : state) kernel(x, out);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kLength));
}
BENCHMARK(function<simd::exp>)->Name("exp");
BENCHMARK(function<simd::log>)->Name("log");
BENCHMARK(function<simd::tanh>)->Name("tanh");
BENCHMARK(function<simd::sigmoid>)->Name("sigmoid");

template <float (*plain)(float)>
void plain_function(benchmark::State& state) {
  std::vector<float> x = numbers(kLength), out(kLength);
  for (float& v : x) v = std::abs(v) + 0.1F;
  for (auto _ : state) {
    for (std::size_t i = 0; i < kLength; ++i) out[i] = plain(x[i]);
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kLength));
}
BENCHMARK(plain_function<simd::reference::exp>)->Name("exp_reference");
BENCHMARK(plain_function<simd::reference::tanh>)->Name("tanh_reference");

void sincos(benchmark::State& state) {
  const std::vector<float> x = numbers(kLength);
  std::vector<float> sines(kLength), cosines(kLength);
  for (auto _ : state) simd::sincos(x, sines, cosines);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kLength));
}
BENCHMARK(sincos);

void sincos_reference(benchmark::State& state) {
  const std::vector<float> x = numbers(kLength);
  std::vector<float> sines(kLength), cosines(kLength);
  for (auto _ : state) {
    for (std::size_t i = 0; i < kLength; ++i) {
      sines[i] = static_cast<float>(std::sin(double{x[i]}));
      cosines[i] = static_cast<float>(std::cos(double{x[i]}));
    }
    benchmark::DoNotOptimize(sines.data());
    benchmark::DoNotOptimize(cosines.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kLength));
}
BENCHMARK(sincos_reference);

// 14 blocks of 43 columns, about what a census table has.
void softmax(benchmark::State& state) {
  constexpr std::size_t kRows = 256, kCols = 14 * 43;
  const std::vector<std::uint32_t> widths(14, 43);
  const std::vector<float> x = numbers(kRows * kCols);
  std::vector<float> out(kRows * kCols);
  ThreadPool pool(1);
  for (auto _ : state) simd::softmax({x.data(), kRows, kCols}, widths, {out.data(), kRows, kCols}, pool);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kRows * kCols));
}
BENCHMARK(softmax);

void softmax_reference(benchmark::State& state) {
  constexpr std::size_t kCols = 14 * 43;
  const std::vector<std::uint32_t> widths(14, 43);
  const std::vector<float> x = numbers(kCols);
  std::vector<float> out(kCols);
  for (auto _ : state) simd::reference::softmax(x, widths, out);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kCols));
}
BENCHMARK(softmax_reference);

void dot(benchmark::State& state) {
  const std::vector<float> x = numbers(kLength), y = numbers(kLength);
  for (auto _ : state) benchmark::DoNotOptimize(simd::dot(x, y));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(2 * kLength * sizeof(float)));
}
BENCHMARK(dot);

void normals(benchmark::State& state) {
  std::vector<float> x(kLength);
  ThreadPool pool(1);
  for (auto _ : state) simd::fill_normals(1, 2, x, pool);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kLength));
}
BENCHMARK(normals);

void normals_of_public_rng(benchmark::State& state) {
  PublicRng rng(1);
  for (auto _ : state) benchmark::DoNotOptimize(rng.normal());
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(normals_of_public_rng);

void adam(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  const std::vector<float> gradient = numbers(count);
  std::vector<float> mean(count), square(count), weights = numbers(count);
  ThreadPool pool(1);
  const simd::AdamStep step{.rate = 1e-3F, .decay1 = 0.9, .decay2 = 0.999, .epsilon = 1e-8F, .scale = 1.0F};
  for (auto _ : state) simd::adam_step(step, gradient, mean, square, weights, pool);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(7 * count * sizeof(float)));
}
BENCHMARK(adam)->ArgName("weights")->Arg(1 << 14)->Arg(1 << 21);

}  // namespace
