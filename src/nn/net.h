// SPDX-License-Identifier: Apache-2.0
// A net: layers, and their numbers in one piece. A step of training:
//
//   net.forward(batch, workspace, pool);
//   squared_error(workspace.output(), target, 1.0 / batch.rows, workspace.output_gradient(), ...);
//   net.backward(workspace, gradient, pool);
//   optimizer.step(rate, gradient, net.parameters(), pool);
//
// The numbers are the same from any number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nn/sequence.h"
#include "nn/workspace.h"
#include "simd/cache_line.h"

namespace sosia::nn {

class Net {
 public:
  /// Initial weights are a function of the seed alone.
  Net(std::vector<LayerPtr> layers, std::uint64_t seed, ThreadPool& pool);

  std::size_t inputs() const { return layers_.inputs(); }
  std::size_t outputs() const { return layers_.outputs(); }
  const Sequence& layers() const { return layers_; }

  /// All parameters, in the order of the layers; a gradient has the same order. Layers say what theirs mean.
  std::span<float> parameters() { return parameters_; }
  std::span<const float> parameters() const { return parameters_; }
  /// Those of one layer.
  std::span<float> parameters_of(std::size_t layer);
  /// Running statistics of batch norm. With the parameters, all that a trained net is.
  std::span<float> state() { return state_; }
  std::span<const float> state() const { return state_; }

  /// The batch must stay as it is until the workspace gets another one.
  MatrixView<const float> forward(MatrixView<const float> batch, Workspace& workspace, ThreadPool& pool);
  /// As it will be used: running statistics in the place of the batch's. A row of the result depends on its row alone.
  MatrixView<const float> evaluate(MatrixView<const float> batch, Workspace& workspace, ThreadPool& pool) const;

  /// From workspace.output_gradient() to the gradient by the parameters, summed over rows, which is written; with an
  /// empty gradient, only to workspace.input_gradient().
  void backward(Workspace& workspace, std::span<float> gradient, ThreadPool& pool) const;

  // Gradients of single examples, for DP-SGD. Call backward(workspace, {}, pool) first, on an output gradient in which
  // no row has been divided by the number of rows. An example is rows_per_example rows that follow each other (for a
  // critic: a real and a made-up row), and its gradient the sum over them. Refused for a net with batch norm.

  /// Squared norms, one for each example, at the cost of reading each layer's inputs and gradients once.
  void squared_norms(Workspace& workspace, std::size_t rows_per_example, std::span<double> norms,
                     ThreadPool& pool) const;
  /// The sum over examples of gradient * min(1, bound / norm), at the cost of one more backward. Its sensitivity is the
  /// bound up to rounding in floats: noise is added by the door, which enforces bounds of its own.
  /// Afterwards the workspace needs another batch.
  void clipped_gradient_sum(Workspace& workspace, double bound, std::size_t rows_per_example, std::span<float> sum,
                            ThreadPool& pool) const;
  /// The gradients themselves, one row for each example: what the door takes.
  void example_gradients(Workspace& workspace, std::size_t rows_per_example, MatrixView<float> gradients,
                         ThreadPool& pool) const;
  /// The same by factors, a few numbers in the place of all parameters: the blocks that make up a gradient, in the
  /// order of the parameters, and views of the factors of all rows, valid as long as the batch is.
  std::vector<FactorShape> factor_shapes() const;
  std::vector<FactorPair<const float>> factors(Workspace& workspace, ThreadPool& pool) const;

 private:
  Pass pass_of(Workspace& workspace, std::span<float> next_state, ThreadPool& pool) const;
  MatrixView<const float> run_forward(MatrixView<const float> batch, Workspace& workspace, std::span<float> next_state,
                                      bool is_training, ThreadPool& pool) const;
  /// Throws unless single examples have gradients, and the workspace has them.
  void check_examples(const Workspace& workspace, std::size_t rows_per_example) const;

  Sequence layers_;
  simd::LineFloats parameters_, state_;
};

}  // namespace sosia::nn
