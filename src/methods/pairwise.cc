// SPDX-License-Identifier: Apache-2.0
// Sets of columns that matter, chosen privately, and a mixture of products that follows them.
//
// Claim. Up to seven releases, all Gaussian, each a sum over rows of a vector of known norm:
//   0. the number of rows, unless it is declared: norm 1;
//   1. counts of each field, field f with weight w_f: norm sqrt(sum of w^2) = 1;
//   2. one score a pair, or with a label one for the pair in all classes: the L1 distance of its counts from what
//      independence says. A row moves a score by at most 1, so all of them by sqrt(scores) in L2 (privacy/scores.h);
//   3. counts of the chosen sets with weights: norm 1;
//   4. and 5., a second round: the same two again, for pairs and triples, against a model that was fitted to 0. to 3.
//      What a score is a distance from does not change how far a row can move it.
// With a label, counts of every column with it come ahead of 2., with weights, too: norm 1. Where there are more pairs
// than can be scored, 2. takes distances from a model that was fitted to these; where hundreds of columns drown, they
// are all that is released, and single columns are their sums (label_star.h).
// Each may depend on those before it; noise multipliers are shares of mu^2 fixed by public numbers and releases, and
// the ledger's Gaussian filter covers the order. Everything else, the model between the rounds included, is
// post-processing. Proofs in docs/methods/pairwise.md.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "features/marginals.h"
#include "generate/fit_mixture.h"
#include "methods/candidates.h"
#include "methods/clean_singles.h"
#include "methods/entries.h"
#include "methods/label_round.h"
#include "methods/label_star.h"
#include "methods/pairwise_shares.h"
#include "methods/set_choice.h"
#include "methods/single_counts.h"
#include "methods/view_ladder.h"
#include "privacy/lattice.h"

namespace sosia {

namespace {

constexpr std::uint32_t kFewValues = 4;          // of a column, told apart where columns are picked
constexpr double kRowShare = 0.002;              // of the budget, for the number of rows
constexpr std::uint64_t kSeedBetweenRounds = 1;  // the releases do not depend on the seed of the training

double row_share(const Outline& outline) { return outline.rows ? 0.0 : kRowShare; }

/// Weights whose squares are shares ~ cells^(2/3); where columns are picked by what they say about the label, half of
/// all is for the label itself: a class that is not seen cannot be learned.
std::vector<Marginals::Weighted> weighted_singles(const Outline& outline, bool has_picks) {
  std::vector<double> cost;
  for (const std::uint32_t width : outline.widths) cost.push_back(std::pow(width, 2.0 / 3.0));
  double total = std::accumulate(cost.begin(), cost.end(), 0.0);
  if (has_picks) {
    double& label = cost[static_cast<std::size_t>(*outline.target)];
    const double others = total - label;
    label = std::max(label, others);
    total = others + label;
  }
  std::vector<Marginals::Weighted> sets;
  for (std::size_t f = 0; f < cost.size(); ++f) sets.push_back({{static_cast<int>(f)}, std::sqrt(cost[f] / total)});
  return sets;
}

std::vector<PlannedRelease> plan(const Outline& outline, const Settings& settings, const Ledger& ledger) {
  const double rows = outline.rows.value_or(kRowsIfUnknown), mu = count_mu(ledger);
  const std::size_t d = outline.widths.size(), pairs = d * (d - 1) / 2;
  const PairwiseShares shares =
      pairwise_shares(outline, mu, rows, row_share(outline), ledger.promise().relation, settings);
  std::vector<PlannedRelease> list;
  const auto add = [&](const char* what, double share, std::size_t slots, std::size_t cells) {
    if (share == 0.0) return;
    const double noise = ledger.noise_for_share(share);
    list.push_back({what, static_cast<std::int64_t>(cells), noise, count_sigma(noise, slots, ledger.promise())});
  };
  std::size_t cells = 0;
  for (const std::uint32_t width : outline.widths) cells += width;
  const std::size_t scores = std::min(pairs, static_cast<std::size_t>(most_scores(mu, rows, settings)));
  const std::size_t sets = pairs + pairs * (d - 2) / 3;
  add("the number of rows", row_share(outline), 1, 1);
  add("counts of each column", shares.singles, d, cells);
  add("counts of every column with the label", shares.star, d - 1, 0);
  add("a score for each pair of columns", shares.scores, scores, scores);
  add("columns to be counted with the label", shares.picks, 1, static_cast<std::size_t>(shares.picked));
  add("counts of the chosen pairs", shares.counts, 1, 0);
  add("a score for each pair and triple", shares.second_scores, sets, sets);
  add("counts of the chosen sets", shares.second_counts, 1, 0);
  return list;
}

double count_rows(const PrivateTable& table, const Outline& outline, Ledger& ledger, ThreadPool& threads) {
  if (outline.rows) return *outline.rows;
  const View all{0, 1, std::vector<std::uint32_t>(outline.widths[0], 0)};
  const Release count =
      ledger.noisy_counts(table, Marginals({all}, {{{0}, 1.0}}),
                          {.noise = ledger.noise_for_share(kRowShare), .label = "the number of rows"}, threads);
  return std::max(1.0, count.values()[0]);
}

/// A private table, and what may be spent on it.
struct Source {
  const PrivateTable& table;
  Ledger& ledger;
  ThreadPool& threads;
  double whole_noise;  ///< the multiplier that would spend everything

