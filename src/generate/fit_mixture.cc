// SPDX-License-Identifier: Apache-2.0
#include "generate/fit_mixture.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "generate/class_shares.h"
#include "generate/moments.h"
#include "simd/normals.h"
#include "simd/optimizer_steps.h"
#include "simd/softmax.h"

namespace sosia {

namespace {

constexpr double kLeastShare = 1e-6;  // of a state, to start with
constexpr float kStartSpread = 0.4F;  // of the logits of components around the common start

constexpr int kLeastSteps = 10;  // from a start that knows nothing of how fields depend

/// Less than one per cent was gained in forty steps.
bool is_flat(const std::vector<double>& history) {
  constexpr std::size_t kStretch = 40;
  return history.size() > 60 && history.size() % 20 == 1 &&
         history.back() > 0.99 * history[history.size() - 1 - kStretch];
}

/// Spreads components around common distributions of the fields.
void start_in_common(const std::vector<std::vector<double>>& shares, std::span<float> logits) {
  std::size_t i = 0;
  for (const std::vector<double>& field : shares) {
    for (const double share : field) {
      logits[i] = kStartSpread * logits[i] + static_cast<float>(std::log(std::max(share, kLeastShare)));
      ++i;
    }
  }
}

/// Each component begins in one class of the label, as many in each as rows are, and with what is known of that class:
/// what depends on the class need not first find out that there are classes.
void start_in_classes(const Measurements& measured, const std::vector<std::vector<double>>& shares,
                      std::vector<float>& logits, std::size_t width) {
  constexpr float kStrength = 3.0F;
  const auto label = static_cast<std::size_t>(*measured.label);
  const std::vector<std::vector<std::vector<double>>> by_class = class_shares(measured, shares);
  std::size_t first = 0;
  for (std::size_t f = 0; f < label; ++f) first += measured.views[f].width;
  const std::size_t components = logits.size() / width;
  std::size_t group = 0;
  double below = shares[label][0];
  for (std::size_t c = 0; c < components; ++c) {
    const double place = (static_cast<double>(c) + 0.5) / static_cast<double>(components);
    while (place > below && group + 1 < shares[label].size()) below += shares[label][++group];
    const std::span<float> out = std::span(logits).subspan(c * width, width);
    start_in_common(by_class[group], out);
    for (std::size_t g = 0; g < shares[label].size(); ++g) out[first + g] = g == group ? kStrength : -kStrength;
  }
}

}  // namespace

std::vector<std::vector<double>> single_shares(const Measurements& measured) {
  std::vector<std::vector<double>> shares;
  for (std::size_t f = 0; f < measured.fields; ++f) {
    shares.emplace_back(measured.views[f].width, 1.0 / measured.views[f].width);
  }
  for (const Measurement& known : measured.list) {
    const auto view = static_cast<std::size_t>(known.views[0]);
    if (known.views.size() != 1 || view >= measured.fields) continue;
    std::vector<double>& out = shares[view];
    double total = 0.0;
    for (const double count : known.counts) total += std::max(count, 0.0);
    if (!(total > 0.0)) continue;
    for (std::size_t s = 0; s < out.size(); ++s) out[s] = std::max(known.counts[s], 0.0) / total;
  }
  return shares;
}

ProductMixture fit_mixture(const Measurements& measured, const MixtureOptions& options, ThreadPool& threads,
                           const FitProgress& progress) {
  std::vector<std::uint32_t> widths;
  for (std::size_t f = 0; f < measured.fields; ++f) widths.push_back(measured.views[f].width);
  const std::size_t width = std::accumulate(widths.begin(), widths.end(), std::size_t{0});
  const auto components = static_cast<std::size_t>(options.components);
  const std::size_t size = components * width;
  std::vector<float> logits(size), p(size), gradient(size), mean(size), square(size);
  simd::fill_normals(options.seed, 0, logits, threads);
  const std::vector<std::vector<double>> shares = single_shares(measured);
  if (measured.label) {
    start_in_classes(measured, shares, logits, width);
  } else {
    for (std::size_t c = 0; c < components; ++c) start_in_common(shares, std::span(logits).subspan(c * width, width));
  }
  const auto view = [&](std::vector<float>& numbers) { return MatrixView<float>(numbers.data(), components, width); };
  MomentLoss loss(measured, components, kLeastSigma);
  std::vector<ViewSet> kept;
  for (const Measurement& known : measured.list) {
    if (known.views.size() > 1) kept.push_back(known.views);
  }
  std::vector<double> history;
  const int least_steps = measured.label ? 0 : kLeastSteps;
  constexpr double kDecay1 = 0.9, kDecay2 = 0.99;
  for (int step = 1; step <= options.steps; ++step) {
    simd::softmax(view(logits), widths, view(p), threads);
    const double residual = loss.evaluate(view(p), view(gradient), threads);
    history.push_back(residual);
    if (!progress(step, residual) || (step > least_steps && residual <= options.stop) || is_flat(history)) break;
    simd::softmax_backward(view(p), view(gradient), widths, view(gradient), threads);
    simd::adam_step({.rate = static_cast<float>(options.rate / (1.0 - std::pow(kDecay1, step))),
                     .decay1 = kDecay1,
                     .decay2 = kDecay2,
                     .epsilon = 1e-12F,
                     .scale = static_cast<float>(1.0 / std::sqrt(1.0 - std::pow(kDecay2, step)))},
                    gradient, mean, square, logits, threads);
  }
  simd::softmax(view(logits), widths, view(p), threads);
  return {measured.views, measured.fields, measured.spread, std::move(p), std::move(kept)};
}

}  // namespace sosia
