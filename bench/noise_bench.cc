// SPDX-License-Identifier: Apache-2.0
// Lattice Gaussian noise on one core. Target: 8 ms for 1e6 numbers, random bytes included.
#include <benchmark/benchmark.h>

#include <vector>

#include "random/lattice_gaussian.h"
#include "random/secure_rng.h"

namespace {

void lattice_noise(benchmark::State& state) {
  sosia::SecureRng rng;
  std::vector<std::int64_t> numbers(1'000'000);
  for (auto _ : state) {
    sosia::add_lattice_gaussian(numbers, static_cast<int>(state.range(0)), rng);
    benchmark::DoNotOptimize(numbers.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(numbers.size()));
}
BENCHMARK(lattice_noise)->ArgName("bits")->Arg(20)->Arg(31)->Arg(35)->Unit(benchmark::kMillisecond);

void secure_bytes(benchmark::State& state) {
  sosia::SecureRng rng;
  std::vector<std::uint8_t> bytes(1 << 20);
  for (auto _ : state) {
    rng.fill(bytes);
    benchmark::DoNotOptimize(bytes.data());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
}
BENCHMARK(secure_bytes);

}  // namespace
