// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/matrix.h"
#include "base/thread_pool.h"
#include "generate/measurement.h"

namespace sosia {

/// The distance between measured marginals and those of a mixture of products, and its gradient.
///
/// A component c has a distribution over the groups of each field: row c of P, a block of numbers for each field. The
/// mixture's marginal of views i, j, ... is the mean over c of P_ci x P_cj x ..., where a coarser view's block is
/// summed from that of its field. The loss is the sum of squared differences in standard deviations of the noise: each
/// cell counts as much as is known of it.
class MomentLoss {
 public:
  /// `components` rows of P. Counts without noise are taken with sigma = `least_sigma` times their root: a quarter,
  /// say, of what they vary by from one sample of rows to the next.
  MomentLoss(const Measurements& measured, std::size_t components, double least_sigma);

  std::size_t cells() const { return cells_; }
  /// Returns the loss of the joint marginals divided by their cells: about 1 where only noise is left. (Of single
  /// views, if there are no others.) Writes the gradient of the whole loss by P. The same bits for any number of
  /// threads.
  double evaluate(MatrixView<const float> p, MatrixView<float> gradient, ThreadPool& threads);

 private:
  /// One view's probabilities, a row for each component, and the gradient by them.
  struct Block {
    std::size_t field = 0, width = 0;
    std::vector<std::uint32_t> group;  ///< of each group of the field; empty: the field's own block of P
    std::vector<float> p, gradient;
    std::vector<std::pair<std::size_t, std::size_t>> terms;  ///< the terms it is in, and its place there
  };
  struct Term {
    std::vector<std::size_t> blocks;
    std::vector<float> target;                     ///< shares
    std::vector<float> scale;                      ///< rows / sigma: from shares to standard deviations
    std::vector<float> residual;                   ///< and then the gradient by the marginal
    std::vector<std::vector<float>> gradient;      ///< by each block
    std::vector<float> product, product_gradient;  ///< of all blocks but the last
    double loss = 0.0;
    bool is_judged = true;  ///< counts for when to stop
  };
  MatrixView<const float> view_of(const Block& block, MatrixView<const float> p) const;
  void gather(Block& block, MatrixView<const float> p) const;
  void evaluate(Term& term, MatrixView<const float> p) const;
  void expand(Term& term, MatrixView<const float> p) const;
  void contract(Term& term, MatrixView<const float> p) const;
  void contract_pair(Term& term, MatrixView<const float> p) const;
  void sum_gradient(Block& block) const;

  std::vector<Block> blocks_;
  std::vector<Term> terms_;
  std::vector<std::size_t> first_, width_;  ///< of each field's block in a row of P
  std::size_t components_;
  std::size_t cells_ = 0;
};

}  // namespace sosia
