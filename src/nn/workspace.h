// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "base/matrix.h"
#include "simd/cache_line.h"

namespace sosia::nn {

class Net;

/// All memory that batches of up to max_rows need on their way through a net and back. Made once; a step of training
/// allocates nothing. One workspace serves one batch at a time; several may share a net.
class Workspace {
 public:
  /// with_input_gradient: whether backward is to go on to the gradient by the net's input.
  Workspace(const Net& net, std::size_t max_rows, bool with_input_gradient = false);

  std::size_t max_rows() const { return max_rows_; }
  /// Result of the last batch.
  MatrixView<const float> output() const { return {output_.data(), batch_.rows, outputs_}; }
  /// To be filled with the gradient of a loss by output(), before Net::backward, which spoils it.
  MatrixView<float> output_gradient() { return {output_gradient_.data(), batch_.rows, outputs_}; }
  /// Written by Net::backward, if asked for at the start.
  MatrixView<const float> input_gradient() const { return {input_gradient_.data(), batch_.rows, inputs_}; }

 private:
  friend class Net;
  /// What has been done with the batch, so that calls in the wrong order are seen.
  enum class Stage { empty, forward, backward, spent };

  std::size_t max_rows_, inputs_, outputs_;
  MatrixView<const float> batch_;
  Stage stage_ = Stage::empty;
  bool is_training_ = false;
  simd::LineFloats scratch_, output_, output_gradient_, input_gradient_;
  std::vector<double> norms_;
  std::vector<float> row_weights_;
};

}  // namespace sosia::nn
