// SPDX-License-Identifier: Apache-2.0
// Pairs of columns that matter, chosen privately, and a mixture of products that follows them.
//
// Claim. Up to four releases, all Gaussian, each a sum over rows of a vector of known norm:
//   0. the number of rows, unless it is declared: norm 1;
//   1. counts of each field, field f with weight w_f: norm sqrt(sum of w^2) = 1;
//   2. one score a pair, or with a label one for the pair in all classes: the L1 distance of its counts from what
//      independence says. A row moves a score by at most 1, so all of them by sqrt(scores) in L2 (privacy/scores.h);
//   3. counts of the chosen sets with weights: norm 1.
// Each may depend on those before it; noise multipliers are shares of mu^2 fixed by public numbers and releases, and
// the ledger's Gaussian filter covers the order. Everything else is post-processing. Proofs in
// docs/methods/pairwise.md.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "features/marginals.h"
#include "methods/clean_counts.h"
#include "methods/entries.h"
#include "methods/set_choice.h"
#include "methods/single_counts.h"
#include "methods/view_ladder.h"

namespace sosia {

namespace {

constexpr double kRowShare = 0.002;         // of the budget, for the number of rows
constexpr std::uint32_t kMostClasses = 16;  // of the label, told apart in a pair's counts
constexpr double kSmoothing = 1.0;
constexpr std::uint32_t kLeastToSmooth = 8;

/// mu of counts to which a row adds 1: the budget as the number of rows that it blurs.
double count_mu(const Ledger& ledger) { return 1.0 / count_sigma(ledger.noise_for_share(1.0), 1, ledger.promise()); }

/// More cells than this in a pair would each hold less than the noise.
double most_cells(double mu, double rows, std::size_t fields, const Settings& settings) {
  const double cap = settings.number("fineness") * std::cbrt(mu * rows / std::sqrt(static_cast<double>(fields)));
  return std::max(4.0, cap * cap);
}

struct Shares {
  double singles, scores, pairs;
};

/// More scores than this would each drown in the noise.
double most_scores(double mu, double rows, const Settings& settings) {
  const double seen = 0.1 * mu * rows;
  return std::max(500.0, seen * seen * settings.number("scores"));
}

/// Singles against pairs so that the sum of their errors is least, if all were measured with shares ~ cells^(2/3).
Shares shares_of(const Outline& outline, double mu, double rows, const Settings& settings) {
  const std::vector<std::uint32_t>& widths = outline.widths;
  const double most = most_cells(mu, rows, widths.size(), settings);
  double singles = 0.0, pairs = 0.0, count = 0.0;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    singles += std::pow(widths[i], 2.0 / 3.0);
    for (std::size_t j = 0; j < i; ++j, count += 1.0) {
      pairs += std::pow(std::min(most, static_cast<double>(widths[i]) * widths[j]), 2.0 / 3.0);
    }
  }
  const double single_error = 2.0 * std::pow(singles, 1.5) / static_cast<double>(widths.size());
  const double all_pairs = settings.number("pair_weight") * std::pow(pairs, 1.5) / std::max(count, 1.0);
  const double can_be_seen = std::pow(std::min(1.0, most_scores(mu, rows, settings) / std::max(count, 1.0)), 0.75);
  const double pair_error = std::max(1e-9, std::min(all_pairs, 0.2 * mu * rows) * can_be_seen);
  const double ratio = std::pow(single_error / pair_error, 2.0 / 3.0);
  const double scores = settings.number("scores"), row_share = outline.rows ? 0.0 : kRowShare;
  if (count == 0.0) return {1.0 - row_share, 0.0, 0.0};
  const double of_singles = std::clamp(ratio / (1.0 + ratio), 0.05, 0.75);
  return {of_singles, scores, 1.0 - of_singles - scores - row_share};
}

std::vector<Marginals::Weighted> weighted_singles(const Outline& outline) {
  double total = 0.0;
  for (const std::uint32_t width : outline.widths) total += std::pow(width, 2.0 / 3.0);
  std::vector<Marginals::Weighted> sets;
  for (int f = 0; f < static_cast<int>(outline.widths.size()); ++f) {
    sets.push_back({{f}, std::sqrt(std::pow(outline.widths[static_cast<std::size_t>(f)], 2.0 / 3.0) / total)});
  }
  return sets;
}

std::vector<PlannedRelease> plan(const Outline& outline, const Settings& settings, const Ledger& ledger) {
  const double rows = outline.rows.value_or(kRowsIfUnknown);
  const std::size_t fields = outline.widths.size();
  const auto most = static_cast<std::size_t>(most_scores(count_mu(ledger), rows, settings));
  const std::size_t pairs = std::min(fields * (fields - 1) / 2, most);
  const Shares shares = shares_of(outline, count_mu(ledger), rows, settings);
  const auto row = [&](const char* what, double share, std::size_t slots, std::int64_t cells) {
    const double noise = ledger.noise_for_share(share);
    return PlannedRelease{what, cells, noise, count_sigma(noise, slots, ledger.promise())};
  };
  std::int64_t cells = 0;
  for (const std::uint32_t width : outline.widths) cells += width;
  std::vector<PlannedRelease> list;
  if (!outline.rows) list.push_back(row("the number of rows", kRowShare, 1, 1));
  list.push_back(row("counts of each column", shares.singles, fields, cells));
  if (pairs == 0) return list;
  list.push_back(row("a score for each pair of columns", shares.scores, pairs, static_cast<std::int64_t>(pairs)));
  list.push_back(row("counts of the chosen pairs", shares.pairs, 1, 0));
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

/// Smooths the singles, tells apart what noise lets tell apart, and says how many groups of each field stand in order.
std::vector<std::uint32_t> clean_singles(Measurements& measured, const Outline& outline, double least) {
  std::vector<std::uint32_t> ordered_groups;
  for (std::size_t f = 0; f < measured.fields; ++f) {
    Measurement& known = measured.list[f];
    const std::uint32_t ordered = outline.ordered[f];
    std::vector<double> counts = known.counts;
    if (ordered >= kLeastToSmooth) {
      const auto smoothed = smooth(std::span(counts).first(ordered), known.sigma, kSmoothing);
      std::copy(smoothed.begin(), smoothed.end(), counts.begin());
    }
    std::vector<double> plausible = on_simplex(counts, measured.rows);
    std::vector<double> evidence = known.counts;
    std::copy_n(plausible.begin(), ordered, evidence.begin());
    View& view = measured.views[f];
    view.group = group_states(evidence, ordered, known.sigma, least);
    view.width = *std::max_element(view.group.begin(), view.group.end()) + 1;
    std::vector<double> grouped(view.width), members(view.width);
    std::uint32_t in_order = 0;
    for (std::size_t s = 0; s < counts.size(); ++s) {
      grouped[view.group[s]] += counts[s];
      members[view.group[s]] += 1.0;
      measured.spread[f][s] = static_cast<float>(std::max(s < ordered ? plausible[s] : known.counts[s], 0.0));
      if (s < ordered) in_order = std::max(in_order, view.group[s] + 1);
    }
    known.counts = on_simplex(grouped, measured.rows);
    known.cell_sigma.clear();
    for (const double count : members) known.cell_sigma.push_back(known.sigma * std::sqrt(count));
    ordered_groups.push_back(in_order);
  }
  return ordered_groups;
}

/// Shares of the groups of each field, none of them 0.
std::vector<std::vector<double>> positive_shares(const Measurements& measured) {
  std::vector<std::vector<double>> shares = single_shares(measured);
  for (std::vector<double>& field : shares) {
    double total = 0.0;
    for (double& share : field) total += share = std::max(share, 0.5 / measured.rows);
    for (double& share : field) share /= total;
  }
  return shares;
}

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

/// Pairs that could be measured. With a label, a pair is looked at in all its classes, and the label with each field by
/// itself; where there are too many pairs for that, those of fields that vary most.
std::vector<ViewSet> candidate_sets(const Outline& outline, const ViewLadder& ladder,
                                    const std::vector<std::vector<double>>& shares, double most_cells_of_pair,
                                    double most_candidates) {
  const int fields = static_cast<int>(outline.widths.size()), label = outline.target.value_or(-1);
  const double pairs = 0.5 * fields * (fields - 1);
  const bool by_class = label >= 0 && pairs <= most_candidates;
  std::vector<std::pair<double, ViewSet>> ranked;
  const auto varies = [&](int f) {
    const auto& field = shares[static_cast<std::size_t>(f)];
    return 1.0 - *std::max_element(field.begin(), field.end());
  };
  for (int i = 0; i < fields; ++i) {
    for (int j = i + 1; j < fields; ++j) {
      const bool has_label = i == label || j == label;
      ViewSet set = ladder.fitting({i, j}, most_cells_of_pair);
      if (by_class && !has_label) set = ladder.with(set, label, kMostClasses);
      ranked.emplace_back(has_label ? 2.0 : std::min(varies(i), varies(j)), std::move(set));
    }
  }
  std::sort(ranked.begin(), ranked.end(),
            [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  if (static_cast<double>(ranked.size()) > most_candidates) ranked.resize(static_cast<std::size_t>(most_candidates));
  std::vector<ViewSet> sets;
  for (auto& [rank, set] : ranked) sets.push_back(std::move(set));
  return sets;
}

Released release(const PrivateTable& table, const Outline& outline, const Settings& settings, Ledger& ledger,
                 ThreadPool& threads) {
  const double mu = count_mu(ledger);
  const std::size_t fields = outline.widths.size();
  const double whole_noise = ledger.noise_for_share(1.0);
  const auto noise_of = [&](double share) { return whole_noise / std::sqrt(share); };
  Measurements measured;
  measured.rows = count_rows(table, outline, ledger, threads);
  const double most = most_cells(mu, measured.rows, fields, settings);
  const Shares shares = shares_of(outline, mu, measured.rows, settings);
  const bool has_pairs = fields > 1;
  measured.fields = fields;
  measured.label = outline.target;
  for (int f = 0; f < static_cast<int>(fields); ++f) {
    const std::uint32_t width = outline.widths[static_cast<std::size_t>(f)];
    measured.views.push_back(View::finest(f, width));
    measured.spread.emplace_back(width, 1.0F);
  }
  const std::vector<Marginals::Weighted> singles = weighted_singles(outline);
  append(ledger.noisy_counts(table, Marginals(measured.views, singles),
                             {.noise = noise_of(shares.singles), .label = "counts of each column"}, threads),
         singles, measured);
  if (!outline.rows) measured.rows = total_rows(measured.list);
  drop_unseen(outline, measured);
  const std::vector<std::uint32_t> ordered = clean_singles(measured, outline, settings.number("merge"));
  if (!has_pairs) return measured;

  const std::vector<std::vector<double>> single = positive_shares(measured);
  const ViewLadder ladder(measured, single, ordered);
  const std::vector<ViewShares> known = view_shares(measured, single);
  std::vector<Candidate> candidates;
  std::vector<Marginals::Weighted> sets;
  std::vector<double> expected;
  for (const ViewSet& set : candidate_sets(outline, ladder, single, most, most_scores(mu, measured.rows, settings))) {
    const double chance = independent_counts(set, known, measured.rows, expected);
    candidates.push_back({set, static_cast<double>(cells_of(set, measured.views)), -chance, 1.0});
    sets.push_back({set, 1.0});
  }
  const Choice scores =
      ledger.private_choice(table, Marginals(measured.views, sets), expected, static_cast<int>(sets.size()),
                            {.noise = noise_of(shares.scores), .label = "a score for each pair"}, threads);
  for (std::size_t k = 0; k < candidates.size(); ++k) candidates[k].gap += scores.scores.values()[k];
  const double caution = settings.number(outline.target ? "label_caution" : "caution");
  const double cost = caution * count_sigma(noise_of(shares.pairs), 1, ledger.promise());
  const SetChoice choice = choose_sets(candidates, cost, candidates.size());
  if (choice.picked.empty()) return measured;
  std::vector<Marginals::Weighted> chosen;
  for (std::size_t k = 0; k < choice.picked.size(); ++k) {
    chosen.push_back({candidates[choice.picked[k]].views, std::sqrt(choice.shares[k])});
  }
  append(ledger.noisy_counts(table, Marginals(measured.views, chosen),
                             {.noise = noise_of(shares.pairs), .label = "counts of the chosen pairs"}, threads),
         chosen, measured);
  return measured;
}

std::shared_ptr<const Generator> train(const Released& released, const Training& training) {
  const Settings& settings = training.settings;
  const MixtureOptions options{.components = settings.whole("components"),
                               .steps = settings.whole("steps"),
                               .rate = settings.number("rate"),
                               .stop = settings.number("stop"),
                               .seed = training.seed};
  return std::make_shared<const ProductMixture>(
      fit_mixture(std::get<Measurements>(released), options, training.threads,
                  [&](int step, double residual) { return training.watch({step, options.steps, residual}); }));
}

}  // namespace

Method pairwise_method() {
  return {
      {"pairwise",
       "chosen pairs of columns, followed by a mixture of products; the default for tables",
       "Gaussian releases of the number of rows, counts of each column, one score a pair, and counts of the chosen "
       "pairs. A row adds to one count of each histogram, so the norms are known exactly.",
       {{"scores", 0.03, 0.001, 0.5, false, "share of the budget for the choice of pairs"},
        {"pair_weight", 0.5, 0.001, 1000.0, false, "above: more of the budget for pairs, less for single columns"},
        {"merge", 1.5, 0.0, 100.0, false, "states below so many sigmas are counted together"},
        {"fineness", 1.25, 0.1, 100.0, false, "above: pairs are counted in more cells"},
        {"caution", 0.35, 0.01, 100.0, false, "above: fewer pairs are chosen"},
        {"label_caution", 0.5, 0.01, 100.0, false, "the same where there is a target"},
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
