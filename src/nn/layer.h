// SPDX-License-Identifier: Apache-2.0
// What a layer is: a function of rows with parameters, and its derivatives, written out by hand. There is no graph; a
// net calls its layers in order, and back.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/matrix.h"
#include "base/thread_pool.h"
#include "privacy/factored_map.h"
#include "random/public_rng.h"

namespace sosia::nn {

/// A layer's share of one pass of a batch through a net. Nothing here is allocated during a pass.
struct Pass {
  std::span<const float> parameters;
  std::span<const float> state;  ///< what training carries along without a gradient: running statistics
  std::span<float> next_state;   ///< the same memory while training, empty in evaluation
  std::span<float> scratch;      ///< kept from forward to the last call on the same batch
  bool is_training = false;
  ThreadPool& pool;
};

/// A batch at one layer, after backward.
struct LayerBatch {
  MatrixView<const float> x;  ///< the layer's input
  MatrixView<float> grad;     ///< as backward left it
};

/// Layers hold sizes, not numbers: parameters, state and scratch are handed in. All calls on one batch come in the
/// order forward, backward, then any of the rest.
class Layer {
 public:
  virtual ~Layer() = default;

  virtual std::size_t inputs() const = 0;
  virtual std::size_t outputs() const = 0;
  virtual std::size_t parameter_count() const = 0;
  virtual std::size_t state_count() const = 0;
  /// Floats of scratch for a batch of this many rows.
  virtual std::size_t scratch_count(std::size_t rows) const = 0;
  /// True if a row of the result depends on other rows: then no gradient belongs to one example.
  virtual bool mixes_examples() const = 0;

  virtual void initialize(std::span<float> parameters, std::span<float> state, PublicRng& rng,
                          ThreadPool& pool) const = 0;

  /// y = f(x), where y does not overlap x.
  virtual void forward(const Pass& pass, MatrixView<const float> x, MatrixView<float> y) const = 0;
  /// From the gradient by y to the gradient by x, unless grad_x.data is null. Leaves in grad_y what the functions below
  /// need of it, for instance the gradient before the activation.
  virtual void backward(const Pass& pass, MatrixView<const float> x, MatrixView<const float> y,
                        MatrixView<float> grad_y, MatrixView<float> grad_x) const = 0;

  /// The gradient by parameters, summed over rows: row r with weight row_weights[r], or 1 if there are none. May spoil
  /// batch.grad when there are weights.
  virtual void write_gradient(const Pass& pass, LayerBatch batch, std::span<const float> row_weights,
                              std::span<float> gradient) const = 0;

  // Examples are groups of rows_per_example rows that follow each other; an example's gradient is the sum over its
  // rows.

  /// Adds the squared norm of every example's gradient, without writing the gradients down.
  virtual void add_squared_norms(const Pass& pass, LayerBatch batch, std::size_t rows_per_example,
                                 std::span<double> norms) const = 0;
  /// One row for each example.
  virtual void write_example_gradients(const Pass& pass, LayerBatch batch, std::size_t rows_per_example,
                                       MatrixView<float> gradients) const = 0;
  /// The gradient of a row by the parameters is, block after block, an outer product of two short vectors. Appends the
  /// shapes of these blocks, and after backward views of the factors of all rows.
  virtual void add_factor_shapes(std::vector<FactorShape>& shapes) const = 0;
  virtual void add_factors(const Pass& pass, LayerBatch batch, std::vector<FactorPair<const float>>& factors) const = 0;
};

}  // namespace sosia::nn
