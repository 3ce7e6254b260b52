// SPDX-License-Identifier: Apache-2.0
#include "methods/embedding_method.h"

#include "methods/pick_rule.h"
#include "privacy/lattice.h"

namespace sosia {

namespace {

constexpr double kByClass = 0.75;  // of what is left for sums after picks: of the picked columns, by class

OpenRows open_rows(const Outline& outline) { return {outline.widths, outline.target}; }

/// Maps of all columns by class; or, with picks, those of picked columns by class, then those of the others.
std::vector<TargetMap> all_maps(MapsOf maps_of, const OpenRows& rows, const Outline& outline, const Settings& settings,
                                const std::vector<int>& picked) {
  if (picked.empty()) return counted(maps_of(rows, outline, settings, all_columns(rows)), settings);
  const SplitColumns split = split_columns(rows, picked);
  std::vector<TargetMap> maps;
  for (TargetMap& map : maps_of(rows, outline, settings, split.picked)) {
    map.what = "picked " + map.what;
    map.share *= kByClass;
    if (!map.states.empty()) map.count_weight = 0.0;  // its sums count the rows
    maps.push_back(std::move(map));
  }
  for (TargetMap& map : maps_of(rows, outline, settings, split.others)) {
    map.what = "other " + map.what;
    map.share *= 1.0 - kByClass;
    map.by_part = false;
    maps.push_back(std::move(map));
  }
  return maps;
}

}  // namespace

MethodOption picks_option() {
  return {"picks",
          0,
          0,
          10000,
          true,
          "columns to be picked for learning by class, the others without; 0: by the number of rows, none if many"};
}

std::vector<PlannedRelease> plan_by_maps(MapsOf maps_of, const Outline& outline, const Settings& settings,
                                         const Ledger& ledger) {
  const OpenRows rows = open_rows(outline);
  const int picks = columns_to_pick(rows, outline, settings, ledger);
  if (picks == 0) {
    const std::vector<TargetMap> maps =
        worth_buying(rows, all_maps(maps_of, rows, outline, settings, {}), outline, ledger);
    return plan_embeddings(rows, maps, outline, ledger);
  }
  std::vector<PlannedRelease> list = plan_picks(rows, outline, picks, ledger);
  const PickShares shares = pick_shares(ledger.promise().relation);
  const auto add = [&](const char* what, double share) {  // of what, depends on the picks
    const double noise = ledger.noise_for_share(outline.budget * (1.0 - shares.classes - shares.picks) * share);
    list.push_back({what, 0, noise, count_sigma(noise, 1, ledger.promise())});
  };
  add("sums of picked columns by class", kByClass);
  add("sums of other columns", 1.0 - kByClass);
  return list;
}

Released release_by_maps(MapsOf maps_of, const PrivateTable& table, const Outline& outline, const Settings& settings,
                         Ledger& ledger, ThreadPool& threads) {
  const OpenRows rows = open_rows(outline);
  Embeddings known;
  if (const int picks = columns_to_pick(rows, outline, settings, ledger); picks > 0) {
    known = release_picks(table, rows, outline, picks, ledger, threads);
  }
  const std::vector<TargetMap> maps =
      worth_buying(rows, all_maps(maps_of, rows, outline, settings, known.picked), outline, ledger);
  return release_embeddings(table, rows, maps, outline, ledger, threads, std::move(known));
}

std::shared_ptr<const Generator> train_by_maps(MapsOf maps_of, const Released& released, const Training& training) {
  const auto& embeddings = std::get<Embeddings>(released);
  const OpenRows rows = open_rows(training.outline);
  std::vector<TargetMap> maps = all_maps(maps_of, rows, training.outline, training.settings, embeddings.picked);
  if (maps.size() > embeddings.list.size()) maps = without_thinning(std::move(maps));  // it was not worth buying
  return train_net(rows, embeddings, maps, training);
}

}  // namespace sosia
