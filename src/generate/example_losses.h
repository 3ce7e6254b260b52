// SPDX-License-Identifier: Apache-2.0
// The losses of nets that see private rows, an example for each row.
#pragma once

#include <vector>

#include "features/open_rows.h"
#include "generate/net_gradients.h"

namespace sosia {

/// An auto-encoder's: the net takes an opened row and gives it back, as logits. The loss adds up the cross entropy of
/// each block and the logistic loss of each scalar.
class ReconstructionLoss : public ExampleLoss {
 public:
  explicit ReconstructionLoss(const OpenRows& rows);
  void write_examples(MatrixView<const float> encoded, MatrixView<float> batch) const override;
  void write_slopes(MatrixView<const float> batch, MatrixView<const float> output,
                    MatrixView<float> slopes) const override;

 private:
  OpenRows rows_;
  std::vector<std::uint32_t> widths_;
};

/// A critic's, by which it learns to score real rows above made-up ones: the score of a made-up row less that of the
/// real one (Arjovsky, Chintala and Bottou 2017). Each real row has one made-up row, out of public ones; which, is a
/// function of its own bits, so that an example depends on its row alone.
class CriticLoss : public ExampleLoss {
 public:
  /// `made`: opened rows, at least one; they must outlive this.
  CriticLoss(const OpenRows& rows, MatrixView<const float> made);
  std::size_t rows_per_example() const override { return 2; }
  void write_examples(MatrixView<const float> encoded, MatrixView<float> batch) const override;
  void write_slopes(MatrixView<const float> batch, MatrixView<const float> output,
                    MatrixView<float> slopes) const override;

 private:
  OpenRows rows_;
  MatrixView<const float> made_;
};

}  // namespace sosia
