// SPDX-License-Identifier: Apache-2.0
// Gradients of a net, an example for each encoded row: what DP-SGD hands to the door.
#pragma once

#include <span>
#include <vector>

#include "nn/net.h"
#include "privacy/factored_map.h"

namespace sosia {

/// What an example is, and how its loss changes with the net's output. Both may depend on the example's own row and on
/// public numbers, and on no other row.
class ExampleLoss {
 public:
  virtual ~ExampleLoss() = default;
  /// Rows of the net's batch that an example takes: 2 for a critic, a real row and a made-up one.
  virtual std::size_t rows_per_example() const { return 1; }
  virtual void write_examples(MatrixView<const float> encoded, MatrixView<float> batch) const = 0;
  /// The gradient of each row's loss by the output.
  virtual void write_slopes(MatrixView<const float> batch, MatrixView<const float> output,
                            MatrixView<float> slopes) const = 0;
};

/// A row's vector is the gradient of its loss by all parameters of the net, as one vector; the door shrinks it to the
/// bound. Refuses a net that mixes rows.
class NetGradients : public FactoredMap {
 public:
  NetGradients(const nn::Net& net, const ExampleLoss& loss, double norm_bound, double sign_weight = 0.0);

  std::span<const FactorShape> shapes() const override { return shapes_; }
  std::size_t terms() const override { return loss_.rows_per_example(); }
  double norm_bound() const override { return norm_bound_; }
  double sign_weight() const override { return sign_weight_; }
  void forward(MatrixView<const float> rows, std::span<const FactorPair<float>> factors) const override;

 private:
  const nn::Net& net_;
  const ExampleLoss& loss_;
  double norm_bound_, sign_weight_;
  std::vector<FactorShape> shapes_;
};

}  // namespace sosia
