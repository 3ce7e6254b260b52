// SPDX-License-Identifier: Apache-2.0
// What the methods that learn from mean embeddings share: the joint release, and the net.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "features/open_rows.h"
#include "generate/embedding.h"
#include "methods/method.h"

namespace sosia {

/// Options of the net and its training, and the share for quantiles: of every such method.
std::vector<MethodOption> net_options();

/// How a row's vector and the count of its part are weighed in a joint release. Under `replace` counts up to the norm
/// bound are free (docs/methods/door.md, section 3); else they take a part of the budget, here a fifth or less.
double count_weight(const OpenRows& rows, double norm_bound, const Promise& promise);

PlannedRelease plan_embedding(const std::string& what, const OpenRows& rows, const FeatureMap& map, double noise,
                              double weight, const Promise& promise);

/// The map's sums by part and, if they have a weight, the counts of the parts, in one release, put into `out`.
void release_embedding(const PrivateTable& table, const OpenRows& rows, std::shared_ptr<const FeatureMap> map,
                       double weight, const NoisySum& how, Ledger& ledger, ThreadPool& threads, Embeddings& out);

/// Sets the number of rows, and counts to 0 that are no more than noise. At the end of a release.
void clean_parts(const Outline& outline, Embeddings& out);

/// A net fitted to the embeddings, one map for each.
std::shared_ptr<const Generator> train_net(const OpenRows& rows, const Embeddings& released,
                                           const std::vector<std::shared_ptr<const FeatureMap>>& maps,
                                           const std::vector<double>& weights, const Training& training);

}  // namespace sosia
