// SPDX-License-Identifier: Apache-2.0
// What the methods that learn from mean embeddings share: releases by class, and the net.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "features/open_rows.h"
#include "generate/embedding.h"
#include "methods/label_columns.h"
#include "methods/private_plan.h"

namespace sosia {

/// Options of the net and its training, and the share for quantiles: of every such method.
std::vector<MethodOption> net_options();
/// Whether the classes of images are declared to be of one size. It is known then, since the number of images has to be
/// declared as well (fit.cc), and no counts are released.
MethodOption even_classes_option();

/// A map of open rows whose sums are released.
struct TargetMap {
  std::string what;
  std::shared_ptr<const FeatureMap> map;
  double share = 1.0;            ///< of the method's budget; all shares add up to 1
  double weight = 1.0;           ///< in training
  int random = 0;                ///< how many of its features are random
  double from = 0.0, to = 1.0;   ///< the part of training in which it is used
  bool in_halves = false;        ///< trained by the halves of a batch (generate/halves_loss.h), throughout
  double count_weight = 0.5;     ///< of the count of a part, in norm bounds, unless it is free; 0: none is released
  bool by_part = true;           ///< false: sums over all rows, which are taken to be the same in every part
  bool thins = false;            ///< rows are made anew where it tells of fewer (generate/thinning.h)
  std::vector<int> states = {};  ///< of one-hot means: those of each block; else none
};

/// The target of one-hot codes of these blocks, scaled so that their norm is 1.
TargetMap one_hot_means(const OpenRows& rows, const std::vector<int>& blocks);

/// The maps, without counts where classes are declared to be even.
std::vector<TargetMap> counted(std::vector<TargetMap> maps, const Settings& settings);

/// The maps but those that thin, whose share the others take.
std::vector<TargetMap> without_thinning(std::vector<TargetMap> maps);
/// The same, where noise on the mean of an even part would be longer than half of what a mean can be: by public
/// numbers.
std::vector<TargetMap> worth_buying(const OpenRows& rows, std::vector<TargetMap> maps, const Outline& outline,
                                    const Ledger& ledger);

/// Of each map the sums, in a release of its own; the first one has the counts of the parts as well, unless they are
/// `known` already or even by declaration.
std::vector<PlannedRelease> plan_embeddings(const OpenRows& rows, const std::vector<TargetMap>& maps,
                                            const Outline& outline, const Ledger& ledger);
Embeddings release_embeddings(const PrivateTable& table, const OpenRows& rows, const std::vector<TargetMap>& maps,
                              const Outline& outline, Ledger& ledger, ThreadPool& threads, Embeddings known = {});

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

}  // namespace sosia
