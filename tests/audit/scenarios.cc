// SPDX-License-Identifier: Apache-2.0
#include "scenarios.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <sosia/ledger.h>

#include "base/thread_pool.h"
#include "data/private_table.h"
#include "privacy/bounded_map.h"
#include "privacy/count_map.h"
#include "privacy/factored_map.h"

namespace sosia::audit {

namespace {

constexpr std::uint64_t kCanaryUnit = 77;
constexpr std::int64_t kRowLimit = 1'000;

/// Rows of two numbers; the canary's rows come last.
struct Rows {
  std::vector<float> values = {};
  std::vector<std::uint64_t> units = {};
};

PrivateTable table_of(Rows rows) {
  std::optional<std::vector<std::uint64_t>> units;
  if (!rows.units.empty()) units = std::move(rows.units);
  return PrivateTable(rows_in_memory(std::move(rows.values), 2, std::move(units)), kRowLimit);
}

/// The row itself as its vector, times a factor that the declared bound of 1 does not know of.
class RowMap final : public BoundedMap {
 public:
  RowMap(float factor, bool nonnegative) : factor_(factor), nonnegative_(nonnegative) {}
  int dim() const override { return 2; }
  double norm_bound() const override { return 1.0; }
  bool nonnegative() const override { return nonnegative_; }
  void forward(MatrixView<const float> rows, MatrixView<float> vectors) const override {
    for (std::size_t i = 0; i < rows.rows; ++i) {
      for (std::size_t j = 0; j < 2; ++j) vectors.row(i)[j] = factor_ * rows.row(i)[j];
    }
  }

 private:
  float factor_;
  bool nonnegative_;
};

/// Three histograms of the first number, which is 0 or 1.
class Histograms final : public CountMap {
 public:
  std::span<const CountSlot> slots() const override { return slots_; }
  void forward(MatrixView<const float> rows, MatrixView<std::uint32_t> cells) const override {
    for (std::size_t i = 0; i < rows.rows; ++i) {
      std::ranges::fill(cells.row(i), static_cast<std::uint32_t>(rows.row(i)[0]));
    }
  }

 private:
  std::vector<CountSlot> slots_{{2, 1.0}, {2, 2.0}, {2, 0.5}};
};

/// Each number is a cell of its own slot: 2 class + value.
class ClassesTimesValues final : public CountMap {
 public:
  std::span<const CountSlot> slots() const override { return slots_; }
  void forward(MatrixView<const float> rows, MatrixView<std::uint32_t> cells) const override {
    for (std::size_t i = 0; i < rows.rows; ++i) {
      for (std::size_t j = 0; j < 2; ++j) cells.row(i)[j] = static_cast<std::uint32_t>(rows.row(i)[j]);
    }
  }

 private:
  std::vector<CountSlot> slots_{{4, 1.0}, {4, 1.0}};
};

/// The gradient of a layer of one input and one output: (a g, g) for a row (a, g), whatever its norm.
class RowGradients final : public FactoredMap {
 public:
  std::span<const FactorShape> shapes() const override { return shapes_; }
  double norm_bound() const override { return 1.0; }
  void forward(MatrixView<const float> rows, std::span<const FactorPair<float>> factors) const override {
    for (std::size_t i = 0; i < rows.rows; ++i) {
      factors[0].left.row(i)[0] = rows.row(i)[0];
      factors[0].right.row(i)[0] = rows.row(i)[1];
    }
  }

