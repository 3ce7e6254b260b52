// SPDX-License-Identifier: Apache-2.0
#include "methods/label_star.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "features/marginals.h"
#include "methods/clean_counts.h"
#include "methods/single_counts.h"

namespace sosia {

namespace {

constexpr double kMostOfCounts = 0.3;  // the rest is for pairs, which say more where they can be seen
constexpr double kNoiseOfClass = 0.1;  // of a cell, as a share of the rows of an average class
constexpr double kMostValues = 8.0;
constexpr std::size_t kLeastFields = 4;   // of two columns beside the label, the pair in its classes says it all
constexpr double kClassInSigmas = 100.0;  // rows of an average class, for a star that is all
constexpr std::uint32_t kEvenGroups = 4;  // of an ordered column there

std::uint32_t classes_of(const Outline& outline) {
  const auto label = static_cast<std::size_t>(*outline.target);
  return outline.widths[label] - outline.spare[label];
}

/// Ordered states in even groups of neighbours, all others by themselves, in their order.
View even_view(int field, const Outline& outline) {
  const auto f = static_cast<std::size_t>(field);
  const std::uint32_t ordered = outline.ordered[f], groups = std::min(ordered, kEvenGroups);
  View view{field, groups + outline.widths[f] - ordered, {}};
  for (std::uint32_t s = 0; s < outline.widths[f]; ++s) {
    view.group.push_back(s < ordered ? static_cast<std::uint32_t>(std::uint64_t{s} * groups / ordered)
                                     : s - ordered + groups);
  }
  return view;
}

/// Sums of a pair's counts over the groups of the other field.
std::vector<double> sums_of(const Measurement& pair, bool of_first, std::size_t width, std::size_t last_width) {
  std::vector<double> sums(width);
  for (std::size_t i = 0; i < pair.counts.size(); ++i) {
    sums[of_first ? i / last_width : i % last_width] += pair.counts[i];
  }
  return sums;
}

/// States that stand for no declared value and were not seen in a column are in none of its pairs, either.
void drop_unseen_pairs(const Outline& outline, const Measurements& singles, std::vector<Measurement>& pairs) {
  for (Measurement& pair : pairs) {
    const auto first = static_cast<std::size_t>(pair.views[0]), last = static_cast<std::size_t>(pair.views[1]);
    const auto is_unseen = [&](std::size_t field, std::size_t group) {
      const std::vector<double>& counts = singles.list[field].counts;
      return group + outline.spare[field] >= counts.size() && counts[group] == 0.0;
    };
    const std::size_t width = singles.views[last].width;
    for (std::size_t i = 0; i < pair.counts.size(); ++i) {
      if (is_unseen(first, i / width) || is_unseen(last, i % width)) pair.counts[i] = 0.0;
    }
  }
}

}  // namespace

StarShape star_shape(const Outline& outline, double mu, double rows) {
  if (!outline.target || outline.widths.size() < kLeastFields || classes_of(outline) < 2) return {};
  const double classes = std::min(classes_of(outline), kMostClasses);
  const double class_in_sigmas = mu * rows / classes;
  const double noise = std::sqrt(static_cast<double>(outline.widths.size() - 1)) / class_in_sigmas;
  const double most = kNoiseOfClass * std::sqrt(kMostOfCounts) / noise;
  if (most >= 2.0) {
    const double values = std::min(kMostValues, std::exp2(std::round(std::log2(most))));  // as views halve
    return {std::min(kMostOfCounts, std::pow(values * noise / kNoiseOfClass, 2.0)), values, false};
  }
  if (class_in_sigmas < kClassInSigmas || classes_of(outline) > kMostClasses) return {};
  if (noise < kNoiseOfClass) return {kMostOfCounts, 2.0, false};
  return {1.0, kEvenGroups, true};
}

void measure_star(const RoundSource& source, int label, const ViewLadder& ladder, double most_values,
                  const NoisySum& of_counts, Measurements& measured) {
  const int label_view = ladder.with({}, label, kMostClasses).front();
  if (measured.views[static_cast<std::size_t>(label_view)].width < 2) return;
  std::vector<Marginals::Weighted> star;
  for (int field = 0; field < static_cast<int>(measured.fields); ++field) {
    if (field == label) continue;
    const int view = ladder.fitting({field}, most_values).front();
    if (measured.views[static_cast<std::size_t>(view)].width < 2) continue;
    star.push_back({{std::min(label_view, view), std::max(label_view, view)}, 1.0});
  }
  if (star.empty()) return;
  set_weights(star, measured.views);
  append(source.ledger.noisy_counts(source.table, Marginals(measured.views, star), of_counts, source.threads), star,
         measured);
}

Measurements star_alone(const RoundSource& source, const Outline& outline, const NoisySum& of_counts) {
  const int label = *outline.target, fields = static_cast<int>(outline.widths.size());
  Measurements star, out;
  std::vector<Marginals::Weighted> sets;
  for (int f = 0; f < fields; ++f) {
    star.views.push_back(f == label ? View::finest(f, outline.widths[static_cast<std::size_t>(f)])
                                    : even_view(f, outline));
    out.spread.emplace_back(outline.widths[static_cast<std::size_t>(f)], 1.0F);
    if (f != label) sets.push_back({{std::min(f, label), std::max(f, label)}, 1.0});
  }
  set_weights(sets, star.views);
  append(source.ledger.noisy_counts(source.table, Marginals(star.views, sets), of_counts, source.threads), sets, star);
  out.views = star.views;
  out.fields = static_cast<std::size_t>(fields);
  out.label = label;
  out.list.resize(out.fields);
  const auto width = [&](int f) -> std::size_t { return out.views[static_cast<std::size_t>(f)].width; };
  Measurement& classes = out.list[static_cast<std::size_t>(label)];
  classes = {{label}, std::vector<double>(width(label)), 0.0};
  double precision = 0.0;
  for (const Measurement& pair : star.list) {
    const bool is_first = pair.views[0] == label;
    const int f = pair.views[is_first ? 1 : 0];
    const std::size_t last = width(pair.views[1]);
    out.list[static_cast<std::size_t>(f)] = {
        {f}, sums_of(pair, !is_first, width(f), last), pair.sigma * std::sqrt(static_cast<double>(width(label)))};
    // Every pair has the rows of each class; the more cells they are summed from, the less is known of them.
    const double weight = 1.0 / std::max(1e-9, pair.sigma * pair.sigma * static_cast<double>(width(f)));
    const std::vector<double> of_classes = sums_of(pair, is_first, width(label), last);
    for (std::size_t c = 0; c < of_classes.size(); ++c) classes.counts[c] += weight * of_classes[c];
    precision += weight;
  }
  for (double& count : classes.counts) count /= precision;
  classes.sigma = 1.0 / std::sqrt(precision);
  out.rows = outline.rows.value_or(std::max(1.0, std::accumulate(classes.counts.begin(), classes.counts.end(), 0.0)));
  drop_unseen(outline, out);
  drop_unseen_pairs(outline, out, star.list);
  for (Measurement& single : out.list) single.counts = on_simplex(single.counts, out.rows);
  for (Measurement& pair : star.list) out.list.push_back(std::move(pair));
  return out;
}

}  // namespace sosia
