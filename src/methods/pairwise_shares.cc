// SPDX-License-Identifier: Apache-2.0
#include "methods/pairwise_shares.h"

#include <algorithm>
#include <cmath>

#include "methods/label_star.h"
#include "methods/pick_rule.h"
#include "privacy/lattice.h"

namespace sosia {

namespace {

constexpr std::size_t kMostFields = 32;  // more have more triples than can be looked at in reasonable time
constexpr double kScoresOfSecond = 0.1;  // of the second round's share
constexpr double kSmallTriples = 15.0;   // the median triple has at most so many times the cells that can be told apart
constexpr double kPairsAScore = 4.0;     // of more, a star is spread too thin over columns that are chosen better
constexpr double kSeenWithShare = 0.02;  // scores of this share must be told from 0
constexpr double kLeastSingles = 0.1;    // of the budget, where most is for picks

/// Whether a second round can be expected to pay.
bool has_second_round(const Outline& outline, double mu, double rows, const Settings& settings) {
  const std::vector<std::uint32_t>& widths = outline.widths;
  const std::size_t d = widths.size();
  if (outline.target || d < 3 || d > kMostFields || !std::isfinite(mu)) return false;
  std::vector<double> cells;
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      for (std::size_t k = 0; k < j; ++k) cells.push_back(static_cast<double>(widths[i]) * widths[j] * widths[k]);
    }
  }
  const std::size_t pairs = d * (d - 1) / 2;
  const auto scores = static_cast<double>(cells.size() + pairs);
  if (std::sqrt(scores) / (mu * std::sqrt(kSeenWithShare)) > rows) return false;
  const auto middle = cells.begin() + static_cast<std::ptrdiff_t>(cells.size() / 2);
  std::nth_element(cells.begin(), middle, cells.end());
  return *middle <= kSmallTriples * most_cells(mu, rows, d, settings);
}

/// Columns that are worth being counted with the label, if there are such. Single columns get twice what the classes
/// alone would need: half of it is for the label.
PairwiseShares shares_with_picks(const Outline& outline, double mu, double rows, double row_share, Neighbors relation,
                                 const Settings& settings) {
  const std::size_t columns = outline.widths.size() - 1;
  const PickShares of = pick_shares(relation);
  const int given = settings.whole("picks");
  const int picked = given > 0 ? std::min(given, static_cast<int>(columns))
                               : columns_worth_picking(mu * std::sqrt(of.picks), rows, columns, relation);
  if (picked == 0) return {};
  const double singles = std::max(kLeastSingles, 2.0 * of.classes);
  return {.singles = singles, .counts = 1.0 - row_share - singles - of.picks, .picks = of.picks, .picked = picked};
}

}  // namespace

double count_mu(const Ledger& ledger) { return 1.0 / count_sigma(ledger.noise_for_share(1.0), 1, ledger.promise()); }

double most_cells(double mu, double rows, std::size_t fields, const Settings& settings) {
  const double seen = std::min(mu, kSharpest) * rows / std::sqrt(static_cast<double>(fields));
  const double cap = settings.number("fineness") * std::cbrt(seen);
  return std::max(4.0, cap * cap);
}

double most_scores(double mu, double rows, const Settings& settings) {
  const double seen = 0.1 * std::min(mu, kSharpest) * rows;
  return std::max(500.0, seen * seen * settings.number("scores"));
}

PairwiseShares pairwise_shares(const Outline& outline, double mu, double rows, double row_share, Neighbors relation,
                               const Settings& settings) {
  const std::vector<std::uint32_t>& widths = outline.widths;
  const double most = most_cells(mu, rows, widths.size(), settings);
  double singles = 0.0, pairs = 0.0, count = 0.0;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    singles += std::pow(widths[i], 2.0 / 3.0);
    for (std::size_t j = 0; j < i; ++j, count += 1.0) {
      pairs += std::pow(std::min(most, static_cast<double>(widths[i]) * widths[j]), 2.0 / 3.0);
    }
  }
  const StarShape star = star_shape(outline, std::min(mu, kSharpest), rows);
  const bool may_pick = settings.whole("picks") > 0;
  if (star.is_all && !may_pick) return {.star = 1.0 - row_share, .star_values = star.values};
  const double scored = std::min(count, most_scores(mu, rows, settings));
  const bool drown = std::sqrt(scored) / (mu * std::sqrt(settings.number("scores"))) > rows;
  if (outline.target && count > 0.0 && (drown || may_pick)) {
    const PairwiseShares shares = shares_with_picks(outline, mu, rows, row_share, relation, settings);
    if (shares.picked > 0) return shares;
  }
  if (count == 0.0 || drown) return {.singles = 1.0 - row_share};
  const double single_error = 2.0 * std::pow(singles, 1.5) / static_cast<double>(widths.size());
  const double all_pairs = settings.number("pair_weight") * std::pow(pairs, 1.5) / count;
  const double can_be_seen = std::pow(std::min(1.0, most_scores(mu, rows, settings) / count), 0.75);
  const double pair_error = std::max(1e-9, std::min(all_pairs, 0.2 * mu * rows) * can_be_seen);
  const double ratio = std::pow(single_error / pair_error, 2.0 / 3.0);
  const double scores = settings.number("scores"), largest = std::min(0.75, 0.9 * (1.0 - scores - row_share));
  PairwiseShares shares{.singles = std::clamp(ratio / (1.0 + ratio), 0.05, largest), .scores = scores};
  const double rest = 1.0 - shares.singles - shares.scores - row_share;
  const double second = has_second_round(outline, mu, rows, settings) ? rest * settings.number("second_round") : 0.0;
  // Without noise that matters a star takes nothing from pairs.
  const double pairs_a_score = count / most_scores(mu, rows, settings);
  const bool has_star = star.share > 0.0 && (pairs_a_score <= kPairsAScore || mu > kSharpest);
  shares.in_classes = has_star && pairs_a_score > 1.0;
  shares.star = has_star ? star.share * (rest - second) : 0.0;
  // What pairs are held against has to be as fine as they are.
  const double as_fine = shares.in_classes ? most / widths[static_cast<std::size_t>(*outline.target)] : 0.0;
  shares.star_values = std::max(star.values, as_fine);
  shares.counts = rest - second - shares.star;
  shares.second_scores = kScoresOfSecond * second;
  shares.second_counts = second - shares.second_scores;
  return shares;
}

}  // namespace sosia
