// SPDX-License-Identifier: Apache-2.0
// Pairs of columns that matter, chosen privately, and a mixture of products that follows them.
//
// Claim. Three releases, all Gaussian, each a sum over rows of a vector of known norm:
//   1. counts of each of d fields: one 1 in each histogram, norm sqrt(d);
//   2. one score a pair, the L1 distance of its counts from what independence says: a row moves a score by at most 1,
//      so all of them by sqrt(pairs) in L2 (scores.h);
//   3. counts of the chosen pairs with weights w: norm sqrt(sum of w^2).
// The second depends on the first, the third on both; noise multipliers are fixed by shares of mu^2, and the ledger's
// Gaussian filter covers the order. Everything else is post-processing. Proofs in docs/methods/pairwise.md.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "features/marginals.h"
#include "methods/entries.h"
#include "methods/set_choice.h"
#include "methods/single_counts.h"

namespace sosia {

namespace {

/// Shares of the budget.
struct Shares {
  double singles, scores, pairs;
};

Shares shares_of(const Settings& settings) {
  const double singles = settings.number("singles"), scores = settings.number("scores");
  return {singles, scores, 1.0 - singles - scores};
}

std::vector<FieldSet> all_pairs(std::size_t fields) {
  std::vector<FieldSet> pairs;
  for (int i = 0; i < static_cast<int>(fields); ++i) {
    for (int j = i + 1; j < static_cast<int>(fields); ++j) pairs.push_back({i, j});
  }
  return pairs;
}

std::vector<PlannedRelease> plan(const Outline& outline, const Settings& settings, const Ledger& ledger) {
  const Shares shares = shares_of(settings);
  const std::size_t fields = outline.widths.size(), pairs = fields * (fields - 1) / 2;
  const auto row = [&](const char* what, double share, std::size_t slots, std::int64_t cells) {
    const double noise = ledger.noise_for_share(share);
    return PlannedRelease{what, cells, noise, count_sigma(noise, slots, ledger.promise())};
  };
  std::int64_t cells = 0;
  for (const std::uint32_t width : outline.widths) cells += width;
  if (pairs == 0) return {row("counts of each column", 1.0, fields, cells)};
  return {row("counts of each column", shares.singles, fields, cells),
          row("a score for each pair of columns", shares.scores, pairs, static_cast<std::int64_t>(pairs)),
          row("counts of the chosen pairs", shares.pairs, 1, 0)};
}

/// States of few rows are counted together: alone they would be lost in the noise.
void merge_rare(Measurements& measured, double sigmas) {
  Grouping& grouping = measured.grouping;
  for (Measurement& known : measured.list) {
    const auto f = static_cast<std::size_t>(known.fields[0]);
    const double least = sigmas * known.sigma;
    const auto rare = std::count_if(known.counts.begin(), known.counts.end(), [&](double c) { return c < least; });
    double rest = 0.0;
    for (const double count : known.counts) rest += count < least ? std::max(count, 0.0) : 0.0;
    if (rare < 2) continue;
    std::vector<double> counts;
    for (std::size_t s = 0; s < known.counts.size(); ++s) {
      if (known.counts[s] < least) continue;
      grouping.groups[f][s] = static_cast<std::uint32_t>(counts.size());
      counts.push_back(known.counts[s]);
    }
    double sum = 0.0;
    for (std::size_t s = 0; s < known.counts.size(); ++s) {
      if (known.counts[s] >= least) continue;
      grouping.groups[f][s] = static_cast<std::uint32_t>(counts.size());
      sum += known.counts[s];
      const double share = rest > 0.0 ? std::max(known.counts[s], 0.0) / rest : 1.0 / static_cast<double>(rare);
      measured.spread[f][s] = static_cast<float>(share);
    }
    counts.push_back(sum);
    grouping.widths[f] = static_cast<std::uint32_t>(counts.size());
    known.counts = std::move(counts);
  }
}

/// Counts of each pair if its fields were independent.
std::vector<double> independent_counts(const Measurements& measured, const std::vector<FieldSet>& pairs) {
  const std::vector<std::vector<double>> shares = single_shares(measured);
  std::vector<double> counts;
  for (const FieldSet& pair : pairs) {
    for (const double a : shares[static_cast<std::size_t>(pair[0])]) {
      for (const double b : shares[static_cast<std::size_t>(pair[1])]) counts.push_back(measured.rows * a * b);
    }
  }
  return counts;
}

Measurements release(const PrivateTable& table, const Outline& outline, const Settings& settings, Ledger& ledger,
                     ThreadPool& threads) {
  const std::vector<FieldSet> pairs = all_pairs(outline.widths.size());
  const Shares shares = shares_of(settings);
  if (pairs.empty()) {
    const NoisySum how{.noise = ledger.noise_for_share(1.0), .label = "counts of each column"};
    return single_counts(table, outline, how, ledger, threads);
  }
  const double pair_noise = ledger.noise_for_share(shares.pairs), score_noise = ledger.noise_for_share(shares.scores);
  Measurements measured =
      single_counts(table, outline, {.noise = ledger.noise_for_share(shares.singles), .label = "counts of each column"},
                    ledger, threads);
  merge_rare(measured, settings.number("merge"));

  std::vector<Marginals::Weighted> sets;
  for (const FieldSet& pair : pairs) sets.push_back({pair, 1.0});
  const Choice scores = ledger.private_choice(table, Marginals(measured.grouping, sets),
                                              independent_counts(measured, pairs), static_cast<int>(pairs.size()),
                                              {.noise = score_noise, .label = "a score for each pair"}, threads);
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const bool has_label = outline.target && std::count(pairs[i].begin(), pairs[i].end(), *outline.target) > 0;
    candidates.push_back({pairs[i], static_cast<double>(cells_of(pairs[i], measured.grouping.widths)),
                          scores.scores.values()[i], has_label ? settings.number("label_weight") : 1.0});
  }
  // The L1 error of a count is sqrt(2/pi) of its noise.
  const double cost = settings.number("caution") * std::sqrt(2.0 / M_PI) * count_sigma(pair_noise, 1, ledger.promise());
  const SetChoice choice = choose_sets(candidates, cost, candidates.size());
  if (choice.picked.empty()) return measured;
  std::vector<Marginals::Weighted> chosen;
  std::vector<FieldSet> fields;
  for (std::size_t k = 0; k < choice.picked.size(); ++k) {
    fields.push_back(candidates[choice.picked[k]].fields);
    chosen.push_back({fields.back(), std::sqrt(choice.shares[k])});
  }
  const Marginals map(measured.grouping, chosen);
  append(ledger.noisy_counts(table, map, {.noise = pair_noise, .label = "counts of the chosen pairs"}, threads),
         map.slots(), fields, measured.list);
  if (!outline.rows) measured.rows = total_rows(measured.list);
  return measured;
}

ProductMixture train(const Measurements& measured, const Settings& settings, std::uint64_t seed, ThreadPool& threads,
                     const TrainingWatch& watch) {
  const MixtureOptions options{.components = settings.whole("components"),
                               .steps = settings.whole("steps"),
                               .rate = settings.number("rate"),
                               .stop = settings.number("stop"),
                               .seed = seed};
  return fit_mixture(measured, options, threads,
                     [&](int step, double residual) { return watch({step, options.steps, residual}); });
}

}  // namespace

Method pairwise_method() {
  return {
      {"pairwise",
       "chosen pairs of columns, followed by a mixture of products; the default for tables",
       "Three Gaussian releases: counts of each column, one score a pair, counts of the chosen pairs. A row adds one "
       "to one count of each histogram, so the norms are known exactly.",
       {{"singles", 0.35, 0.01, 0.98, false, "share of the budget for the counts of each column"},
        {"scores", 0.05, 0.01, 0.5, false, "share of the budget for the choice of pairs"},
        {"merge", 3.0, 0.0, 100.0, false, "states below so many sigmas are counted together"},
        {"caution", 1.0, 0.01, 100.0, false, "above 1 fewer pairs are chosen, below 1 more"},
        {"label_weight", 1.0, 0.01, 100.0, false, "how much pairs with the target matter"},
        {"components", 1000, 1, 100000, true, "of the mixture"},
        {"steps", 600, 1, 1000000, true, "of training, at most"},
        {"rate", 0.1, 1e-6, 10.0, false, "of Adam"},
        {"stop", 1.0, 0.0, 100.0, false, "mean squared residual at which only noise is left"}}},
      plan,
      release,
      train};
}

}  // namespace sosia
