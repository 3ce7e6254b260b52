// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/matrix.h"
#include "base/thread_pool.h"
#include "generate/measurement.h"

namespace sosia {

/// The distance between measured marginals and those of a mixture of products, and its gradient.
///
/// A component c has a distribution over the states of each field: row c of P, a block of numbers for each field. The
/// mixture's marginal of fields i, j, ... is the mean over c of P_ci x P_cj x ... The loss is the sum of squared
/// differences in standard deviations of the noise: each cell counts as much as is known of it.
class MomentLoss {
 public:
  /// `components` rows of P. Counts without noise are taken with sigma = `least_sigma`.
  MomentLoss(const Measurements& measured, std::size_t components, double least_sigma);

  std::size_t cells() const { return cells_; }
  /// Returns the loss divided by cells(): about 1 where only noise is left. Writes the gradient of the loss by P.
  /// The same bits for any number of threads.
  double evaluate(MatrixView<const float> p, MatrixView<float> gradient, ThreadPool& threads);

 private:
  struct Term {
    FieldSet fields;
    std::vector<std::size_t> first, width;         ///< of each field's block in a row of P
    std::vector<float> target;                     ///< shares
    float scale = 0.0F;                            ///< rows / sigma: from shares to standard deviations
    std::vector<float> residual;                   ///< and then the gradient by the marginal
    std::vector<std::vector<float>> gradient;      ///< by each field's block
    std::vector<float> product, product_gradient;  ///< of all fields but the last
    double loss = 0.0;
  };
  void evaluate(Term& term, MatrixView<const float> p) const;
  void expand(Term& term, MatrixView<const float> p) const;
  void contract(Term& term, MatrixView<const float> p) const;

  std::vector<Term> terms_;
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> terms_of_field_;  ///< term and place in it
  std::vector<std::size_t> first_, width_;
  std::size_t components_;
  std::size_t cells_ = 0;
};

}  // namespace sosia
