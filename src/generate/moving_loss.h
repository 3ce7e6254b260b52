// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "generate/embedding.h"

namespace sosia {

/// The squared distance of mean embeddings, part by part, where the net's own means are running ones, over about
/// 1 / (1 - decay) batches: small batches of costly vectors then do for many numbers (Harder, Jalali, Sutherland and
/// Park 2023, who let Adam do the averaging).
///
/// The gradient of a batch comes from the means of the batches before it. So vectors are made once, not once for the
/// means and again for the gradient; and a batch is not drawn towards its own mean, which would make all rows of a part
/// alike. The first batch has no gradient.
std::unique_ptr<RowLoss> moving_loss(const EmbeddingTarget& target, const std::vector<double>& counts, double decay);

}  // namespace sosia
