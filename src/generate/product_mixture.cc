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

ProductMixture::ProductMixture(Grouping grouping, std::vector<std::vector<float>> spread,
                               std::vector<float> probabilities, std::vector<FieldSet> kept)
    : grouping_(std::move(grouping)),
      spread_(std::move(spread)),
      probabilities_(std::move(probabilities)),
      kept_(std::move(kept)) {
  for (const auto& groups : grouping_.groups) widths_.push_back(static_cast<std::uint32_t>(groups.size()));
  for (const std::uint32_t width : grouping_.widths) {
    first_.push_back(total_width_);
    total_width_ += width;
  }
  SOSIA_CHECK(total_width_ > 0 && probabilities_.size() % total_width_ == 0, "a mixture has whole components");
  components_ = probabilities_.size() / total_width_;
  SOSIA_CHECK(components_ > 0 && spread_.size() == widths_.size(), "a mixture has components and a spread");
}

std::vector<double> ProductMixture::component_weights(const Condition& condition) const {
  std::vector<double> weights(components_, 1.0);
  for (const auto& [field, state] : condition) {
    const auto f = static_cast<std::size_t>(field);
    for (std::size_t c = 0; c < components_; ++c) {
      weights[c] *= static_cast<double>(block_of(c, f)[grouping_.groups[f][state]]);
    }
  }
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (!(total > 0.0)) {
    throw Error(ErrorKind::usage, "the model gives no chance to rows like that", "the condition of a sample",
                "ask for values that occur together");
  }
  for (double& weight : weights) weight /= total;
  return weights;
}

void ProductMixture::sample(std::uint64_t seed, std::uint64_t block, const Condition& condition,
                            MatrixView<float> rows) const {
  if (rows.rows == 0) return;
  PublicRng rng(seed, block);
  const std::vector<double> weights = component_weights(condition);
  std::vector<std::uint32_t> component(rows.rows);
  draw_evenly(components_, [&](std::size_t c) { return weights[c]; }, rows.rows, rng.uniform(), component.data());

  std::vector<std::vector<std::uint32_t>> groups(widths_.size(), std::vector<std::uint32_t>(rows.rows));
  for (std::size_t f = 0; f < widths_.size(); ++f) {
    for (std::size_t first = 0, end = 0; first < rows.rows; first = end) {
      while (end < rows.rows && component[end] == component[first]) ++end;
      const float* const shares = block_of(component[first], f);
      draw_evenly(
          grouping_.widths[f], [&](std::size_t s) { return shares[s]; }, end - first, rng.uniform(),
          groups[f].data() + first);
      shuffle(groups[f], first, end, rng);
    }
  }
  if (condition.empty()) {
    RowEdits edits(grouping_.widths, groups);
    for (const FieldSet& fields : kept_) edits.keep(fields, marginal(fields));
    edits.run(kSweeps, rng);
  }
  std::vector<std::size_t> order(rows.rows);  // rows of a component must not stand together
  std::iota(order.begin(), order.end(), std::size_t{0});
  shuffle(order, 0, order.size(), rng);
  for (std::size_t f = 0; f < widths_.size(); ++f) {
    for (std::size_t r = 0; r < rows.rows; ++r) {
      const std::uint32_t group = groups[f][order[r]];
      double left = rng.uniform();
      std::uint32_t state = 0, found = 0;
      for (; state < widths_[f]; ++state) {
        if (grouping_.groups[f][state] != group) continue;
        found = state;
        left -= static_cast<double>(spread_[f][state]);
        if (left < 0.0) break;
      }
      rows.row(r)[f] = static_cast<float>(found);
    }
  }
  for (const auto& [field, state] : condition) {
    for (std::size_t r = 0; r < rows.rows; ++r)
      rows.row(r)[static_cast<std::size_t>(field)] = static_cast<float>(state);
  }
}

std::vector<double> ProductMixture::marginal(const FieldSet& fields) const {
  std::vector<double> shares(cells_of(fields, grouping_.widths));
  std::vector<double> product, next;
  for (std::size_t c = 0; c < components_; ++c) {
    product.assign(1, 1.0 / static_cast<double>(components_));
    for (const int field : fields) {
      const auto f = static_cast<std::size_t>(field);
      const float* const p = block_of(c, f);
      next.clear();
      for (const double value : product) {
        for (std::size_t s = 0; s < grouping_.widths[f]; ++s) next.push_back(value * static_cast<double>(p[s]));
      }
      product.swap(next);
    }
    for (std::size_t i = 0; i < shares.size(); ++i) shares[i] += product[i];
  }
  return shares;
}

}  // namespace sosia
