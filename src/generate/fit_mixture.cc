// SPDX-License-Identifier: Apache-2.0
#include "generate/fit_mixture.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "generate/moments.h"
#include "simd/normals.h"
#include "simd/optimizer_steps.h"
#include "simd/softmax.h"

namespace sosia {

namespace {

constexpr double kLeastShare = 1e-6;  // of a state, to start with
constexpr float kStartSpread = 0.5F;  // of the logits of components around the common start
constexpr double kLeastSigma = 0.25;  // rows: what counts without noise are taken to be off by

}  // namespace

std::vector<std::vector<double>> single_shares(const Measurements& measured) {
  std::vector<std::vector<double>> shares;
  for (const std::uint32_t width : measured.grouping.widths) shares.emplace_back(width, 1.0 / width);
  for (const Measurement& known : measured.list) {
    if (known.fields.size() != 1) continue;
    std::vector<double>& out = shares[static_cast<std::size_t>(known.fields[0])];
    double total = 0.0;
    for (const double count : known.counts) total += std::max(count, 0.0);
    if (!(total > 0.0)) continue;
    for (std::size_t s = 0; s < out.size(); ++s) out[s] = std::max(known.counts[s], 0.0) / total;
  }
  return shares;
}

ProductMixture fit_mixture(const Measurements& measured, const MixtureOptions& options, ThreadPool& threads,
                           const FitProgress& progress) {
  const std::vector<std::uint32_t>& widths = measured.grouping.widths;
  const std::size_t width = std::accumulate(widths.begin(), widths.end(), std::size_t{0});
  const auto components = static_cast<std::size_t>(options.components);
  const std::size_t size = components * width;
  std::vector<float> logits(size), p(size), gradient(size), mean(size), square(size);
  simd::fill_normals(options.seed, 0, logits, threads);
  const std::vector<std::vector<double>> shares = single_shares(measured);
  for (std::size_t c = 0, i = 0; c < components; ++c) {
    for (const std::vector<double>& field : shares) {
      for (const double share : field) {
        logits[i] = kStartSpread * logits[i] + static_cast<float>(std::log(std::max(share, kLeastShare)));
        ++i;
      }
    }
  }
  const auto view = [&](std::vector<float>& numbers) { return MatrixView<float>(numbers.data(), components, width); };
  MomentLoss loss(measured, components, kLeastSigma);
  std::vector<FieldSet> kept;
  for (const Measurement& known : measured.list) {
    if (known.fields.size() > 1) kept.push_back(known.fields);
  }
  constexpr double kDecay1 = 0.9, kDecay2 = 0.99;
  for (int step = 1; step <= options.steps; ++step) {
    simd::softmax(view(logits), widths, view(p), threads);
    const double residual = loss.evaluate(view(p), view(gradient), threads);
    if (!progress(step, residual) || residual <= options.stop) break;
    simd::softmax_backward(view(p), view(gradient), widths, view(gradient), threads);
    const double rate = options.rate * 0.5 * (1.0 + std::cos(M_PI * (step - 1) / options.steps));
    simd::adam_step({.rate = static_cast<float>(rate / (1.0 - std::pow(kDecay1, step))),
                     .decay1 = kDecay1,
                     .decay2 = kDecay2,
                     .epsilon = 1e-12F,
                     .scale = static_cast<float>(1.0 / std::sqrt(1.0 - std::pow(kDecay2, step)))},
                    gradient, mean, square, logits, threads);
  }
  simd::softmax(view(logits), widths, view(p), threads);
  return {measured.grouping, measured.spread, std::move(p), std::move(kept)};
}

}  // namespace sosia
