// SPDX-License-Identifier: Apache-2.0
// The losses of nets that see private rows, an example for each row.
#pragma once

#include <cstdint>
#include <vector>

#include "features/open_rows.h"
#include "generate/net_gradients.h"

namespace sosia {

// A net that is told the class takes it, one-hot, from columns behind those of the opened row; these losses write it
// wherever a net has room for it.

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

/// A variational auto-encoder's (DecodedShape::variational): the reconstruction of a code that is drawn around the
/// row's own, and the divergence of the distribution that it is drawn from, of a standard normal one: a bound on the
/// likelihood (Kingma and Welling 2014). The normals of a row are public randomness, a function of its own bits, `seed`
/// and `step`, so that an example depends on its row alone.
class VariationalLoss : public ExampleLoss {
 public:
  VariationalLoss(const OpenRows& rows, std::size_t latent, std::uint64_t seed, std::uint64_t step);
  void write_examples(MatrixView<const float> encoded, MatrixView<float> batch) const override;
  void write_slopes(MatrixView<const float> batch, MatrixView<const float> output,
                    MatrixView<float> slopes) const override;

 private:
  ReconstructionLoss reconstruction_;
  std::size_t inputs_, latent_;
  std::uint64_t seed_, step_;
};

/// A critic's, by which it learns to score real rows above made-up ones: the score of a made-up row less that of the
/// real one (Arjovsky, Chintala and Bottou 2017). Each real row has one made-up row, out of public ones; which, is a
/// function of its own bits, so that an example depends on its row alone.
class CriticLoss : public ExampleLoss {
 public:
  /// `made`: opened rows, at least one, with their class where the critic is told it; they must outlive this.
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
