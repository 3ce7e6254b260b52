// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "generate/embedding.h"

namespace sosia {

/// The distance of mean embeddings without the bias of small batches. The squared distance of the mean of m vectors
/// from a target holds their variance over m besides: where vectors are long and what is to be learned is small, as
/// with products, a net lowers that first, and its rows become alike and faint. Here each half of a part's rows has a
/// gap of its own, the loss is the inner product of the two, and its mean is the squared distance of the net's mean: it
/// may come out below 0.
std::unique_ptr<RowLoss> halves_loss(const EmbeddingTarget& target, const std::vector<double>& counts);

}  // namespace sosia
