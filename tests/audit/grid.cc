// SPDX-License-Identifier: Apache-2.0
#include "grid.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "audit_maps.h"
#include "base/thread_pool.h"

namespace sosia::audit {

namespace {

constexpr double kOwnKeys = 0.05;  // the chance that a key of one unit alone is shown

/// Worst-case rows for one kind of release.
struct Kind {
  const char* name;
  Mechanism mechanism;
  double delta;
  double reach;             ///< as in Scenario
  std::vector<Row> others;  ///< of other units; as many times as the unit that differs has rows
  Row nothing;              ///< a row that contributes nothing
  Row before, after;
  Shown (*ask)(Ledger& ledger, const Rows& rows, ThreadPool& threads);
  int cost = 1;  ///< as in Scenario, for units
};

template <class Map>
Shown ask_sum(Ledger& ledger, const Rows& rows, const Map& map, const NoisySum& how, ThreadPool& threads) {
  return shown(ledger.noisy_sum(rows.table(), map, how, threads));
}

Shown ask_picks(Ledger& ledger, const Rows& rows, const std::vector<double>& shares, ThreadPool& threads) {
  const auto picked =
      ledger.private_picks(rows.table(), ClassesTimesValues(), shares, {.count = 1, .epsilon = 3.0}, threads);
  return {{picked[0] == 0 ? 1.0 : 0.0}};
}

Keys ask_keys(Ledger& ledger, const Rows& rows, ThreadPool& threads) {
  return ledger.noisy_keys(PrivateKeys(std::make_unique<RowKeys>(rows), 1'000), {.noise = 1.0, .delta = kOwnKeys},
                           threads);
}

const NoisySum kUnitNoise{.noise = 1.0, .label = "audit"};

std::vector<Row> times(int count, const Row& row) { return {static_cast<std::size_t>(count), row}; }

std::vector<Row> held_by_many(int count) {
  std::vector<Row> rows = times(count, {1, 1});
  rows.insert(rows.end(), static_cast<std::size_t>(count), {2, 2});
  return rows;
}

std::vector<Kind> kinds() {
  const Row none{0, 0}, outside{9, 9}, no_number{NAN, 0}, along{0.6F, 0.8F}, against{-0.6F, -0.8F};
  const std::vector<Row> few{{0.3F, 0.1F}, {-0.2F, 0.4F}};
  return {
      {"sums", Gaussian{1.0}, 0.1, 1.0, few, none, against, along,
       [](Ledger& l, const Rows& r, ThreadPool& t) { return ask_sum(l, r, RowMap(1.0F, false), kUnitNoise, t); }},
      {"sums without negative entries",
       Gaussian{1.0},
       0.1,
       1.0,
       few,
       none,
       {0, 1},
       {1, 0},
       [](Ledger& l, const Rows& r, ThreadPool& t) { return ask_sum(l, r, RowMap(1.0F, true), kUnitNoise, t); }},
      {"counts",
       Gaussian{1.0},
       0.1,
       1.0,
       {none, none},
       outside,
       {0, 0},
       {1, 0},
       [](Ledger& l, const Rows& r, ThreadPool& t) {
         return shown(l.noisy_counts(r.table(), Histograms(), kUnitNoise, t));
       }},
      {"gradients",
       Gaussian{1.0},
       0.1,
       1.0,
       few,
       none,
       {0.75F, -8},
       {0.75F, 8},
       [](Ledger& l, const Rows& r, ThreadPool& t) { return ask_sum(l, r, RowGradients(), kUnitNoise, t); }},
      // One is within the bound, the other is not: their signs differ, too. What is no number has none.
      {"gradients with signs",
       Gaussian{1.0},
       0.1,
       1.0,
       few,
       no_number,
       {0.75F, -8},
       {0.75F, 0.7999F},
       [](Ledger& l, const Rows& r, ThreadPool& t) { return ask_sum(l, r, RowGradients(0.5), kUnitNoise, t); }},
      // The bound is that of a group: a steep unit outweighs the others and turns its group around.
      {"gradients by groups",
       GroupedGaussian{1.0, 2.0},
       0.1,
       1.0,
       {{0.75F, -4}, {0.75F, -3}},
       none,
       {0.75F, -50},
       {0.75F, 50},
       [](Ledger& l, const Rows& r, ThreadPool& t) {
         return ask_sum(l, r, RowGradients(), {.noise = 2.0, .label = "audit", .groups = 1}, t);
       }},
      // So many are expected in the first cell that what comes to the second moves a score by both.
      {"choice",
       Gaussian{1.0},
       0.1,
       1.0,
       {none, none},
       outside,
       {0, 0},
       {1, 0},
       [](Ledger& l, const Rows& r, ThreadPool& t) {
         const std::vector<double> expected = {50, 0, 50, 0, 50, 0};
         return shown(l.private_choice(r.table(), Histograms(), expected, 1, kUnitNoise, t).scores);
       }},
      // A value that one class alone has says the more about it the more rows have it.
      {"picks",
       Exponential{3.0},
       0.1,
       0.0,
       {{0, 2}},
       outside,
       {2, 2},
       {0, 0},
       [](Ledger& l, const Rows& r, ThreadPool& t) { return ask_picks(l, r, {0.5, 0.5}, t); }},
      {"picks by own shares",
       Exponential{3.0},
       0.1,
       0.0,
       times(30, none),
       outside,
       {2, 3},
       {3, 2},
       [](Ledger& l, const Rows& r, ThreadPool& t) { return ask_picks(l, r, {0.0, 0.0}, t); },
       5},
      // Keys that many hold are all shown: a chance of 1e-11 that one is not.
      {"keys that others hold",
       Gaussian{1.0},
       0.1,
       1.0,
       held_by_many(20),
       none,
       {1, 1},
       {2, 2},
       [](Ledger& l, const Rows& r, ThreadPool& t) { return shown(ask_keys(l, r, t).counts); },
       10},
      // Nothing but the threshold hides them, so that this is a matter of delta alone.
      {"keys that nobody else holds",
       PartitionSelection{0.0, kOwnKeys},
       kOwnKeys,
       0.0,
       {{1, 1}},
       none,
       {8, 8},
       {9, 9},
       [](Ledger& l, const Rows& r, ThreadPool& t) {
         const auto found = ask_keys(l, r, t).columns;
         const bool is_shown =
             std::ranges::any_of(found, [](const auto& keys) { return std::ranges::find(keys, "9") != keys.end(); });
         return Shown{{is_shown ? 1.0 : 0.0}};
       }},
  };
}

/// The table with or without the canary, which is what the relation makes of it.
Rows rows_of(const Kind& kind, const UnitShape& shape, Neighbors relation, bool with_canary) {
  Rows rows;
  if (!shape.unit.column.empty()) rows.units.emplace();
  const auto most = static_cast<std::uint64_t>(shape.unit.max_rows);  // few units take less time
  std::uint64_t number = 0;
  for (int i = 0; i < shape.rows; ++i) {
    for (const Row& other : kind.others) rows.add(other, number++ / most);
  }
  if (!with_canary && relation == Neighbors::add_remove) return rows;
  const Row& without = relation == Neighbors::replace ? kind.before : kind.nothing;
  for (int i = 0; i < shape.rows; ++i) rows.add(with_canary ? kind.after : without, kCanaryUnit);
  return rows;
}

Scenario scenario(const Kind& kind, const UnitShape& shape, Neighbors relation) {
  const bool is_by_groups = std::holds_alternative<GroupedGaussian>(kind.mechanism);
  const Promise promise{
      .epsilon = 100.0, .delta = 0.1, .relation = relation, .unit = shape.unit, .selection_delta = kOwnKeys};
  return {.name = name_of(kind.name, shape, relation),
          .claim = {relation, {{kind.mechanism}}},
          .delta = kind.delta,
          .reach = kind.reach,
          .cost = shape.unit.column.empty() ? 1 : kind.cost,
          .run = [=, ask = kind.ask, without = rows_of(kind, shape, relation, false),
                  with = rows_of(kind, shape, relation, true)](bool canary, std::uint64_t seed) {
            ThreadPool threads(1);
            Ledger ledger = Ledger::for_tests(promise, seed, is_by_groups ? Spending::renyi : Spending::gaussian);
            return ask(ledger, canary ? with : without, threads);
          }};
}

}  // namespace

Shown shown(const Release& release) {
  const double cells_of_sigma = release.sigma() / release.step();
  Shown result{.is_normal = true};
  for (const std::int64_t cell : release.cells()) {
    result.numbers.push_back(static_cast<double>(cell) / cells_of_sigma);
  }
  return result;
}

std::vector<Scenario> scenarios_of_rows() {
  std::vector<Scenario> all;
  for (const Kind& kind : kinds()) {
    for (const UnitShape& shape : kUnitShapes) {
      for (const Neighbors relation : kRelations) all.push_back(scenario(kind, shape, relation));
    }
  }
  return all;
}

}  // namespace sosia::audit