 private:
  std::vector<FactorShape> shapes_{{1, 1}};
};

const NoisySum kUnitNoise{.noise = 1.0, .label = "audit"};

Ledger ledger_for(const Promise& promise, std::uint64_t seed, Spending spending) {
  return Ledger::for_tests(promise, seed, spending);
}

/// The released vector's component along the canary's direction.
template <class Map>
Scenario dense(const std::string& name, Promise promise, const std::shared_ptr<const Map>& map, const Rows& without,
               const Rows& with, std::pair<double, double> direction, const NoisySum& how = kUnitNoise) {
  promise.epsilon = 100.0;
  promise.delta = 1e-6;
  Event event{Gaussian{how.noise}};
  const bool is_plain = how.rate == 1.0 && how.groups == 0;
  if (how.rate < 1.0) event.mechanism = SampledGaussian{how.rate, how.noise};
  if (how.groups > 0) event.mechanism = GroupedGaussian{how.rate, how.noise};
  return {name,
          {.relation = promise.relation, .events = {event}},
          how.rate < 1.0 ? 0.0 : (how.groups > 0 ? 2.0 : 1.0) / how.noise,
          [=](bool canary, std::uint64_t seed) {
            ThreadPool threads(1);
            Ledger ledger = ledger_for(promise, seed, is_plain ? Spending::gaussian : Spending::renyi);
            const Release release = ledger.noisy_sum(table_of(canary ? with : without), *map, how, threads);
            return release.values()[0] * direction.first + release.values()[1] * direction.second;
          }};
}

Scenario counts(const std::string& name, Neighbors relation, const Rows& without, const Rows& with, double sign) {
  const Promise promise{.epsilon = 100.0, .delta = 1e-6, .relation = relation};
  return {name, {.relation = relation, .events = {{Gaussian{1.0}}}}, 1.0, [=](bool canary, std::uint64_t seed) {
            ThreadPool threads(1);
            Ledger ledger = ledger_for(promise, seed, Spending::gaussian);
            const auto release =
                ledger.noisy_counts(table_of(canary ? with : without), Histograms(), kUnitNoise, threads);
            // Cells 1, 3 and 5 are where a row with a 1 goes; cells 0, 2 and 4 where a replaced one came from.
            const auto v = release.values();
            const double gained = v[1] + 2.0 * v[3] + 0.5 * v[5];
            return relation == Neighbors::replace ? gained - sign * (v[0] + 2.0 * v[2] + 0.5 * v[4]) : gained;
          }};
}

Scenario choice(const std::string& name, const Rows& without, const Rows& with) {
  const Promise promise{.epsilon = 100.0, .delta = 1e-6};
  return {name, {.events = {{Gaussian{1.0}}}}, 1.0, [=](bool canary, std::uint64_t seed) {
            ThreadPool threads(1);
            Ledger ledger = ledger_for(promise, seed, Spending::gaussian);
            const std::vector<double> expected(6, 0.0);
            const auto picked = ledger.private_choice(table_of(canary ? with : without), Histograms(), expected, 1,
                                                      kUnitNoise, threads);
            const auto v = picked.scores.values();
            return v[0] + 2.0 * v[1] + 0.5 * v[2];
          }};
}

/// Whether the first of two slots is picked. Shares of classes that are all 0 are those of the rows.
Scenario pick(const std::string& name, Neighbors relation, const Rows& without, const Rows& with,
              const std::vector<double>& shares = {0.5, 0.5}) {
  const Promise promise{.epsilon = 100.0, .delta = 1e-6, .relation = relation};
  return {name, {.relation = relation, .events = {{Exponential{1.0}}}}, 0.0, [=](bool canary, std::uint64_t seed) {
            ThreadPool threads(1);
            Ledger ledger = ledger_for(promise, seed, Spending::gaussian);
            const auto picked = ledger.private_picks(table_of(canary ? with : without), ClassesTimesValues(), shares,
                                                     {.count = 1, .epsilon = 1.0}, threads);
            return picked[0] == 0 ? 1.0 : 0.0;
          }};
}

Rows repeated(int times) {
  Rows rows{.values = {0.3F, 0.1F, -0.2F, 0.4F}, .units = {1, 2}};
  for (int i = 0; i < times; ++i) {
    rows.values.insert(rows.values.end(), {0.6F, 0.8F});
    rows.units.push_back(kCanaryUnit);
  }
  return rows;
}

/// One row of class 1 with these cells, and many of class 0 that all have value 0 in both slots.
Rows lone(float first, float second) {
  Rows rows{.values = std::vector<float>(60, 0.0F)};
  rows.values.insert(rows.values.end(), {first, second});
  return rows;
}

}  // namespace

std::vector<Scenario> all_scenarios() {
  const auto row = std::make_shared<const RowMap>(1.0F, false);
  const auto liar = std::make_shared<const RowMap>(10.0F, false);
  const auto positive = std::make_shared<const RowMap>(1.0F, true);
  const auto gradients = std::make_shared<const RowGradients>();
  const Rows steep{.values = {0.3F, 0.1F, -0.2F, 0.4F, 0.75F, 8.0F}};
  // By groups, the sum of the gradients is shrunk: a steep row outweighs the others.
  const Rows downhill{.values = {0.75F, -4.0F, 0.75F, -3.0F}},
      uphill{.values = {0.75F, -4.0F, 0.75F, -3.0F, 0.75F, 50.0F}};
  const Rows none{}, alone{.values = {0.6F, 0.8F}}, nulled{.values = {0.0F, 0.0F, 0.3F, 0.1F}};
  const Rows few{.values = {0.3F, 0.1F, -0.2F, 0.4F}}, more{.values = {0.3F, 0.1F, -0.2F, 0.4F, 0.6F, 0.8F}};
  const Rows minus{.values = {0.3F, 0.1F, -0.6F, -0.8F}}, plus{.values = {0.6F, 0.8F, 0.3F, 0.1F}};
  const Rows first{.values = {0.3F, 0.1F, 1.0F, 0.0F}}, second{.values = {0.3F, 0.1F, 0.0F, 1.0F}};
  const Rows zeros{.values = {0.0F, 0.0F, 0.0F, 0.0F}}, one_changed{.values = {0.0F, 0.0F, 1.0F, 0.0F}};
  const Rows one_more{.values = {0.0F, 0.0F, 0.0F, 0.0F, 1.0F, 0.0F}};
  // A value that one class alone has says the more about it the more rows have it.
  const Rows tied{.values = {0.0F, 2.0F}}, first_up{.values = {0.0F, 2.0F, 0.0F, 0.0F}};
  const Rows second_up{.values = {0.0F, 2.0F, 2.0F, 2.0F}};
  const std::vector<double> own = {0.0, 0.0};
  const std::pair along{0.6, 0.8};
  const Promise replace{.relation = Neighbors::replace}, units{.unit = {"id", 4}};
  return {
      dense("add-remove, a row of full norm", {}, row, few, more, along),
      dense("zero-out, a row of full norm", {.relation = Neighbors::zero_out}, row, nulled, plus, along),
      dense("add-remove, a map that lies about its bound", {}, liar, none, alone, along),
      dense("replace, opposite rows", replace, row, minus, plus, along),
      dense("replace, rows without negative entries", replace, positive, second, first, {0.7, -0.7}),
      dense("a unit of 4 rows", units, row, repeated(0), repeated(4), along),
      dense("a unit of 9 rows where 4 are allowed", units, row, repeated(0), repeated(9), along),
      dense("a sample of every fifth unit", {}, row, few, more, along, {.noise = 0.5, .rate = 0.2, .label = "audit"}),
      dense("a step of DP-SGD, a gradient of ten times its bound", {}, gradients, few, steep, along),
      dense("a step of DP-SGD on every fifth row", {}, gradients, few, steep, along,
            {.noise = 0.5, .rate = 0.2, .label = "audit"}),
      dense("a group that one row more turns around", {}, gradients, downhill, uphill, along,
            {.noise = 2.0, .label = "audit", .groups = 1}),
      dense("the same, every second group", {}, gradients, downhill, uphill, along,
            {.noise = 1.0, .rate = 0.5, .label = "audit", .groups = 1}),
      counts("counts, one row more", Neighbors::add_remove, zeros, one_more, 0.0),
      counts("counts, one row replaced", Neighbors::replace, zeros, one_changed, 1.0),
      choice("private choice", zeros, one_more),
      pick("private pick, one row more", Neighbors::add_remove, tied, first_up),
      pick("private pick, one row replaced", Neighbors::replace, second_up, first_up),
      pick("private pick by own shares, one row replaced", Neighbors::replace, lone(2.0F, 3.0F), lone(3.0F, 2.0F), own),
  };
}

}  // namespace sosia::audit