  NoisySum release(double share, const char* label) const {
    return {.noise = whole_noise / std::sqrt(share), .label = label};
  }
  Picks picks(double share, int count) const {
    return {.count = count,
            .epsilon = std::min(1e6, epsilon_of_picks(whole_noise / std::sqrt(share), count)),
            .label = "columns to be counted with the label"};
  }
};

/// Noisy counts of every field, and the number of rows from them.
Measurements measure_singles(const Source& source, const Outline& outline, const PairwiseShares& shares, double rows) {
  Measurements measured;
  measured.rows = rows;
  measured.fields = outline.widths.size();
  measured.label = outline.target;
  for (int f = 0; f < static_cast<int>(measured.fields); ++f) {
    const std::uint32_t width = outline.widths[static_cast<std::size_t>(f)];
    measured.views.push_back(View::finest(f, width));
    measured.spread.emplace_back(width, 1.0F);
  }
  const std::vector<Marginals::Weighted> singles = weighted_singles(outline, shares.picks > 0.0);
  append(source.ledger.noisy_counts(source.table, Marginals(measured.views, singles),
                                    source.release(shares.singles, "counts of each column"), source.threads),
         singles, measured);
  if (!outline.rows) measured.rows = total_rows(measured.list);
  drop_unseen(outline, measured);
  return measured;
}

/// One round: a score for each candidate, then counts of those that are worth their noise. `caution`: sigmas that a
/// cell is reckoned to cost.
void measure_chosen(const Source& source, Candidates candidates, const NoisySum& of_scores, const NoisySum& of_counts,
                    double caution, Measurements& measured) {
  std::vector<Marginals::Weighted> sets, chosen;
  for (const Candidate& candidate : candidates.list) sets.push_back({candidate.views, 1.0});
  const Choice choice = source.ledger.private_choice(source.table, Marginals(measured.views, sets), candidates.expected,
                                                     static_cast<int>(sets.size()), of_scores, source.threads);
  for (std::size_t k = 0; k < sets.size(); ++k) candidates.list[k].gap += choice.scores.values()[k];
  const double sigma = std::max(1.0 / kSharpest, count_sigma(of_counts.noise, 1, source.ledger.promise()));
  const SetChoice worth = choose_sets(candidates.list, caution * sigma, sets.size());
  if (worth.picked.empty()) return;
  for (std::size_t k = 0; k < worth.picked.size(); ++k) {
    chosen.push_back({candidates.list[worth.picked[k]].views, std::sqrt(worth.shares[k])});
  }
  append(source.ledger.noisy_counts(source.table, Marginals(measured.views, chosen), of_counts, source.threads), chosen,
         measured);
}

MixtureOptions mixture_options(const Settings& settings, std::uint64_t seed) {
  return {.components = settings.whole("components"),
          .steps = settings.whole("steps"),
          .rate = settings.number("rate"),
          .stop = settings.number("stop"),
          .seed = seed};
}

ProductMixture fit_between_rounds(const Measurements& measured, const Settings& settings, ThreadPool& threads) {
  return fit_mixture(measured, mixture_options(settings, kSeedBetweenRounds), threads,
                     [](int /*step*/, double /*residual*/) { return true; });
}

Released release(const PrivateTable& table, const Outline& outline, const Settings& settings, Ledger& ledger,
                 ThreadPool& threads) {
  const double mu = count_mu(ledger), caution = settings.number(outline.target ? "label_caution" : "caution");
  const Source source{table, ledger, threads, ledger.noise_for_share(1.0)};
  const double rows = count_rows(table, outline, ledger, threads);
  const PairwiseShares shares =
      pairwise_shares(outline, mu, rows, row_share(outline), ledger.promise().relation, settings);
  const double most = most_cells(mu, rows, outline.widths.size(), settings);

  if (shares.singles == 0.0) {
    return star_alone({table, ledger, threads}, outline,
                      source.release(shares.star, "counts of every column with the label"));
  }

  Measurements measured = measure_singles(source, outline, shares, rows);
  const std::vector<std::uint32_t> ordered =
      clean_singles(measured, outline, settings.number("merge"), shares.picks > 0.0 ? kFewValues : 0);
  if (shares.counts == 0.0) return measured;

  const std::vector<std::vector<double>> single = positive_shares(measured);
  const ViewLadder ladder(measured, single, ordered);
  if (shares.picks > 0.0) {
    measure_with_label({table, ledger, threads}, *outline.target, ladder, most, single,
                       source.picks(shares.picks, shares.picked),
                       source.release(shares.counts, "counts of picked columns with the label"), measured);
    return measured;
  }
  if (shares.star > 0.0) {
    measure_star({table, ledger, threads}, *outline.target, ladder, shares.star_values,
                 source.release(shares.star, "counts of every column with the label"), measured);
  }
  const double scores = most_scores(mu, measured.rows, settings);
  measure_chosen(source,
                 shares.in_classes ? pairs_in_classes(*outline.target, fit_between_rounds(measured, settings, threads),
                                                      measured, ladder, single, most, scores, threads)
                                   : pairs_against_independence(outline, measured, ladder, single, most, scores),
                 source.release(shares.scores, "a score for each pair"),
                 source.release(shares.counts, "counts of the chosen pairs"), caution, measured);
  if (shares.second_counts == 0.0) return measured;

  const ProductMixture model = fit_between_rounds(measured, settings, threads);
  measure_chosen(source, sets_against_model(model, measured, ladder, most, threads),
                 source.release(shares.second_scores, "a score for each pair and triple"),
                 source.release(shares.second_counts, "counts of the chosen sets"), caution, measured);
  return measured;
}

std::shared_ptr<const Generator> train(const Released& released, const Training& training) {
  const MixtureOptions options = mixture_options(training.settings, training.seed);
  return std::make_shared<const ProductMixture>(
      fit_mixture(std::get<Measurements>(released), options, training.threads,
                  [&](int step, double residual) { return training.watch({step, options.steps, residual}); }));
}

}  // namespace

Method pairwise_method() {
  return {
      {"pairwise",
       "chosen pairs of columns, followed by a mixture of products; the default for tables",
       "Gaussian releases of the number of rows, counts of each column, with a target of each column beside it, one "
       "score a pair, and counts of the chosen pairs; where it pays, the same once more for the pairs and triples that "
       "a model of these misses. A row adds to "
       "one count of each histogram, so the norms are known exactly.",
       {{"scores", 0.03, 0.001, 0.5, false, "share of the budget for the choice of pairs"},
        {"pair_weight", 0.5, 0.001, 1000.0, false, "above: more of the budget for pairs, less for single columns"},
        {"merge", 1.5, 0.0, 100.0, false, "states below so many sigmas are counted together"},
        {"fineness", 1.25, 0.1, 100.0, false, "above: pairs are counted in more cells"},
        {"caution", 0.35, 0.01, 100.0, false, "above: fewer pairs are chosen"},
        {"label_caution", 0.5, 0.01, 100.0, false, "the same where there is a target"},
        {"second_round", 0.3, 0.0, 0.9, false, "share of the counts' budget for a second round, where there is one"},
        {"picks", 0, 0, 10000, true, "columns to be picked for counting with the label; 0: by the number of rows"},
        {"components", 1000, 1, 100000, true, "of the mixture"},
        {"steps", 1000, 1, 1000000, true, "of training, at most"},
        {"rate", 0.05, 1e-6, 10.0, false, "of Adam"},
        {"stop", 0.9, 0.0, 100.0, false, "mean squared residual at which training ends; 1 is what noise explains"}}},
      NumberCoding::bins,
      plan,
      release,
      train};
}

}  // namespace sosia
