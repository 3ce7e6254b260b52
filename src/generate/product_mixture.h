// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "generate/generator.h"
#include "generate/measurement.h"
#include "random/public_rng.h"

namespace sosia {

/// A mixture of products: a row belongs to one of `components` components, all equally likely, and given that its
/// fields are independent, with a distribution over their groups of states each. Any conditional distribution is exact:
/// the components are weighed by the probability that they give to what is known.
class ProductMixture : public Generator {
 public:
  /// `views` and `fields` as in Measurements. `probabilities`: a row for each component, a block for each field, over
  /// the groups of its finest view. `kept`: marginals that the rows of a block are made to follow.
  ProductMixture(std::vector<View> views, std::size_t fields, std::vector<std::vector<float>> spread,
                 std::vector<float> probabilities, std::vector<ViewSet> kept);

  const std::vector<std::uint32_t>& widths() const override { return widths_; }
  void sample(std::uint64_t seed, std::uint64_t block, const Condition& condition,
              MatrixView<float> rows) const override;

  /// The shares of the joint groups of these views.
  std::vector<double> marginal(const ViewSet& set) const;

  std::size_t components() const { return components_; }
  const std::vector<float>& probabilities() const { return probabilities_; }
  const std::vector<ViewSet>& kept() const { return kept_; }

 private:
  using Groups = std::vector<std::vector<std::uint32_t>>;  ///< by field, one a row
  std::vector<double> component_weights(const Condition& condition) const;
  void draw_groups(const std::vector<double>& weights, PublicRng& rng, Groups& groups) const;
  void follow_marginals(PublicRng& rng, Groups& groups) const;
  void spread_groups(const Groups& groups, PublicRng& rng, MatrixView<float> rows) const;
  const float* block_of(std::size_t component, std::size_t field) const {
    return probabilities_.data() + component * total_width_ + first_[field];
  }

  std::vector<View> views_;
  std::size_t fields_;
  std::vector<std::vector<float>> spread_;
  std::vector<float> probabilities_;
  std::vector<ViewSet> kept_;
  std::vector<std::uint32_t> widths_;
  std::vector<std::vector<std::uint32_t>> coarser_;  ///< by view: the group of each group of its field's finest view
  std::vector<std::vector<double>> kept_shares_;
  std::vector<std::size_t> first_;
  std::size_t total_width_ = 0, components_ = 0;
};

}  // namespace sosia
