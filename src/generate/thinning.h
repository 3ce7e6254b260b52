// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "generate/embedding.h"

namespace sosia {

/// Makes a net's rows anew where it makes more of them than the released embedding tells of: post-processing.
///
/// A mean embedding is a density. With the product kernel k of all columns, <vector of x, mean of part p> is how many
/// rows of p are near x, p(x), up to the kernel's width, and the same sum over rows of the net is q(x). A row at x
/// stays with the chance (p(x) + t) / (q(x) + t), at most 1, where t is twice the deviation of p(x) by noise: where
/// there is no more than noise to go by, rows stay. The map must be near exact at each place, as Hermite features are:
/// random ones are exact in the mean over places only.
///
/// For rows of two numbers; `target` has a map of both, not centred.
NetGenerator thinned(NetGenerator net, const EmbeddingTarget& target, const std::vector<double>& counts,
                     std::uint64_t seed, ThreadPool& threads);

}  // namespace sosia
