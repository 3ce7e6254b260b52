// SPDX-License-Identifier: Apache-2.0
#include "methods/embeddings.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "privacy/door.h"
#include "privacy/lattice.h"

namespace sosia {

std::vector<MethodOption> net_options() {
  return {
      {"quantiles", 0.1, 0.001, 0.9, false, "share of the budget for quantiles of the numbers"},
      {"steps", 3000, 1, 10000000, true, "of training"},
      {"batch", 1000, 2, 1000000, true, "rows that the net makes in a step"},
      {"rate", 0.01, 1e-6, 1.0, false, "of Adam, at the start; it falls to 0 along half a cosine"},
      {"codes", 10, 1, 10000, true, "normal numbers that a row is made from"},
      {"hidden", 0, 0, 100000, true, "width of the second hidden layer, the first is twice that; 0: by the columns"}};
}

double count_weight(const OpenRows& rows, double norm_bound, const Promise& promise) {
  if (promise.relation == Neighbors::replace && promise.unit.max_rows == 1) return norm_bound;
  return (rows.parts() > 1 ? 0.5 : 0.25) * norm_bound;
}

namespace {

Lattice lattice_of(const FeatureMap& map, double noise, double weight, const Promise& promise) {
  constexpr std::int64_t kRowLimit = std::int64_t{1} << 31;
  return make_lattice({.noise = noise,
                       .norm_bound = map.norm_bound(),
                       .count_weight = weight,
                       .nonnegative = map.nonnegative(),
                       .relation = promise.relation,
                       .max_rows = promise.unit.max_rows,
                       .row_limit = kRowLimit});
}

std::vector<int> hidden_widths(const OpenRows& rows, const Settings& settings) {
  constexpr int kLeast = 64, kMost = 256;
  const int by_columns = std::clamp(2 * static_cast<int>(rows.widths().size()), kLeast, kMost);
  const int width = settings.whole("hidden") > 0 ? settings.whole("hidden") : by_columns;
  return {2 * width, width};
}

}  // namespace

PlannedRelease plan_embedding(const std::string& what, const OpenRows& rows, const FeatureMap& map, double noise,
                              double weight, const Promise& promise) {
  const std::int64_t numbers = static_cast<std::int64_t>(rows.parts()) * (map.dim() + (weight > 0.0 ? 1 : 0));
  return {what, numbers, noise, lattice_of(map, noise, weight, promise).sigma()};
}

void release_embedding(const PrivateTable& table, const OpenRows& rows, std::shared_ptr<const FeatureMap> map,
                       double weight, const NoisySum& how, Ledger& ledger, ThreadPool& threads, Embeddings& out) {
  const std::size_t sums = static_cast<std::size_t>(rows.parts()) * static_cast<std::size_t>(map->dim());
  const Release release = ledger.noisy_sum(table, *on_encoded(rows, std::move(map), weight), how, threads);
  const std::span<const double> values = release.values();
  out.list.push_back({{values.begin(), values.begin() + static_cast<std::ptrdiff_t>(sums)}, release.sigma()});
  if (weight == 0.0) return;
  out.counts.clear();
  for (const double value : values.subspan(sums)) out.counts.push_back(value / weight);
  out.count_sigma = release.sigma() / weight;
}

void clean_parts(const Outline& outline, Embeddings& out) {
  constexpr double kSeen = 2.0;
  for (double& count : out.counts) {
    if (count < std::max(kSeen * out.count_sigma, 0.5)) count = 0.0;
  }
  const double total = std::accumulate(out.counts.begin(), out.counts.end(), 0.0);
  if (total == 0.0) std::fill(out.counts.begin(), out.counts.end(), 1.0);
  out.rows = outline.rows.value_or(std::max(total, 1.0));
}

std::shared_ptr<const Generator> train_net(const OpenRows& rows, const Embeddings& released,
                                           const std::vector<std::shared_ptr<const FeatureMap>>& maps,
                                           const std::vector<double>& weights, const Training& training) {
  const Settings& settings = training.settings;
  std::vector<EmbeddingTarget> targets;
  for (std::size_t i = 0; i < maps.size(); ++i) targets.push_back({maps[i], &released.list[i], weights[i]});
  const NetFitOptions options{.shape = {settings.whole("codes"), hidden_widths(rows, settings)},
                              .steps = settings.whole("steps"),
                              .batch = settings.whole("batch"),
                              .rate = settings.number("rate"),
                              .seed = training.seed};
  return std::make_shared<const NetGenerator>(
      fit_net(rows, targets, released.counts, options, training.threads,
              [&](int step, double residual) { return training.watch({step, options.steps, residual}); }));
}

}  // namespace sosia
