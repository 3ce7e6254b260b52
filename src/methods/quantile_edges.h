// SPDX-License-Identifier: Apache-2.0
// Quantiles of numbers, bought before a method that takes numbers as scalars.
//
// Claim. One Gaussian release of counts of each numeric column in bins that the schema fixes: a row adds one to one
// count of each of p columns, a vector of norm sqrt(p). The edges are a function of that release.
#pragma once

#include <vector>

#include <sosia/fit.h>
#include <sosia/ledger.h>

#include "base/thread_pool.h"
#include "data/codec.h"
#include "data/private_table.h"

namespace sosia {

inline constexpr char kQuantilesLabel[] = "quantiles of numbers";

/// Numeric columns whose edges nobody has declared get fine ones, even or by magnitude; they are returned, by number.
/// Counting in them is what the release does.
std::vector<std::size_t> add_fine_edges(Schema& schema);

/// The counts of these columns' bins. The codec is one of bins, made with the fine edges.
PlannedRelease plan_quantiles(const Codec& codec, const std::vector<std::size_t>& columns, double noise,
                              const Promise& promise);

/// Puts edges at quantiles in the place of the fine ones: at most `most` stretches of about the same number of rows,
/// fewer where the noise allows no more. Where an end of the range is magnitudes away from all quantiles, the stretch
/// to it is cut once more, by magnitude; of many numbers, those of both signs that span magnitudes have both ends cut.
void release_quantiles(const PrivateTable& table, const Codec& codec, const std::vector<std::size_t>& columns,
                       double noise, int most, Ledger& ledger, ThreadPool& threads, Schema& schema);

}  // namespace sosia
