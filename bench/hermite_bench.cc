// SPDX-License-Identifier: Apache-2.0
// Hermite features on one core: forward as the door calls it, sum and backward as a generator does. Target: 2 ns a
// feature for the sum kernel. A product kernel never writes its features down: far below that.
#include <benchmark/benchmark.h>

#include "features/hermite.h"
#include "random/public_rng.h"

namespace {

using namespace sosia;

constexpr std::size_t kRows = 4000, kInputs = 14, kParts = 2;

std::unique_ptr<FeatureMap> sum_map(int order) {
  std::vector<HermiteColumn> columns;
  for (int c = 0; c < static_cast<int>(kInputs); ++c) columns.push_back({c, {.order = order}});
  return hermite_sum(columns, kInputs);
}

std::unique_ptr<FeatureMap> product_map(int columns, int order) {
  std::vector<std::unique_ptr<FeatureMap>> factors;
  for (int c = 0; c < columns; ++c)
    factors.push_back(hermite_sum({{c, {.length_scale = 0.2, .order = order}}}, kInputs));
  return tensor_product(std::move(factors));
}

void measure(benchmark::State& state, const FeatureMap& map, int what) {
  ThreadPool threads(1);
  PublicRng rng(1);
  const auto dim = static_cast<std::size_t>(map.dim());
  std::vector<float> rows(kRows * kInputs), sums(kParts * dim, 1e-3F), gradient(rows.size()),
      vectors(what == 0 ? kRows * dim : 0);
  std::vector<std::uint32_t> parts(kRows);
  for (float& x : rows) x = static_cast<float>(rng.uniform());
  for (std::uint32_t& part : parts) part = rng.next_u32() % kParts;
  const MatrixView<const float> in(rows.data(), kRows, kInputs);
  for (auto _ : state) {
    if (what == 0) map.forward(in, {vectors.data(), kRows, dim});
    if (what == 1) map.sum(in, parts, {sums.data(), kParts, dim}, threads);
    if (what == 2) {
      map.backward(in, parts, MatrixView<const float>(sums.data(), kParts, dim), {gradient.data(), kRows, kInputs},
                   threads);
    }
    benchmark::ClobberMemory();
  }
  state.counters["s/feature"] =
      benchmark::Counter(static_cast<double>(kRows * dim) * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

// Arguments: order; 0 forward, 1 sum, 2 backward.
void sum_kernel(benchmark::State& state) {
  measure(state, *sum_map(static_cast<int>(state.range(0))), static_cast<int>(state.range(1)));
}
BENCHMARK(sum_kernel)->ArgNames({"order", "what"})->ArgsProduct({{20, 100}, {0, 1, 2}})->Unit(benchmark::kMillisecond);

// Arguments: columns, order; as above.
void product_kernel(benchmark::State& state) {
  measure(state, *product_map(static_cast<int>(state.range(0)), static_cast<int>(state.range(1))),
          static_cast<int>(state.range(2)));
}
BENCHMARK(product_kernel)
    ->ArgNames({"columns", "order", "what"})
    ->Args({2, 20, 0})
    ->Args({2, 20, 1})
    ->Args({2, 20, 2})
    ->Args({4, 5, 0})
    ->Args({4, 5, 1})
    ->Args({4, 5, 2})
    ->Unit(benchmark::kMillisecond);

}  // namespace
