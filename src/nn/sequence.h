// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "nn/layers.h"

namespace sosia::nn {

/// Layers one after the other, as one layer. Parameters and state are theirs, in order; scratch holds what lies between
/// them: results and gradients of all but the last.
class Sequence final : public Layer {
 public:
  /// At least one layer, each taking what the one before it gives.
  explicit Sequence(std::vector<LayerPtr> layers);

  /// Where in the parameters those of one layer are.
  std::size_t parameter_offset(std::size_t layer) const { return parameter_offsets_.at(layer); }
  const Layer& layer(std::size_t i) const { return *layers_.at(i); }

  std::size_t inputs() const override { return layers_.front()->inputs(); }
  std::size_t outputs() const override { return layers_.back()->outputs(); }
  std::size_t parameter_count() const override { return parameter_offsets_.back(); }
  std::size_t state_count() const override { return state_offsets_.back(); }
  std::size_t scratch_count(std::size_t rows) const override;
  bool mixes_examples() const override;

  void initialize(std::span<float> parameters, std::span<float> state, PublicRng& rng, ThreadPool& pool) const override;
  void forward(const Pass& pass, MatrixView<const float> x, MatrixView<float> y) const override;
  void backward(const Pass& pass, MatrixView<const float> x, MatrixView<const float> y, MatrixView<float> grad_y,
                MatrixView<float> grad_x) const override;
  void write_gradient(const Pass& pass, LayerBatch batch, std::span<const float> row_weights,
                      std::span<float> gradient) const override;
  void add_squared_norms(const Pass& pass, LayerBatch batch, std::size_t rows_per_example,
                         std::span<double> norms) const override;
  void write_example_gradients(const Pass& pass, LayerBatch batch, std::size_t rows_per_example,
                               MatrixView<float> gradients) const override;
  void add_factor_shapes(std::vector<FactorShape>& shapes) const override;
  void add_factors(const Pass& pass, LayerBatch batch, std::vector<FactorPair<const float>>& factors) const override;

 private:
  /// One layer's own pass, and the room for its result and the gradient by it (none for the last layer).
  struct Place {
    Pass pass;
    MatrixView<float> y, grad_y;
  };
  Place place(const Pass& pass, std::size_t layer, std::size_t rows) const;
  /// What backward left for one layer.
  LayerBatch batch_of(const Pass& pass, LayerBatch whole, std::size_t layer) const;
  std::size_t scratch_offset(std::size_t layer, std::size_t rows) const;

  std::vector<LayerPtr> layers_;
  std::vector<std::size_t> parameter_offsets_, state_offsets_;  // one more than layers
};

}  // namespace sosia::nn
