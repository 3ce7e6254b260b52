// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nn/layer.h"

namespace sosia::nn {

/// A layer of fixed functions of single rows: nothing to learn and, unless it says so, nothing to keep.
class ParameterFree : public Layer {
 public:
  explicit ParameterFree(std::size_t width) : ParameterFree(width, width) {}
  ParameterFree(std::size_t inputs, std::size_t outputs) : inputs_(inputs), outputs_(outputs) {}

  std::size_t inputs() const final { return inputs_; }
  std::size_t outputs() const final { return outputs_; }
  std::size_t parameter_count() const final { return 0; }
  std::size_t state_count() const final { return 0; }
  std::size_t scratch_count(std::size_t) const override { return 0; }
  bool mixes_examples() const final { return false; }
  void initialize(std::span<float>, std::span<float>, PublicRng&, ThreadPool&) const final {}
  void write_gradient(const Pass&, LayerBatch, std::span<const float>, std::span<float>) const final {}
  void add_squared_norms(const Pass&, LayerBatch, std::size_t, std::span<double>) const final {}
  void write_example_gradients(const Pass&, LayerBatch, std::size_t, MatrixView<float>) const final {}
  void add_factor_shapes(std::vector<FactorShape>&) const final {}
  void add_factors(const Pass&, LayerBatch, std::vector<FactorPair<const float>>&) const final {}

 private:
  std::size_t inputs_, outputs_;
};

}  // namespace sosia::nn
