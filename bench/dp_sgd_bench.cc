// SPDX-License-Identifier: Apache-2.0
// Steps of DP-SGD through the door on the nets of DP-auto-GAN for Adult: 32,561 rows, 13 columns, 106 numbers when
// opened, samples of 128 rows on average. dp_sgd_speed.py holds them against Opacus; target: 5 times its speed.
#include <benchmark/benchmark.h>

#include <memory>
#include <utility>
#include <vector>

#include "generate/example_losses.h"
#include "methods/dp_sgd.h"
#include "random/public_rng.h"

namespace {

using namespace sosia;

constexpr std::size_t kRows = 32561;
constexpr double kBatch = 128.0;
constexpr std::int64_t kMostSteps = 100'000;
const std::vector<std::uint32_t> kWidths = {0, 0, 0, 0, 9, 16, 7, 15, 6, 5, 42, 2};

PrivateTable table() {
  PublicRng rng(1);
  std::vector<float> values;
  for (std::size_t r = 0; r < kRows; ++r) {
    for (const std::uint32_t width : kWidths) {
      values.push_back(width == 0 ? static_cast<float>(rng.uniform()) : static_cast<float>(rng.next_u32() % width));
    }
  }
  return PrivateTable(rows_in_memory(std::move(values), static_cast<int>(kWidths.size())));
}

nn::LayerPtr leaky(std::size_t inputs, std::size_t outputs) {
  return nn::dense(inputs, outputs, {.activation = {simd::ActivationKind::leaky_relu, 0.2F}});
}

nn::Net auto_encoder(std::size_t width, ThreadPool& threads) {
  std::vector<nn::LayerPtr> layers;
  layers.push_back(leaky(width, 60));
  layers.push_back(leaky(60, 15));
  layers.push_back(leaky(15, 60));
  layers.push_back(nn::dense(60, width));
  return {std::move(layers), 1, threads};
}

nn::Net critic(std::size_t width, ThreadPool& threads) {
  std::vector<nn::LayerPtr> layers;
  layers.push_back(leaky(width, 70));
  layers.push_back(leaky(70, 35));
  layers.push_back(nn::dense(35, 1));
  return {std::move(layers), 1, threads};
}

void run(benchmark::State& state, nn::Net net, const ExampleLoss& loss, ThreadPool& threads) {
  const PrivateTable rows = table();
  const DpSgdOptions options{.how = {.noise = 20.0, .rate = kBatch / kRows, .label = "step"}, .batch = kBatch};
  // Planned by hand: a plan that is fixed needs no price for each step.
  Ledger ledger({.epsilon = 1e6, .delta = 1e-5}, Plan{Neighbors::add_remove, {event_of(options.how, kMostSteps)}});
  DpSgd trainer(rows, ledger, threads, net.parameters().size(), options);
  for (auto _ : state) trainer.step(loss, net);
}

void auto_encoder_step(benchmark::State& state) {
  ThreadPool threads(static_cast<int>(state.range(0)));
  const OpenRows rows(kWidths, std::nullopt);
  run(state, auto_encoder(static_cast<std::size_t>(rows.inputs()), threads), ReconstructionLoss(rows), threads);
}

void critic_step(benchmark::State& state) {
  ThreadPool threads(static_cast<int>(state.range(0)));
  const OpenRows rows(kWidths, std::nullopt);
  const auto width = static_cast<std::size_t>(rows.inputs());
  const std::vector<float> made(128 * width, 0.1F);
  run(state, critic(width, threads), CriticLoss(rows, {made.data(), 128, width}), threads);
}

BENCHMARK(auto_encoder_step)
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(2)
    ->UseRealTime()
    ->MeasureProcessCPUTime()
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(critic_step)
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(2)
    ->UseRealTime()
    ->MeasureProcessCPUTime()
    ->Unit(benchmark::kMicrosecond);

}  // namespace
