// SPDX-License-Identifier: Apache-2.0
#include "generate/moments.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "simd/gemm.h"

namespace sosia {

namespace {

/// One call of a kernel runs on one thread: terms run side by side.
ThreadPool& alone() {
  static ThreadPool pool(1);
  return pool;
}

/// What a count is off by. Without noise it still is one of a sample: the next would have another, by about its root.
double deviation(double sigma, double count, double least_sigma) {
  return sigma > 0.0 ? std::max(sigma, least_sigma) : least_sigma * std::sqrt(std::max(count, 1.0));
}

}  // namespace

MomentLoss::MomentLoss(const Measurements& measured, std::size_t components, double least_sigma)
    : components_(components) {
  std::size_t first = 0;
  for (std::size_t f = 0; f < measured.fields; ++f) {
    first_.push_back(first);
    width_.push_back(measured.views[f].width);
    first += measured.views[f].width;
  }
  for (std::size_t v = 0; v < measured.views.size(); ++v) {
    const View& view = measured.views[v];
    Block block{static_cast<std::size_t>(view.field), view.width, {}, {}, {}, {}};
    if (v >= measured.fields) block.group = coarser_group(measured.views[block.field], view);
    blocks_.push_back(std::move(block));
  }
  for (const Measurement& known : measured.list) {
    SOSIA_CHECK(known.counts.size() == cells_of(known.views, measured.views), "a measurement does not fit its views");
    Term term;
    for (const double count : known.counts) term.target.push_back(static_cast<float>(count / measured.rows));
    for (std::size_t i = 0; i < known.counts.size(); ++i) {
      const double sigma = known.cell_sigma.empty() ? known.sigma : known.cell_sigma[i];
      term.scale.push_back(static_cast<float>(measured.rows / deviation(sigma, known.counts[i], least_sigma)));
    }
    term.residual.resize(known.counts.size());
    std::size_t product = 1;
    for (std::size_t k = 0; k < known.views.size(); ++k) {
      const auto v = static_cast<std::size_t>(known.views[k]);
      term.blocks.push_back(v);
      term.gradient.emplace_back(components * blocks_[v].width);
      blocks_[v].terms.emplace_back(terms_.size(), k);
      if (k + 1 < known.views.size()) product *= blocks_[v].width;
    }
    if (known.views.size() > 2) {
      term.product.resize(components * product);
      term.product_gradient.resize(components * product);
    }
    terms_.push_back(std::move(term));
  }
  const bool has_joint = std::any_of(terms_.begin(), terms_.end(), [](const Term& t) { return t.blocks.size() > 1; });
  for (Term& term : terms_) {
    term.is_judged = !has_joint || term.blocks.size() > 1;
    if (term.is_judged) cells_ += term.target.size();
  }
  for (Block& block : blocks_) {
    if (block.terms.empty()) continue;
    block.gradient.resize(components * block.width);
    if (!block.group.empty()) block.p.resize(components * block.width);
  }
}

MatrixView<const float> MomentLoss::view_of(const Block& block, MatrixView<const float> p) const {
  if (block.group.empty()) return {p.data + first_[block.field], components_, block.width, p.stride};
  return {block.p.data(), components_, block.width};
}

/// The block of a coarser view, summed from its field's.
void MomentLoss::gather(Block& block, MatrixView<const float> p) const {
  if (block.p.empty()) return;
  std::fill(block.p.begin(), block.p.end(), 0.0F);
  for (std::size_t c = 0; c < components_; ++c) {
    const float* const row = p.row(c).data() + first_[block.field];
    float* const out = block.p.data() + c * block.width;
    for (std::size_t g = 0; g < block.group.size(); ++g) out[block.group[g]] += row[g];
  }
}

/// The rows of the product of all blocks but the last.
void MomentLoss::expand(Term& term, MatrixView<const float> p) const {
  const std::size_t parts = term.blocks.size() - 1, total = term.product.size() / components_;
  for (std::size_t c = 0; c < components_; ++c) {
    float* const out = term.product.data() + c * total;
    out[0] = 1.0F;
    std::size_t size = 1;
    for (std::size_t k = 0; k < parts; ++k) {
      const std::span<const float> next = view_of(blocks_[term.blocks[k]], p).row(c);
      for (std::size_t s = size; s-- > 0;) {  // from the end, so that it can be done in place
        const float value = out[s];
        for (std::size_t t = next.size(); t-- > 0;) out[s * next.size() + t] = value * next[t];
      }
      size *= next.size();
    }
  }
}

/// The same as contract() for a product of two, the case that most of the time of training goes to.
void MomentLoss::contract_pair(Term& term, MatrixView<const float> p) const {
  const MatrixView<const float> a = view_of(blocks_[term.blocks[0]], p), b = view_of(blocks_[term.blocks[1]], p);
  const float* gradient = term.product_gradient.data();
  for (std::size_t c = 0; c < components_; ++c) {
    const std::span<const float> left = a.row(c), right = b.row(c);
    float* const by_left = term.gradient[0].data() + c * left.size();
    float* const by_right = term.gradient[1].data() + c * right.size();
    std::fill_n(by_right, right.size(), 0.0F);
    for (std::size_t i = 0; i < left.size(); ++i, gradient += right.size()) {
      float sum = 0.0F;
      for (std::size_t j = 0; j < right.size(); ++j) sum += gradient[j] * right[j];
      by_left[i] = sum;
      for (std::size_t j = 0; j < right.size(); ++j) by_right[j] += gradient[j] * left[i];
    }
  }
}

/// From the gradient by the product to those by its factors.
void MomentLoss::contract(Term& term, MatrixView<const float> p) const {
  if (term.blocks.size() == 3) return contract_pair(term, p);
  const std::size_t parts = term.blocks.size() - 1, size = term.product.size() / components_;
  for (std::size_t k = 0; k < parts; ++k) std::fill(term.gradient[k].begin(), term.gradient[k].end(), 0.0F);
  std::vector<std::size_t> state(parts);
  std::vector<std::span<const float>> rows(parts);
  for (std::size_t c = 0; c < components_; ++c) {
    const float* const gradient = term.product_gradient.data() + c * size;
    for (std::size_t k = 0; k < parts; ++k) rows[k] = view_of(blocks_[term.blocks[k]], p).row(c);
    std::fill(state.begin(), state.end(), 0);
    for (std::size_t s = 0; s < size; ++s) {
      for (std::size_t k = 0; k < parts; ++k) {
        float others = gradient[s];
        for (std::size_t l = 0; l < parts; ++l) others *= l == k ? 1.0F : rows[l][state[l]];
        term.gradient[k][c * rows[k].size() + state[k]] += others;
      }
      for (std::size_t k = parts; k-- > 0;) {
        if (++state[k] < rows[k].size()) break;
        state[k] = 0;
      }
    }
  }
}

void MomentLoss::evaluate(Term& term, MatrixView<const float> p) const {
  const std::size_t last = term.blocks.size() - 1;
  const auto n = static_cast<float>(components_);
  const MatrixView<const float> right = view_of(blocks_[term.blocks[last]], p);
  const std::size_t left_width = term.residual.size() / right.cols;
  const std::vector<float> ones(last == 0 ? components_ : 0, 1.0F);
  MatrixView<const float> left(ones.data(), components_, 1);
  if (last == 1) left = view_of(blocks_[term.blocks[0]], p);
  if (last > 1) {
    expand(term, p);
    left = {term.product.data(), components_, left_width};
  }
  const MatrixView<float> residual(term.residual.data(), left_width, right.cols);
  simd::gemm(1.0F / n, simd::transposed(left), right, 0.0F, residual, alone());
  term.loss = 0.0;
  for (std::size_t i = 0; i < term.residual.size(); ++i) {
    const float difference = (term.residual[i] - term.target[i]) * term.scale[i];
    term.loss += static_cast<double>(difference) * difference;
    term.residual[i] = 2.0F * difference * term.scale[i] / n;  // by the sum over components
  }
  simd::gemm(1.0F, left, residual, 0.0F, {term.gradient[last].data(), components_, right.cols}, alone());
  if (last == 0) return;
  float* const out = last == 1 ? term.gradient[0].data() : term.product_gradient.data();
  simd::gemm(1.0F, right, simd::transposed(residual), 0.0F, {out, components_, left_width}, alone());
  if (last > 1) contract(term, p);
}

/// Over all terms that a block is in, always in the same order.
void MomentLoss::sum_gradient(Block& block) const {
  std::fill(block.gradient.begin(), block.gradient.end(), 0.0F);
  for (const auto& [term, place] : block.terms) {
    const std::vector<float>& part = terms_[term].gradient[place];
    for (std::size_t i = 0; i < part.size(); ++i) block.gradient[i] += part[i];
  }
}

double MomentLoss::evaluate(MatrixView<const float> p, MatrixView<float> gradient, ThreadPool& threads) {
  SOSIA_CHECK(p.rows == components_ && gradient.rows == components_, "the mixture has other components");
  const auto for_each = [&](auto& list, const auto& work) {
    threads.parallel_for(static_cast<std::int64_t>(list.size()),
                         [&](std::int64_t i) { work(list[static_cast<std::size_t>(i)]); });
  };
  for_each(blocks_, [&](Block& block) { gather(block, p); });
  for_each(terms_, [&](Term& term) { evaluate(term, p); });
  for_each(blocks_, [&](Block& block) { sum_gradient(block); });
  threads.parallel_for(static_cast<std::int64_t>(components_), [&](std::int64_t i) {
    const auto c = static_cast<std::size_t>(i);
    std::fill_n(gradient.row(c).data(), gradient.cols, 0.0F);
    for (const Block& block : blocks_) {
      if (block.gradient.empty()) continue;
      const float* const part = block.gradient.data() + c * block.width;
      float* const out = gradient.row(c).data() + first_[block.field];
      for (std::size_t g = 0; g < width_[block.field]; ++g) out[g] += part[block.group.empty() ? g : block.group[g]];
    }
  });
  double loss = 0.0;
  for (const Term& term : terms_) loss += term.is_judged ? term.loss : 0.0;
  return cells_ == 0 ? 0.0 : loss / static_cast<double>(cells_);
}

}  // namespace sosia
