// SPDX-License-Identifier: Apache-2.0
// Steps of DP-SGD through the door on the nets of DP-auto-GAN for Adult: 32,561 rows, 13 columns, 106 numbers when
// opened, samples of 128 rows on average. dp_sgd_speed.py holds them against Opacus; target: 5 times its speed.
#include <benchmark/benchmark.h>

#include <span>
#include <utility>
#include <vector>

#include "generate/example_losses.h"
#include "methods/dp_sgd.h"
#include "random/public_rng.h"

namespace {

using namespace sosia;

constexpr std::size_t kRows = 32561;
constexpr std::size_t kInputs = 106;  // numbers of an opened row
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

/// Dense layers of these widths, all but the last followed by a leaky ReLU.
nn::Net leaky(std::span<const std::size_t> widths, ThreadPool& threads) {
  std::vector<nn::LayerPtr> layers;
  for (std::size_t i = 1; i < widths.size(); ++i) {
    const bool is_last = i + 1 == widths.size();
    const nn::DenseOptions leaky = {.activation = {simd::ActivationKind::leaky_relu, 0.2F}};
    layers.push_back(nn::dense(widths[i - 1], widths[i], is_last ? nn::DenseOptions() : leaky));
  }
  return {std::move(layers), 1, threads};
}

template <class MakeLoss>
void run(benchmark::State& state, const std::vector<std::size_t>& widths, const MakeLoss& make_loss) {
  ThreadPool threads(static_cast<int>(state.range(0)));
  const OpenRows opened(kWidths, std::nullopt);
  nn::Net net = leaky(widths, threads);
  const PrivateTable rows = table();
  const DpSgdOptions options{.how = {.noise = 20.0, .rate = kBatch / kRows, .label = "step"}, .batch = kBatch};
  // Planned by hand: a plan that is fixed needs no price for each step.
  Ledger ledger({.epsilon = 1e6, .delta = 1e-5}, Plan{Neighbors::add_remove, {event_of(options.how, kMostSteps)}});
  DpSgd trainer(rows, ledger, threads, net.parameters().size(), options);
  const auto loss = make_loss(opened);
  for (auto _ : state) trainer.step(loss, net);
}

void auto_encoder_step(benchmark::State& state) {
  run(state, {kInputs, 60, 15, 60, kInputs}, [](const OpenRows& opened) { return ReconstructionLoss(opened); });
}

void critic_step(benchmark::State& state) {
  const std::vector<float> made(128 * kInputs, 0.1F);
  run(state, {kInputs, 70, 35, 1},
      [&](const OpenRows& opened) { return CriticLoss(opened, {made.data(), 128, kInputs}); });
}

void on_one_and_two_threads(benchmark::internal::Benchmark* steps) {
  steps->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime()->MeasureProcessCPUTime()->Unit(benchmark::kMicrosecond);
}
BENCHMARK(auto_encoder_step)->Apply(on_one_and_two_threads);
BENCHMARK(critic_step)->Apply(on_one_and_two_threads);

}  // namespace
