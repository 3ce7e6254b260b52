// SPDX-License-Identifier: Apache-2.0
// What the methods that learn from mean embeddings share: releases by class, and the net.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "features/open_rows.h"
#include "generate/embedding.h"
#include "methods/private_plan.h"

namespace sosia {

/// Options of the net and its training, and the share for quantiles: of every such method.
std::vector<MethodOption> net_options();

/// A map of open rows whose sums are released.
struct TargetMap {
  std::string what;
  std::shared_ptr<const FeatureMap> map;
  double share = 1.0;           ///< of the method's budget; all shares add up to 1
  double weight = 1.0;          ///< in training
  int random = 0;               ///< how many of its features are random
  double from = 0.0, to = 1.0;  ///< the part of training in which it is used
  bool in_halves = false;       ///< trained by the halves of a batch (generate/halves_loss.h), throughout
  double count_weight = 0.5;    ///< of the count of a part, in norm bounds, unless it is free
};

/// One-hot codes of all blocks, scaled so that their norm is 1.
std::shared_ptr<const FeatureMap> one_hot_means(const OpenRows& rows);

/// Of each map the sums by part, in a release of its own; the first one has the counts of the parts as well.
std::vector<PlannedRelease> plan_embeddings(const OpenRows& rows, const std::vector<TargetMap>& maps,
                                            const Outline& outline, const Ledger& ledger);
Embeddings release_embeddings(const PrivateTable& table, const OpenRows& rows, const std::vector<TargetMap>& maps,
                              const Outline& outline, Ledger& ledger, ThreadPool& threads);

/// The same releases as parts of a plan that is fixed as a whole, `share` of its budget in all.
std::vector<PlanPart> embedding_parts(const OpenRows& rows, const std::vector<TargetMap>& maps, double share);

/// The maps of DP-MERF, and its options that are about them (dp_merf.cc).
std::vector<TargetMap> merf_maps(const OpenRows& rows, const Outline& outline, const Settings& settings);
std::vector<MethodOption> merf_options();

/// Shape and training of the net: what the settings say, and by the number of columns where they say 0.
NetFitOptions net_fit_options(const OpenRows& rows, const Outline& outline, const Settings& settings,
                              std::uint64_t seed);

/// A net fitted to the embeddings, one for each map.
std::shared_ptr<const Generator> train_net(const OpenRows& rows, const Embeddings& released,
                                           const std::vector<TargetMap>& maps, const Training& training);

/// A method that is told by its maps alone: a function of public numbers, called again for each half.
template <auto kMapsOf>
Method embedding_method(MethodInfo info) {
  return {std::move(info), NumberCoding::scaled,
          [](const Outline& outline, const Settings& settings, const Ledger& ledger) {
            const OpenRows rows(outline.widths, outline.target);
            return plan_embeddings(rows, kMapsOf(rows, outline, settings), outline, ledger);
          },
          [](const PrivateTable& table, const Outline& outline, const Settings& settings, Ledger& ledger,
             ThreadPool& threads) -> Released {
            const OpenRows rows(outline.widths, outline.target);
            return release_embeddings(table, rows, kMapsOf(rows, outline, settings), outline, ledger, threads);
          },
          [](const Released& released, const Training& training) {
            const OpenRows rows(training.outline.widths, training.outline.target);
            return train_net(rows, std::get<Embeddings>(released), kMapsOf(rows, training.outline, training.settings),
                             training);
          }};
}

}  // namespace sosia
