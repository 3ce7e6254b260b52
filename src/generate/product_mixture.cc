// SPDX-License-Identifier: Apache-2.0
#include "generate/product_mixture.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <sosia/error.h>

#include "base/check.h"
#include "generate/row_edits.h"
#include "random/public_rng.h"

namespace sosia {

namespace {

constexpr int kSweeps = 6;

template <class T>
void shuffle(std::vector<T>& list, std::size_t first, std::size_t end, PublicRng& rng) {
  for (std::size_t i = end; i-- > first + 1;) {
    const auto j =
        first + static_cast<std::size_t>((static_cast<std::uint64_t>(rng.next_u32()) * (i - first + 1)) >> 32);
    std::swap(list[i], list[j]);
  }
}

/// `count` draws from a distribution, as evenly as can be: each outcome comes its expected number of times, rounded up
/// or down. In the order of the outcomes.
template <class Share>
void draw_evenly(std::size_t outcomes, const Share& share, std::size_t count, double start, std::uint32_t* out) {
  double below = 0.0;
  std::size_t drawn = 0;
  for (std::size_t s = 0; s < outcomes && drawn < count; ++s) {
    below += static_cast<double>(share(s)) * static_cast<double>(count);
    while (drawn < count && static_cast<double>(drawn) + start < below) out[drawn++] = static_cast<std::uint32_t>(s);
  }
  // Rounding may leave some at the end: the last outcome that is possible at all.
  std::size_t last = outcomes - 1;
  while (last > 0 && !(share(last) > 0)) --last;
  while (drawn < count) out[drawn++] = static_cast<std::uint32_t>(last);
}

}  // namespace

ProductMixture::ProductMixture(std::vector<View> views, std::size_t fields, std::vector<std::vector<float>> spread,
                               std::vector<float> probabilities, std::vector<ViewSet> kept)
    : views_(std::move(views)),
      fields_(fields),
      spread_(std::move(spread)),
      probabilities_(std::move(probabilities)),
      kept_(std::move(kept)) {
  for (std::size_t f = 0; f < fields_; ++f) {
    widths_.push_back(static_cast<std::uint32_t>(views_[f].group.size()));
    first_.push_back(total_width_);
    total_width_ += views_[f].width;
  }
  SOSIA_CHECK(total_width_ > 0 && probabilities_.size() % total_width_ == 0, "a mixture has whole components");
  components_ = probabilities_.size() / total_width_;
  SOSIA_CHECK(components_ > 0 && spread_.size() == fields_, "a mixture has components and a spread");
  for (const View& view : views_) {
    coarser_.push_back(coarser_group(views_[static_cast<std::size_t>(view.field)], view));
  }
  for (const ViewSet& set : kept_) kept_shares_.push_back(marginal(set));
}

std::vector<double> ProductMixture::component_weights(const Condition& condition) const {
  std::vector<double> weights(components_, 1.0);
  Condition known = condition;
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  for (std::size_t k = 0; k < known.size(); ++k) {
    const auto f = static_cast<std::size_t>(known[k].first);
    const std::uint32_t state = known[k].second;
    SOSIA_CHECK(f < fields_ && state < widths_[f], "a condition is on a state that the model does not have");
    const bool is_possible = k == 0 || known[k - 1].first != known[k].first;  // no field has two states
    for (std::size_t c = 0; c < components_; ++c)
      weights[c] *= is_possible ? static_cast<double>(block_of(c, f)[views_[f].group[state]]) : 0.0;
  }
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (!(total > 0.0)) {
    throw Error(ErrorKind::usage, "the model gives no chance to rows like that", "the condition of a sample",
                "ask for values that occur together");
  }
  for (double& weight : weights) weight /= total;
  return weights;
}

void ProductMixture::draw_groups(const std::vector<double>& weights, PublicRng& rng, Groups& groups) const {
  const std::size_t rows = groups.front().size();
  std::vector<std::uint32_t> component(rows);
  draw_evenly(components_, [&](std::size_t c) { return weights[c]; }, rows, rng.uniform(), component.data());
  for (std::size_t f = 0; f < fields_; ++f) {
    for (std::size_t first = 0, end = 0; first < rows; first = end) {
      while (end < rows && component[end] == component[first]) ++end;
      const float* const shares = block_of(component[first], f);
      draw_evenly(
          views_[f].width, [&](std::size_t s) { return shares[s]; }, end - first, rng.uniform(),
          groups[f].data() + first);
      shuffle(groups[f], first, end, rng);
    }
  }
}

void ProductMixture::follow_marginals(PublicRng& rng, Groups& groups) const {
  RowEdits edits(groups);
  for (std::size_t k = 0; k < kept_.size(); ++k) {
    std::vector<RowEdits::Part> parts;
    for (const int view : kept_[k]) {
      const auto v = static_cast<std::size_t>(view);
      parts.push_back({static_cast<std::size_t>(views_[v].field), views_[v].width, coarser_[v]});
    }
    edits.keep(parts, kept_shares_[k]);
  }
  edits.run(kSweeps, rng);
}

/// From groups to single states, as evenly as can be.
void ProductMixture::spread_groups(const Groups& groups, PublicRng& rng, MatrixView<float> rows) const {
  for (std::size_t f = 0; f < fields_; ++f) {
    std::vector<std::vector<std::uint32_t>> rows_of(views_[f].width), states_of(views_[f].width);
    for (std::uint32_t s = 0; s < widths_[f]; ++s) states_of[views_[f].group[s]].push_back(s);
    for (std::size_t r = 0; r < rows.rows; ++r) rows_of[groups[f][r]].push_back(static_cast<std::uint32_t>(r));
    for (std::size_t g = 0; g < rows_of.size(); ++g) {
      const std::vector<std::uint32_t>& states = states_of[g];
      if (rows_of[g].empty() || states.empty()) continue;
      double total = 0.0;
      for (const std::uint32_t s : states) total += static_cast<double>(spread_[f][s]);
      const auto share = [&](std::size_t i) {
        return total > 0.0 ? static_cast<double>(spread_[f][states[i]]) / total
                           : 1.0 / static_cast<double>(states.size());
      };
      std::vector<std::uint32_t> drawn(rows_of[g].size());
      draw_evenly(states.size(), share, drawn.size(), rng.uniform(), drawn.data());
      shuffle(drawn, 0, drawn.size(), rng);
      for (std::size_t i = 0; i < drawn.size(); ++i) rows.row(rows_of[g][i])[f] = static_cast<float>(states[drawn[i]]);
    }
  }
}

void ProductMixture::sample(std::uint64_t seed, std::uint64_t block, const Condition& condition,
                            MatrixView<float> rows) const {
  if (rows.rows == 0) return;
  PublicRng rng(seed, block);
  Groups groups(fields_, std::vector<std::uint32_t>(rows.rows));
  draw_groups(component_weights(condition), rng, groups);
  if (condition.empty()) follow_marginals(rng, groups);
  std::vector<std::uint32_t> order(rows.rows), moved(rows.rows);  // rows of a component must not stand together
  std::iota(order.begin(), order.end(), 0U);
  shuffle(order, 0, order.size(), rng);
  for (std::vector<std::uint32_t>& column : groups) {
    for (std::size_t r = 0; r < rows.rows; ++r) moved[r] = column[order[r]];
    column.swap(moved);
  }
  spread_groups(groups, rng, rows);
  for (const auto& [field, state] : condition) {
    for (std::size_t r = 0; r < rows.rows; ++r)
      rows.row(r)[static_cast<std::size_t>(field)] = static_cast<float>(state);
  }
}

std::vector<double> ProductMixture::marginal(const ViewSet& set) const {
  std::vector<double> shares(cells_of(set, views_)), product, next, block;
  for (std::size_t c = 0; c < components_; ++c) {
    product.assign(1, 1.0 / static_cast<double>(components_));
    for (const int view : set) {
      const auto v = static_cast<std::size_t>(view);
      const auto f = static_cast<std::size_t>(views_[v].field);
      block.assign(views_[v].width, 0.0);
      for (std::size_t g = 0; g < views_[f].width; ++g) block[coarser_[v][g]] += static_cast<double>(block_of(c, f)[g]);
      next.clear();
      for (const double value : product) {
        for (const double share : block) next.push_back(value * share);
      }
      product.swap(next);
    }
    for (std::size_t i = 0; i < shares.size(); ++i) shares[i] += product[i];
  }
  return shares;
}

}  // namespace sosia
