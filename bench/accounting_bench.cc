// SPDX-License-Identifier: Apache-2.0
// The accountants. Targets: the PLD of 1e5 sampled steps in 0.5 s, the calibration of a mixed plan in 2 s.
#include <benchmark/benchmark.h>

#include <sosia/accounting.h>

#include "privacy/accounting/composition.h"
#include "privacy/accounting/contour.h"
#include "privacy/accounting/pld.h"
#include "privacy/accounting/rdp.h"

namespace {

using namespace sosia;

Plan sampled_plan(std::int64_t steps) {
  return {Neighbors::add_remove, {{SampledGaussian{0.001, 1.0}, steps, "steps"}}};
}

void pld_of_sampled_steps(benchmark::State& state) {
  const auto composition = accounting::compose_models(sampled_plan(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(accounting::pld_epsilon(composition, 1e-5));
}
BENCHMARK(pld_of_sampled_steps)->ArgName("steps")->Arg(1'000)->Arg(100'000)->Unit(benchmark::kMillisecond);

void contour_of_sampled_steps(benchmark::State& state) {
  const auto composition = accounting::compose_models(sampled_plan(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(accounting::contour_epsilon(composition, 1e-5));
}
BENCHMARK(contour_of_sampled_steps)->ArgName("steps")->Arg(100'000)->Unit(benchmark::kMillisecond);

void rdp_of_sampled_steps(benchmark::State& state) {
  const auto composition = accounting::compose_models(sampled_plan(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(accounting::rdp_epsilon(composition, 1e-5));
}
BENCHMARK(rdp_of_sampled_steps)->ArgName("steps")->Arg(100'000)->Unit(benchmark::kMillisecond);

void account_of_sampled_steps(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(account(sampled_plan(state.range(0)), 1e-5));
}
BENCHMARK(account_of_sampled_steps)->ArgName("steps")->Arg(100'000)->Unit(benchmark::kMillisecond);

void calibration_of_mixed_plan(benchmark::State& state) {
  const OpenPlan open{{Neighbors::add_remove,
                       {{Gaussian{1.0}, 1, "statistics"},
                        {SampledGaussian{0.002, 1.0}, 10'000, "training"},
                        {Laplace{1.0}, 3, "counts"}}},
                      {1.0, 2.0, 0.2}};
  for (auto _ : state) benchmark::DoNotOptimize(calibrate(open, 1.0, 1e-5));
}
BENCHMARK(calibration_of_mixed_plan)->Unit(benchmark::kMillisecond);

}  // namespace
