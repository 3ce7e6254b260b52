// SPDX-License-Identifier: Apache-2.0
// The door on one core. Targets: at least 1 GB/s of float input with a map that only copies; all pair counts of
// 14 columns and 1e6 rows well under 1 s.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <sosia/ledger.h>

#include "base/thread_pool.h"
#include "data/private_table.h"
#include "privacy/door_test_support.h"
#include "privacy/quantize.h"
#include "random/public_rng.h"

namespace {

using namespace sosia;

// Rows of this length, in random directions.
std::vector<float> random_rows(std::size_t rows, std::size_t columns, double length) {
  PublicRng rng(1);
  std::vector<float> values;
  std::vector<double> row(columns);
  for (std::size_t r = 0; r < rows; ++r) {
    double squares = 0.0;
    for (double& x : row) x = rng.normal(), squares += x * x;
    for (const double x : row) values.push_back(static_cast<float>(x / std::sqrt(squares) * length));
  }
  return values;
}

Ledger generous_ledger(Spending spending = Spending::gaussian) {
  return Ledger::for_tests({.epsilon = 1e6, .delta = 0.01}, 1, spending);
}

// Quantise and add only. The second argument is the length of the vectors in thousandths of the bound: what is
// longer than the bound has to be shrunk.
void quantize(benchmark::State& state) {
  const auto dim = static_cast<std::size_t>(state.range(0));
  const std::size_t rows = (std::size_t{1} << 18) / dim;
  const std::vector<float> values = random_rows(rows, dim, static_cast<double>(state.range(1)) / 1000.0);
  const Lattice lattice = make_lattice({.noise = 3.0, .norm_bound = 1.0, .row_limit = 1 << 20});
  const Quantizer quantizer(lattice, static_cast<int>(dim), false);
  const std::vector<std::uint32_t> parts(rows);
  std::vector<std::int64_t> sum(dim);
  for (auto _ : state) {
    quantizer.add({values.data(), rows, dim}, parts, sum);
    benchmark::DoNotOptimize(sum.data());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(rows * dim * sizeof(float)));
}
BENCHMARK(quantize)->ArgNames({"dim", "length"})->ArgsProduct({{16, 500, 10'000}, {500, 1000, 1001}});

// The whole release: scan, copying map, sum, noise.
void noisy_sum(benchmark::State& state) {
  const auto dim = static_cast<std::size_t>(state.range(0));
  const std::size_t rows = (std::size_t{1} << 26) / dim;
  const PrivateTable table(rows_in_memory(random_rows(rows, dim, 0.9), static_cast<int>(dim)), 1 << 23);
  const RowMap map(static_cast<int>(dim), 1.0);
  ThreadPool pool(1);
  for (auto _ : state) {
    Ledger ledger = generous_ledger();
    benchmark::DoNotOptimize(ledger.noisy_sum(table, map, {.noise = 3.0}, pool));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(rows * dim * sizeof(float)));
}
BENCHMARK(noisy_sum)->ArgName("dim")->Arg(16)->Arg(500)->Arg(10'000)->Unit(benchmark::kMillisecond);

// All pairs of columns whose values are codes 0 .. width-1.
class PairCounts : public CountMap {
 public:
  PairCounts(std::uint32_t columns, std::uint32_t width) : columns_(columns), width_(width) {
    slots_.resize(std::size_t{columns} * (columns - 1) / 2, CountSlot{width * width, 1.0});
  }
  std::span<const CountSlot> slots() const override { return slots_; }
  void forward(MatrixView<const float> rows, MatrixView<std::uint32_t> cells) const override {
    std::vector<std::uint32_t> codes(columns_);
    for (std::size_t r = 0; r < rows.rows; ++r) {
      const std::span<const float> row = rows.row(r);
      for (std::size_t i = 0; i < columns_; ++i) codes[i] = static_cast<std::uint32_t>(row[i]);
      std::uint32_t* out = cells.row(r).data();
      for (std::size_t i = 0; i < columns_; ++i) {
        for (std::size_t j = i + 1; j < columns_; ++j) *out++ = codes[i] * width_ + codes[j];
      }
    }
  }

 private:
  std::uint32_t columns_, width_;
  std::vector<CountSlot> slots_;
};

void pair_counts(benchmark::State& state) {
  constexpr std::size_t kRows = 1'000'000, kColumns = 14;
  const auto width = static_cast<std::uint32_t>(state.range(0));
  PublicRng rng(1);
  std::vector<float> values(kRows * kColumns);
  for (float& x : values) x = static_cast<float>(rng.next_u32() % width);
  const PrivateTable table(rows_in_memory(std::move(values), kColumns), 1 << 23);
  const PairCounts map(kColumns, width);
  ThreadPool pool(1);
  for (auto _ : state) {
    Ledger ledger = generous_ledger();
    benchmark::DoNotOptimize(ledger.noisy_counts(table, map, {.noise = 3.0}, pool));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kRows));
}
BENCHMARK(pair_counts)->ArgName("width")->Arg(8)->Arg(32)->Unit(benchmark::kMillisecond);

// Units of about five rows, sampled or bounded.
void units(benchmark::State& state) {
  constexpr std::size_t kRows = 1'000'000, kColumns = 16;
  PublicRng rng(2);
  std::vector<std::uint64_t> ids(kRows);
  for (std::uint64_t& id : ids) id = rng.next_u64() % (kRows / 5);
  const PrivateTable table(rows_in_memory(random_rows(kRows, kColumns, 0.9), kColumns, ids), 1 << 23);
  const RowMap map(kColumns, 1.0);
  ThreadPool pool(1);
  for (auto _ : state) {
    Ledger ledger = Ledger::for_tests({.epsilon = 1e6, .delta = 0.01, .unit = {"id", 5}}, 1, Spending::renyi);
    const NoisySum how{.noise = 3.0, .rate = static_cast<double>(state.range(0)) / 1000.0};
    benchmark::DoNotOptimize(ledger.noisy_sum(table, map, how, pool));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kRows));
}
BENCHMARK(units)->ArgName("rate")->Arg(10)->Arg(1000)->Unit(benchmark::kMillisecond);

}  // namespace
