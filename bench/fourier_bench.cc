// SPDX-License-Identifier: Apache-2.0
// Random Fourier features: the embedding of many rows, as a plain sum and as the door adds it up, and a step of
// DP-MERF. "peak share" is the share of the speed of a product that stays in the cache, on as many cores, that the
// projection's multiply-adds alone amount to, by CPU seconds. Targets: 40 % or more and 500 MB at most through the
// door; time linear in rows; steps by bench/step_speed.py.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include <sosia/ledger.h>

#include "data/private_table.h"
#include "features/fourier.h"
#include "nn/image_generator.h"
#include "nn/loss.h"
#include "nn/net.h"
#include "nn/optimizer.h"
#include "simd/gemm.h"
#include "simd/normals.h"

namespace {

using namespace sosia;

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

/// Rates are by CPU seconds of all threads.
void set_share(benchmark::State& state, double operations) {
  const double total = operations * static_cast<double>(state.iterations());
  state.counters["GFLOP/s"] = benchmark::Counter(1e-9 * total, benchmark::Counter::kIsRate);
  state.counters["peak share"] = benchmark::Counter(total / peak(), benchmark::Counter::kIsRate);
}

constexpr std::size_t kColumns = 50, kFrequencies = 5000, kDim = 2 * kFrequencies;

constexpr std::size_t kBlock = 10'000;

/// Rows are made when they are needed, so that memory does not grow with their number.
MatrixView<const float> make_rows(std::size_t block, std::vector<float>& numbers, ThreadPool& pool) {
  numbers.resize(kBlock * kColumns);
  simd::fill_normals(1, block, numbers, pool);
  return {numbers.data(), kBlock, kColumns};
}

class MadeRows : public RowSource {
 public:
  explicit MadeRows(std::size_t rows) : blocks_(rows / kBlock) {}
  int columns() const override { return static_cast<int>(kColumns); }
  bool has_units() const override { return false; }
  std::unique_ptr<RowScan> scan() const override { return std::make_unique<Scan>(blocks_); }

 private:
  struct Scan : RowScan {
    explicit Scan(std::size_t count) : blocks(count) {}
    bool next(RowBlock& block) override {
      const std::size_t number = made++;
      if (number >= blocks) return false;
      ThreadPool alone(1);
      block.first_row = static_cast<std::int64_t>(number * kBlock);
      block.rows = make_rows(number, block.row_buffer, alone);
      return true;
    }
    std::size_t blocks;
    std::atomic<std::size_t> made = 0;
  };
  std::size_t blocks_;
};

void set_peak_memory(benchmark::State& state) {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["peak MiB"] = static_cast<double>(usage.ru_maxrss) / 1024.0;
}

std::unique_ptr<FeatureMap> map_of(std::size_t columns, std::size_t frequencies) {
  return fourier(std::vector<double>(columns, std::sqrt(static_cast<double>(columns))),
                 {.frequencies = static_cast<int>(frequencies)});
}

// The sums of two classes.
void embed(benchmark::State& state) {
  const auto rows = static_cast<std::size_t>(state.range(0));
  const auto map = map_of(kColumns, kFrequencies);
  ThreadPool pool(static_cast<int>(state.range(1)));
  std::vector<std::uint32_t> parts(kBlock);
  for (std::size_t r = 0; r < kBlock; ++r) parts[r] = r % 3 == 0 ? 1 : 0;
  std::vector<float> numbers, sums(2 * kDim);
  std::vector<double> total(2 * kDim);
  for (auto _ : state) {
    for (std::size_t block = 0; block < rows / kBlock; ++block) {
      map->sum(make_rows(block, numbers, pool), parts, {sums.data(), 2, kDim}, pool);
      for (std::size_t i = 0; i < total.size(); ++i) total[i] += sums[i];
    }
  }
  set_share(state, 2.0 * static_cast<double>(rows * kColumns * kFrequencies));
  set_peak_memory(state);
}

// The release of private rows: scan, vectors, whole numbers, sum, noise.
void embed_through_door(benchmark::State& state) {
  const auto rows = static_cast<std::size_t>(state.range(0));
  const auto map = map_of(kColumns, kFrequencies);
  const PrivateTable table(std::make_unique<MadeRows>(rows), 1 << 20);
  ThreadPool pool(static_cast<int>(state.range(1)));
  for (auto _ : state) {
    Ledger ledger = Ledger::for_tests({.epsilon = 1e6, .delta = 0.01}, 1, Spending::gaussian);
    benchmark::DoNotOptimize(ledger.noisy_sum(table, *map, {.noise = 3.0}, pool));
  }
  set_share(state, 2.0 * static_cast<double>(rows * kColumns * kFrequencies));
  set_peak_memory(state);
}

void rows_and_threads(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"rows", "threads"})
      ->ArgsProduct({{10'000, 100'000, 1'000'000}, {1, 2}})
      ->Iterations(1)
      ->Unit(benchmark::kMillisecond)
      ->MeasureProcessCPUTime();
}
BENCHMARK(embed)->Apply(rows_and_threads);
BENCHMARK(embed_through_door)->Apply(rows_and_threads);

