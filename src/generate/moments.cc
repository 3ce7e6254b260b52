// SPDX-License-Identifier: Apache-2.0
#include "generate/moments.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "simd/gemm.h"

namespace sosia {

namespace {

/// One call of a kernel runs on one thread: terms run side by side.
ThreadPool& alone() {
  static ThreadPool pool(1);
  return pool;
}

MatrixView<const float> block(MatrixView<const float> p, std::size_t first, std::size_t width) {
  return {p.data + first, p.rows, width, p.stride};
}

}  // namespace

MomentLoss::MomentLoss(const Measurements& measured, std::size_t components, double least_sigma)
    : components_(components) {
  const auto& widths = measured.grouping.widths;
  std::size_t first = 0;
  for (const std::uint32_t width : widths) {
    first_.push_back(first);
    width_.push_back(width);
    first += width;
  }
  terms_of_field_.resize(widths.size());
  for (const Measurement& known : measured.list) {
    SOSIA_CHECK(known.counts.size() == cells_of(known.fields, widths), "a measurement does not fit its fields");
    Term term;
    term.fields = known.fields;
    for (const double count : known.counts) term.target.push_back(static_cast<float>(count / measured.rows));
    term.scale = static_cast<float>(measured.rows / std::max(known.sigma, least_sigma));
    term.residual.resize(known.counts.size());
    std::size_t product = 1;
    for (std::size_t k = 0; k < known.fields.size(); ++k) {
      const auto field = static_cast<std::size_t>(known.fields[k]);
      term.first.push_back(first_[field]);
      term.width.push_back(width_[field]);
      term.gradient.emplace_back(components * width_[field]);
      terms_of_field_[field].emplace_back(terms_.size(), k);
      if (k + 1 < known.fields.size()) product *= width_[field];
    }
    if (known.fields.size() > 2) {
      term.product.resize(components * product);
      term.product_gradient.resize(components * product);
    }
    cells_ += known.counts.size();
    terms_.push_back(std::move(term));
  }
}

/// The rows of the product of all fields but the last.
void MomentLoss::expand(Term& term, MatrixView<const float> p) const {
  const std::size_t parts = term.fields.size() - 1;
  for (std::size_t c = 0; c < components_; ++c) {
    const float* const row = p.row(c).data();
    float* const out = term.product.data() + c * (term.product.size() / components_);
    std::copy_n(row + term.first[0], term.width[0], out);
    std::size_t size = term.width[0];
    for (std::size_t k = 1; k < parts; ++k) {
      const float* const next = row + term.first[k];
      for (std::size_t s = size; s-- > 0;) {  // from the end, so that it can be done in place
        const float value = out[s];
        for (std::size_t t = term.width[k]; t-- > 0;) out[s * term.width[k] + t] = value * next[t];
      }
      size *= term.width[k];
    }
  }
}

/// From the gradient by the product to those by its factors.
void MomentLoss::contract(Term& term, MatrixView<const float> p) const {
  const std::size_t parts = term.fields.size() - 1, size = term.product.size() / components_;
  for (std::size_t k = 0; k < parts; ++k) std::fill(term.gradient[k].begin(), term.gradient[k].end(), 0.0F);
  std::vector<std::size_t> state(parts);
  for (std::size_t c = 0; c < components_; ++c) {
    const float* const row = p.row(c).data();
    const float* const gradient = term.product_gradient.data() + c * size;
    std::fill(state.begin(), state.end(), 0);
    for (std::size_t s = 0; s < size; ++s) {
      for (std::size_t k = 0; k < parts; ++k) {
        float others = gradient[s];
        for (std::size_t l = 0; l < parts; ++l) others *= l == k ? 1.0F : row[term.first[l] + state[l]];
        term.gradient[k][c * term.width[k] + state[k]] += others;
      }
      for (std::size_t k = parts; k-- > 0;) {
        if (++state[k] < term.width[k]) break;
        state[k] = 0;
      }
    }
  }
}

void MomentLoss::evaluate(Term& term, MatrixView<const float> p) const {
  const std::size_t last = term.fields.size() - 1;
  const auto n = static_cast<float>(components_);
  const MatrixView<const float> right = block(p, term.first[last], term.width[last]);
  const std::size_t left_width = term.residual.size() / term.width[last];
  const std::vector<float> ones(last == 0 ? components_ : 0, 1.0F);
  MatrixView<const float> left(ones.data(), components_, 1);
  if (last == 1) left = block(p, term.first[0], term.width[0]);
  if (last > 1) {
    expand(term, p);
    left = {term.product.data(), components_, left_width};
  }
  const MatrixView<float> residual(term.residual.data(), left_width, term.width[last]);
  simd::gemm(1.0F / n, simd::transposed(left), right, 0.0F, residual, alone());
  term.loss = 0.0;
  for (std::size_t i = 0; i < term.residual.size(); ++i) {
    const float difference = (term.residual[i] - term.target[i]) * term.scale;
    term.loss += static_cast<double>(difference) * difference;
    term.residual[i] = 2.0F * difference * term.scale / n;  // by the sum over components
  }
  simd::gemm(1.0F, left, residual, 0.0F, {term.gradient[last].data(), components_, term.width[last]}, alone());
  if (last == 0) return;
  float* const out = last == 1 ? term.gradient[0].data() : term.product_gradient.data();
  simd::gemm(1.0F, right, simd::transposed(residual), 0.0F, {out, components_, left_width}, alone());
  if (last > 1) contract(term, p);
}

double MomentLoss::evaluate(MatrixView<const float> p, MatrixView<float> gradient, ThreadPool& threads) {
  SOSIA_CHECK(p.rows == components_, "the mixture has another number of components");
  threads.parallel_for(static_cast<std::int64_t>(terms_.size()),
                       [&](std::int64_t i) { evaluate(terms_[static_cast<std::size_t>(i)], p); });
  // A field's gradient is the sum over its terms, always in the same order.
  threads.parallel_for(static_cast<std::int64_t>(first_.size()), [&](std::int64_t i) {
    const auto field = static_cast<std::size_t>(i);
    for (std::size_t c = 0; c < components_; ++c) {
      float* const out = gradient.row(c).data() + first_[field];
      std::fill_n(out, width_[field], 0.0F);
      for (const auto& [term, place] : terms_of_field_[field]) {
        const float* const part = terms_[term].gradient[place].data() + c * width_[field];
        for (std::size_t s = 0; s < width_[field]; ++s) out[s] += part[s];
      }
    }
  });
  double loss = 0.0;
  for (const Term& term : terms_) loss += term.loss;
  return cells_ == 0 ? 0.0 : loss / static_cast<double>(cells_);
}

}  // namespace sosia
