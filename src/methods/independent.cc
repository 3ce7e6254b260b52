// SPDX-License-Identifier: Apache-2.0
// Every field by itself: what can be had without looking at two columns together. The honest baseline.
//
// Claim: one Gaussian release. A row adds one to one cell of each field's histogram, a vector of norm sqrt(fields).
#include "methods/entries.h"
#include "methods/single_counts.h"
#include "privacy/lattice.h"

namespace sosia {

namespace {

std::vector<PlannedRelease> plan(const Outline& outline, const Settings& /*settings*/, const Ledger& ledger) {
  const double noise = ledger.noise_for_share(1.0);
  std::int64_t cells = 0;
  for (const std::uint32_t width : outline.widths) cells += width;
  return {{"counts of each column", cells, noise, count_sigma(noise, outline.widths.size(), ledger.promise())}};
}

Released release(const PrivateTable& table, const Outline& outline, const Settings& /*settings*/, Ledger& ledger,
                 ThreadPool& threads) {
  const NoisySum how{.noise = ledger.noise_for_share(1.0), .label = "counts of each column"};
  Measurements measured = single_counts(table, outline, how, ledger, threads);
  drop_unseen(outline, measured);
  return measured;
}

std::shared_ptr<const Generator> train(const Released& released, const Training& training) {
  const auto& measured = std::get<Measurements>(released);
  std::vector<float> probabilities;
  for (const std::vector<double>& field : single_shares(measured)) {
    for (const double share : field) probabilities.push_back(static_cast<float>(share));
  }
  training.watch({1, 1, 0.0});
  return std::make_shared<const ProductMixture>(measured.views, measured.fields, measured.spread,
                                                std::move(probabilities), std::vector<ViewSet>{});
}

}  // namespace

Method independent_method() {
  return {
      {"independent",
       "noisy counts of each column, columns independent of each other",
       "One Gaussian release of all one-column counts: a row adds one to one count of each of d columns, a vector of "
       "norm sqrt(d). Nothing is learned of how columns depend on each other.",
       {}},
      NumberCoding::bins,
      plan,
      release,
      train};
}

}  // namespace sosia
