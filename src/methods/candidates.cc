// SPDX-License-Identifier: Apache-2.0
#include "methods/candidates.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "methods/clean_counts.h"

namespace sosia {

namespace {

constexpr double kMostCellsOfTriple = 1024.0;  // for the sake of time

/// A view's shares and the variances of its counts, from its field's singles.
struct ViewShares {
  std::vector<double> share, variance;
};

std::vector<ViewShares> view_shares(const Measurements& measured, const std::vector<std::vector<double>>& shares) {
  std::vector<ViewShares> out;
  for (const View& view : measured.views) {
    const auto f = static_cast<std::size_t>(view.field);
    const std::vector<std::uint32_t> to = coarser_group(measured.views[f], view);
    ViewShares sums{std::vector<double>(view.width), std::vector<double>(view.width)};
    for (std::size_t g = 0; g < to.size(); ++g) {
      sums.share[to[g]] += shares[f][g];
      sums.variance[to[g]] += measured.list[f].cell_sigma[g] * measured.list[f].cell_sigma[g];
    }
    out.push_back(std::move(sums));
  }
  return out;
}

/// What independence says of the counts of a set, and how far from it (L1) independent columns would be seen by chance.
double independent_counts(const ViewSet& set, const std::vector<ViewShares>& known, double rows,
                          std::vector<double>& counts) {
  std::vector<double> means = {rows}, blur = {0.0};  // blur: relative variance that comes from the singles' noise
  for (const int view : set) {
    const ViewShares& next = known[static_cast<std::size_t>(view)];
    std::vector<double> more_means, more_blur;
    for (std::size_t i = 0; i < means.size(); ++i) {
      for (std::size_t j = 0; j < next.share.size(); ++j) {
        const double expected = rows * next.share[j];
        more_means.push_back(means[i] * next.share[j]);
        more_blur.push_back(blur[i] + next.variance[j] / (expected * expected));
      }
    }
    means.swap(more_means);
    blur.swap(more_blur);
  }
  double chance = 0.0;
  for (std::size_t i = 0; i < means.size(); ++i) {
    chance += poisson_deviation(means[i]) * (set.size() == 2 ? std::sqrt(1.0 + blur[i] * means[i]) : 1.0);
  }
  counts.insert(counts.end(), means.begin(), means.end());
  return chance;
}

/// The first `most` sets, by rank.
std::vector<ViewSet> first_of(std::vector<std::pair<double, ViewSet>> ranked, double most) {
  std::sort(ranked.begin(), ranked.end(),
            [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  if (static_cast<double>(ranked.size()) > most) ranked.resize(static_cast<std::size_t>(most));
  std::vector<ViewSet> sets;
  for (auto& [rank, set] : ranked) sets.push_back(std::move(set));
  return sets;
}

/// How much the one of two fields varies that varies less.
double variety(int i, int j, const std::vector<std::vector<double>>& shares) {
  const auto varies = [&](int f) {
    const auto& field = shares[static_cast<std::size_t>(f)];
    return 1.0 - *std::max_element(field.begin(), field.end());
  };
  return std::min(varies(i), varies(j));
}

std::vector<ViewSet> pairs_to_score(const Outline& outline, const ViewLadder& ladder,
                                    const std::vector<std::vector<double>>& shares, double most_cells,
                                    double most_sets) {
  const int fields = static_cast<int>(outline.widths.size()), label = outline.target.value_or(-1);
  const bool by_class = label >= 0 && 0.5 * fields * (fields - 1) <= most_sets;
  std::vector<std::pair<double, ViewSet>> ranked;
  for (int i = 0; i < fields; ++i) {
    for (int j = i + 1; j < fields; ++j) {
      const bool has_label = i == label || j == label;
      ViewSet set = ladder.fitting({i, j}, most_cells);
      if (by_class && !has_label) set = ladder.with(set, label, kMostClasses);
      ranked.emplace_back(has_label ? 2.0 : variety(i, j, shares), std::move(set));
    }
  }
  return first_of(std::move(ranked), most_sets);
}

std::vector<ViewSet> pairs_and_triples(int fields, const ViewLadder& ladder, double most_cells) {
  std::vector<ViewSet> sets;
  for (int i = 0; i < fields; ++i) {
    for (int j = i + 1; j < fields; ++j) {
      sets.push_back(ladder.fitting({i, j}, most_cells));
      for (int k = j + 1; k < fields; ++k) {
        sets.push_back(ladder.fitting({i, j, k}, std::min(most_cells, kMostCellsOfTriple)));
      }
    }
  }
  return sets;
}

Candidates against_model(const ProductMixture& model, const Measurements& measured, const std::vector<ViewSet>& sets,
                         ThreadPool& threads) {
  std::vector<std::vector<double>> counts(sets.size());
  threads.parallel_for(static_cast<std::int64_t>(sets.size()), [&](std::int64_t i) {
    std::vector<double>& of_set = counts[static_cast<std::size_t>(i)];
    of_set = model.marginal(sets[static_cast<std::size_t>(i)]);
    for (double& count : of_set) count *= measured.rows;
  });
  Candidates candidates;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    double chance = 0.0;
    for (const double count : counts[i]) chance += poisson_deviation(count);
    candidates.list.push_back({sets[i], static_cast<double>(counts[i].size()), -chance, 1.0});
    candidates.expected.insert(candidates.expected.end(), counts[i].begin(), counts[i].end());
  }
  return candidates;
}

}  // namespace

Candidates pairs_against_independence(const Outline& outline, const Measurements& measured, const ViewLadder& ladder,
                                      const std::vector<std::vector<double>>& shares, double most_cells,
                                      double most_sets) {
  const std::vector<ViewShares> known = view_shares(measured, shares);
  Candidates candidates;
  for (const ViewSet& set : pairs_to_score(outline, ladder, shares, most_cells, most_sets)) {
    const double chance = independent_counts(set, known, measured.rows, candidates.expected);
    candidates.list.push_back({set, static_cast<double>(cells_of(set, measured.views)), -chance, 1.0});
  }
  return candidates;
}

Candidates sets_against_model(const ProductMixture& model, const Measurements& measured, const ViewLadder& ladder,
                              double most_cells, ThreadPool& threads) {
  return against_model(model, measured, pairs_and_triples(static_cast<int>(measured.fields), ladder, most_cells),
                       threads);
}

Candidates pairs_in_classes(int label, const ProductMixture& model, const Measurements& measured,
                            const ViewLadder& ladder, const std::vector<std::vector<double>>& shares, double most_cells,
                            double most_sets, ThreadPool& threads) {
  const int fields = static_cast<int>(measured.fields);
  const double classes = measured.views[static_cast<std::size_t>(ladder.with({}, label, kMostClasses).front())].width;
  std::vector<std::pair<double, ViewSet>> ranked;
  for (int i = 0; i < fields; ++i) {
    for (int j = i + 1; j < fields; ++j) {
      if (i == label || j == label) continue;
      ranked.emplace_back(variety(i, j, shares),
                          ladder.with(ladder.fitting({i, j}, most_cells / classes), label, kMostClasses));
    }
  }
  return against_model(model, measured, first_of(std::move(ranked), most_sets), threads);
}

}  // namespace sosia
