// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "generate/generator.h"
#include "generate/measurement.h"

namespace sosia {

/// A mixture of products: a row belongs to one of `components` components, all equally likely, and given that its
/// fields are independent, with a distribution over their groups of states each. Any conditional distribution is exact:
/// the components are weighed by the probability that they give to what is known.
class ProductMixture : public Generator {
 public:
  /// `probabilities`: a row for each component, a block for each field, over the groups of its states. `spread`: for
  /// each field the share of every state in its group.
  ProductMixture(Grouping grouping, std::vector<std::vector<float>> spread, std::vector<float> probabilities,
                 std::vector<FieldSet> kept);

  const std::vector<std::uint32_t>& widths() const override { return widths_; }
  void sample(std::uint64_t seed, std::uint64_t block, const Condition& condition,
              MatrixView<float> rows) const override;

  /// The shares of the joint groups of these fields.
  std::vector<double> marginal(const FieldSet& fields) const;

  std::size_t components() const { return components_; }
  const Grouping& grouping() const { return grouping_; }
  const std::vector<std::vector<float>>& spread() const { return spread_; }
  const std::vector<float>& probabilities() const { return probabilities_; }
  /// Marginals that the rows of a block are made to follow.
  const std::vector<FieldSet>& kept() const { return kept_; }

 private:
  std::vector<double> component_weights(const Condition& condition) const;
  const float* block_of(std::size_t component, std::size_t field) const {
    return probabilities_.data() + component * total_width_ + first_[field];
  }

  Grouping grouping_;
  std::vector<std::vector<float>> spread_;
  std::vector<float> probabilities_;
  std::vector<FieldSet> kept_;
  std::vector<std::uint32_t> widths_;
  std::vector<std::size_t> first_;
  std::size_t total_width_ = 0, components_ = 0;
};

}  // namespace sosia