/// Sizes of a step: rows of the batch, columns that the net makes, features, and what a row is made from.
struct StepSize {
  std::size_t rows, columns, features, codes, classes;
};

// One step of DP-MERF: codes and labels -> net -> sums of each class -> squared distance to a target -> back -> Adam.
void run_steps(benchmark::State& state, const StepSize& size, std::vector<nn::LayerPtr> layers, ThreadPool& pool) {
  const auto& [rows, columns, features, codes, classes] = size;
  nn::Net net(std::move(layers), 1, pool);
  nn::Workspace workspace(net, rows);
  nn::Optimizer optimizer(nn::Adam{}, net.parameters().size());
  const auto map = map_of(columns, features / 2);

  std::vector<float> normals(rows * codes), inputs(rows * (codes + classes)), gradient(net.parameters().size());
  std::vector<float> sums(classes * features), target(classes * features, 0.01F), d_sums(classes * features);
  std::vector<double> losses(classes);
  std::vector<std::uint32_t> labels(rows);
  for (std::size_t r = 0; r < rows; ++r) labels[r] = static_cast<std::uint32_t>(r % classes);
  const MatrixView<float> of_sums(sums.data(), classes, features), gradients(d_sums.data(), classes, features);
  std::uint64_t step = 0;
  for (auto _ : state) {
    simd::fill_normals(1, step++, normals, pool);
    for (std::size_t r = 0; r < rows; ++r) {
      float* const input = inputs.data() + r * (codes + classes);
      std::copy_n(normals.data() + r * codes, codes, input);
      for (std::size_t c = 0; c < classes; ++c) input[codes + c] = labels[r] == c ? 1.0F : 0.0F;
    }
    const auto made = net.forward({inputs.data(), rows, codes + classes}, workspace, pool);
    const auto loss = [&] {
      for (float& sum : sums) sum *= 1.0F / static_cast<float>(rows);
      nn::squared_error(of_sums, {target.data(), classes, features}, 1.0, {gradients, losses}, pool);
      for (float& d : d_sums) d *= 1.0F / static_cast<float>(rows);
    };
    map->sum_and_backward(made, labels, of_sums, loss, gradients, workspace.output_gradient(), pool);
    net.backward(workspace, gradient, pool);
    optimizer.step(1e-2, gradient, net.parameters(), pool);
  }
}

// Of a table with two classes, by dense layers with batch norm.
void merf_step(benchmark::State& state) {
  const StepSize size{static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)),
                      static_cast<std::size_t>(state.range(2)), 10, 2};
  constexpr simd::Activation kRelu{.kind = simd::ActivationKind::relu};
  ThreadPool pool(static_cast<int>(state.range(3)));
  std::vector<nn::LayerPtr> layers;
  layers.push_back(nn::dense(size.codes + size.classes, 4 * size.columns));
  layers.push_back(nn::batch_norm(4 * size.columns, {.activation = kRelu}));
  layers.push_back(nn::dense(4 * size.columns, 2 * size.columns));
  layers.push_back(nn::batch_norm(2 * size.columns, {.activation = kRelu}));
  layers.push_back(nn::dense(2 * size.columns, size.columns));
  run_steps(state, size, std::move(layers), pool);
}
BENCHMARK(merf_step)
    ->ArgNames({"rows", "columns", "features", "threads"})
    ->Args({200, 14, 500, 1})
    ->Args({200, 14, 500, 2})
    ->Args({500, 100, 2000, 1})
    ->Args({500, 100, 2000, 2})
    ->Args({2000, 14, 50'000, 1})
    ->Args({2000, 14, 50'000, 2})
    ->Unit(benchmark::kMicrosecond)
    ->MeasureProcessCPUTime();

// Of images of 28 x 28 pixels in ten classes, by the paper's convolutional generator.
void merf_image_step(benchmark::State& state) {
  const ImageShape shape{28, 28, 1};
  const StepSize size{100, shape.values(), 10'000, 5, 10};
  ThreadPool pool(static_cast<int>(state.range(0)));
  run_steps(state, size, nn::convolutional_generator(size.codes + size.classes, shape), pool);
}
BENCHMARK(merf_image_step)->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();

}  // namespace
