// SPDX-License-Identifier: Apache-2.0
#include "methods/embeddings.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"
#include "generate/error_bounds.h"
#include "generate/halves_loss.h"
#include "generate/moving_loss.h"
#include "generate/thinning.h"
#include "methods/clean_embeddings.h"
#include "methods/private_plan.h"
#include "privacy/lattice.h"

namespace sosia {

std::vector<MethodOption> net_options() {
  return {{"quantiles", 0.1, 0.001, 0.9, false, "share of the budget for quantiles of the numbers"},
          {"stretches", 0, 0, 64, true,
           "of a number's range that hold as many rows each, at most; 0: 32, of up to 3 numbers 4"},
          {"steps", 0, 0, 10000000, true, "of training; 0: 3000, of up to 3 columns 6000, where columns are picked 600",
           2000},
          {"batch", 1000, 2, 1000000, true, "rows that the net makes in a step", 160},
          {"rate", 0.01, 1e-6, 1.0, false, "of Adam, at the start; it falls to 0 along half a cosine"},
          {"codes", 0, 0, 10000, true, "normal numbers that a row is made from; 0: as many as columns, at most 10", 5},
          {"signs", 10, 0, 10000, true, "random signs that a row is made from besides", 0},
          {"hidden", 0, 0, 100000, true, "width of the second hidden layer, the first is twice that; 0: by the columns",
           200},
          {"convolutions", 0, 0, 1, true,
           "images only; 1: by a convolutional net, whose one dense layer is `hidden` wide", 1},
          {"memory", 0.0, 0.0, 0.999, false,
           "what is kept of the net's mean embedding from step to step; 0: nothing, a batch stands for itself"}};
}

MethodOption even_classes_option() {
  return {"even_classes",
          0,
          0,
          1,
          true,
          "images only; 1: classes are of the same size, which is public, as is the number of images: no counts are "
          "released",
          {},
          "that all classes have the same size"};
}

std::vector<TargetMap> counted(std::vector<TargetMap> maps, const Settings& settings) {
  if (settings.whole("even_classes") == 0) return maps;
  for (TargetMap& map : maps) map.count_weight = 0.0;
  return maps;
}

namespace {

/// What the count of a part weighs beside a row's vector. Under `replace` counts up to the norm bound are free
/// (docs/methods/door.md, section 3); else they take up to a fifth of the release's budget.
double count_weight(const OpenRows& rows, const TargetMap& target, const Promise& promise) {
  if (target.count_weight == 0.0) return 0.0;
  const FeatureMap& map = *target.map;
  const bool is_free = promise.relation == Neighbors::replace && promise.unit.max_rows == 1 && !map.nonnegative();
  return (is_free ? 1.0 : rows.parts() > 1 ? target.count_weight : target.count_weight / 2.0) * map.norm_bound();
}

/// Under a noise multiplier, the standard deviation of each sum.
double sum_sigma(const FeatureMap& map, double noise, double weight, const Promise& promise) {
  constexpr std::int64_t kRowLimit = std::int64_t{1} << 31;
  return make_lattice({.noise = noise,
                       .norm_bound = map.norm_bound(),
                       .count_weight = weight,
                       .nonnegative = map.nonnegative(),
                       .relation = promise.relation,
                       .max_rows = promise.unit.max_rows,
                       .row_limit = kRowLimit})
      .sigma();
}

/// The plan's, where there is one; else by shares of what the ledger has left, `whole` being the noise for all of it.
double noise_of(const TargetMap& target, const std::string& label, double whole, const Ledger& ledger) {
  return ledger.plan() != nullptr ? planned_noise(ledger, label) : whole / std::sqrt(target.share);
}

std::string label_of(const TargetMap& target, bool with_counts) {
  return "sums of " + target.what + (with_counts ? " and rows" : "") + (target.by_part ? " by class" : "");
}

std::size_t sums_of(const OpenRows& rows, const TargetMap& target) {
  return static_cast<std::size_t>(target.by_part ? rows.parts() : 1) * static_cast<std::size_t>(target.map->dim());
}

std::vector<int> hidden_widths(const OpenRows& rows, const Settings& settings) {
  constexpr int kLeast = 64, kMost = 256;
  const int by_columns = std::clamp(2 * static_cast<int>(rows.widths().size()), kLeast, kMost);
  const int width = settings.whole("hidden") > 0 ? settings.whole("hidden") : by_columns;
  return {2 * width, width};
}

/// What sums over all rows say of each part, if it is like all others: its share of the rows. The noise is that which
/// the means of the parts have on average.
Embedding spread_over_parts(const Embedding& of_all, const std::vector<double>& counts) {
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  Embedding out;
  double parts = 0.0, squares = 0.0;
  for (const double count : counts) {
    for (const double sum : of_all.sums) out.sums.push_back(sum * count / total);
    if (!(count > 0.0)) continue;
    parts += 1.0;
    squares += 1.0 / (count * count);
  }
  out.sigma = of_all.sigma / total * std::sqrt(parts / squares);
  return out;
}

}  // namespace

TargetMap one_hot_means(const OpenRows& rows, const std::vector<int>& blocks) {
  std::vector<std::vector<int>> singles;
  TargetMap target{.what = "categories", .map = nullptr};
  for (const int block : blocks) {
    singles.push_back({block});
    target.states.push_back(rows.blocks()[static_cast<std::size_t>(block)]);
  }
  std::vector<MapPart> parts;
  parts.push_back(
      {block_products(rows.blocks(), singles), 1.0 / std::sqrt(static_cast<double>(singles.size())), rows.scalars()});
  target.map = concat(std::move(parts), rows.inputs());
  return target;
}

std::vector<TargetMap> without_thinning(std::vector<TargetMap> maps) {
  double left = 1.0;
  std::erase_if(maps, [&](const TargetMap& target) {
    if (target.thins) left -= target.share;
    return target.thins;
  });
  for (TargetMap& target : maps) target.share /= left;
  return maps;
}

std::vector<TargetMap> worth_buying(const OpenRows& rows, std::vector<TargetMap> maps, const Outline& outline,
                                    const Ledger& ledger) {
  constexpr double kMostNoise = 0.5;  // of the longest that a mean can be
  const double part_rows = outline.rows.value_or(kRowsIfUnknown) / rows.parts();
  const bool is_drowned = std::any_of(maps.begin(), maps.end(), [&](const TargetMap& target) {
    if (!target.thins) return false;
    const double noise = ledger.noise_for_share(outline.budget * target.share);
    const double sigma = sum_sigma(*target.map, noise, 0.0, ledger.promise());
    const double length = sigma / part_rows * std::sqrt(static_cast<double>(target.map->dim()));
    return length > kMostNoise * target.map->norm_bound();
  });
  return is_drowned ? without_thinning(std::move(maps)) : maps;
}

std::vector<PlannedRelease> plan_embeddings(const OpenRows& rows, const std::vector<TargetMap>& maps,
                                            const Outline& outline, const Ledger& ledger) {
  std::vector<PlannedRelease> list;
  for (const TargetMap& target : maps) {
    const bool with_counts = list.empty() && target.count_weight > 0.0;
    const double weight = with_counts ? count_weight(rows, target, ledger.promise()) : 0.0;
    const std::string label = label_of(target, with_counts);
    const double noise =
        noise_of(target, label, ledger.plan() != nullptr ? 0.0 : ledger.noise_for_share(outline.budget), ledger);
    const double sigma = sum_sigma(*target.map, noise, weight, ledger.promise());
    const std::size_t sums = sums_of(rows, target);
    const double unit = outline.rows.value_or(kRowsIfUnknown) * target.map->norm_bound();
    list.push_back({label, static_cast<std::int64_t>(sums) + (with_counts ? rows.parts() : 0), noise, sigma,
                    expected_noise_norm({sums, sigma / unit}),
                    target.random > 0 ? expected_feature_error(static_cast<std::size_t>(target.random)) : 0.0});
  }
  return list;
}

std::vector<PlanPart> embedding_parts(const OpenRows& rows, const std::vector<TargetMap>& maps, double share) {
  std::vector<PlanPart> parts;
  for (const TargetMap& target : maps) {
    const bool with_counts = parts.empty();
    parts.push_back(gaussian_part(label_of(target, with_counts), 1, share * target.share,
                                  static_cast<std::int64_t>(rows.parts()) * (target.map->dim() + (with_counts ? 1 : 0)),
                                  target.map->norm_bound()));
  }
  return parts;
}

Embeddings release_embeddings(const PrivateTable& table, const OpenRows& rows, const std::vector<TargetMap>& maps,
                              const Outline& outline, Ledger& ledger, ThreadPool& threads, Embeddings known) {
  Embeddings out = std::move(known);
  const double whole_noise = ledger.plan() != nullptr ? 0.0 : ledger.noise_for_share(1.0);
  for (const TargetMap& target : maps) {
    const bool with_counts = out.list.empty() && out.counts.empty() && target.count_weight > 0.0;
    const double weight = with_counts ? count_weight(rows, target, ledger.promise()) : 0.0;
    const std::string label = label_of(target, with_counts);
    const NoisySum how{.noise = noise_of(target, label, whole_noise, ledger), .label = label};
    const Release release =
        ledger.noisy_sum(table, *on_encoded(rows, target.map, weight, target.by_part), how, threads);
    const std::size_t sums = sums_of(rows, target);
    const std::span<const double> values = release.values();
    out.list.push_back(
        {{values.begin(), values.begin() + static_cast<std::ptrdiff_t>(sums)}, release.sigma(), target.by_part});
    if (!out.picked.empty() && target.by_part) count_by_states(target.states, out.list.back(), out);
    if (!with_counts) continue;
    for (const double value : values.subspan(sums)) out.counts.push_back(value / weight);
    out.count_sigma = release.sigma() / weight;
  }
  if (out.counts.empty()) {
    SOSIA_CHECK(outline.rows.has_value(), "rows of even classes are declared");
    out.rows = *outline.rows;
    out.counts.assign(static_cast<std::size_t>(rows.parts()), out.rows / rows.parts());
  } else {
    clean_parts(outline, out);
  }
  for (std::size_t i = 0; i < maps.size() && !out.picked.empty(); ++i) {
    clean_states(maps[i].states, out.rows, out.counts, out.list[i]);
  }
  return out;
}

NetFitOptions net_fit_options(const OpenRows& rows, const Outline& outline, const Settings& settings,
                              std::uint64_t seed) {
  constexpr int kFewColumns = 3, kMostCodes = 10;
  const int columns = rows.scalars() + static_cast<int>(rows.blocks().size());
  // More codes than columns have to be folded into what they make: the finer its shape, the more that costs.
  const int codes = settings.whole("codes") > 0 ? settings.whole("codes") : std::clamp(columns, 1, kMostCodes);
  const int steps = settings.whole("steps") > 0 ? settings.whole("steps") : columns > kFewColumns ? 3000 : 6000;
  NetShape shape{codes, settings.whole("signs"), hidden_widths(rows, settings)};
  if (outline.image && settings.whole("convolutions") == 1) {
    shape.kind = NetKind::convolutional;
    shape.hidden = {shape.hidden.back()};
    shape.image = *outline.image;
    shape.planes = {16, 8};
  }
  return {
      .shape = shape, .steps = steps, .batch = settings.whole("batch"), .rate = settings.number("rate"), .seed = seed};
}

std::shared_ptr<const Generator> train_net(const OpenRows& rows, const Embeddings& released,
                                           const std::vector<TargetMap>& maps, const Training& training) {
  SOSIA_CHECK(maps.size() == released.list.size(), "a released embedding for every map");
  const double memory = training.settings.number("memory");
  std::vector<std::unique_ptr<RowLoss>> losses;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const Embedding& known = released.list[i];
    const Embedding by_part = known.by_part ? known : spread_over_parts(known, released.counts);
    const EmbeddingTarget target{maps[i].map, &by_part, maps[i].weight, maps[i].from, maps[i].to};
    const bool is_short = target.from > 0.0 || target.to < 1.0;
    const bool is_moving = memory > 0.0 && !is_short;
    losses.push_back(is_moving           ? moving_loss(target, released.counts, memory)
                     : maps[i].in_halves ? halves_loss(target, released.counts)
                                         : embedding_loss(target, released.counts));
  }
  NetFitOptions options = net_fit_options(rows, training.outline, training.settings, training.seed);
  // What is learned by class is mostly noise then, which longer training follows ever more closely.
  constexpr int kStepsIfPicked = 600;
  if (!released.picked.empty() && training.settings.whole("steps") == 0) options.steps = kStepsIfPicked;
  NetGenerator net = fit_net(rows, losses, released.counts, options, training.threads, [&](int step, double residual) {
    return training.watch({step, options.steps, residual});
  });
  for (std::size_t i = 0; i < maps.size(); ++i) {
    if (!maps[i].thins) continue;
    net = thinned(std::move(net), {maps[i].map, &released.list[i]}, released.counts, training.seed, training.threads);
  }
  return std::make_shared<const NetGenerator>(std::move(net));
}

}  // namespace sosia
