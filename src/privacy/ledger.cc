// SPDX-License-Identifier: Apache-2.0
#include <sosia/ledger.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include <sosia/certificate.h>
#include <sosia/error.h>
#include <sosia/ledger_file.h>
#include <sosia/run_file.h>
#include <sosia/version.h>

#include "base/json_reader.h"
#include "base/thread_pool.h"
#include "data/unit_hash.h"
#include "privacy/accounting/filter.h"
#include "privacy/accounting/gaussian.h"
#include "privacy/door.h"
#include "privacy/requests.h"
#include "privacy/scores.h"
#include "random/secure_rng.h"

namespace sosia {

struct Ledger::State {
  std::optional<accounting::Filter> filter;  ///< nothing: no noise, no promise
  NoiseSource noise;
  UnitHash unit_hash = {};
  std::optional<Plan> plan = std::nullopt;
  std::vector<Event> events = {};
  std::string ledger_head = {};

  Promise no_promise = {};

  const Promise& promise() const { return filter ? filter->promise() : no_promise; }

  /// After this the event is spent, whatever happens next. Events of one kind that follow each other, such as the steps
  /// of a training, are written down as one.
  void charge(const Event& event) {
    events.reserve(events.size() + 1);  // what may fail, fails before the charge
    Event copy = event;
    if (filter) filter->charge(event);
    if (!events.empty() && events.back().mechanism == event.mechanism && events.back().label == event.label) {
      events.back().count += event.count;
    } else {
      events.push_back(std::move(copy));
    }
  }
};

namespace {

void check(bool holds, const std::string& what, const std::string& where, const std::string& fix) {
  if (!holds) throw Error(ErrorKind::usage, what, where, fix);
}

void check_how(const NoisySum& how) {
  const std::string where = how.label.empty() ? "a noisy sum" : fmt::format("the noisy sum {}", shown(how.label));
  check(std::isfinite(how.noise) && how.noise > 0.0, fmt::format("the noise multiplier is {}", how.noise), where,
        "give a finite multiplier above 0, for instance from noise_for_share");
  check(how.rate > 0.0 && how.rate <= 1.0, fmt::format("the sampling rate is {}", how.rate), where,
        "give a rate above 0 and at most 1");
  check(how.groups >= 0 && how.groups <= GroupChoice::kMostGroups, fmt::format("there are {} groups", how.groups),
        where, "give a number up to 2^31; 0 for no groups");
  check_text(how.label, where, false);  // certificates show it
}

template <class Table>
void check_units(const Table& table, const Promise& promise) {
  const std::string where = "a noisy sum; nothing was spent";
  const bool promised = !promise.unit.column.empty();
  check(table.has_units() || !promised,
        fmt::format("the promise protects units told apart by \"{}\", but the table has no unit ids",
                    promise.unit.column),
        where, "read the table with its unit column, or promise the protection of single rows");
  check(promised || !table.has_units(), "the table has unit ids, but the promise protects single rows only", where,
        "name the unit column in the promise, or read the table without it");
}

void check_for_shards(const PrivacyUnit& unit, const NoisySum& how) {
  check(how.rate == 1.0 && how.groups == 0, "a partial sum cannot be sampled", "a partial sum",
        "use rate 1: the secret key that draws the sample would have to be shared by all shards");
  check(unit.column.empty(), "a partial sum cannot bound the rows of a privacy unit", "a partial sum",
        "sum the whole table at once: the rows of one unit may lie in several shards");
}

void check_same_promise(const Promise& file, const Promise& run) {
  if (file.relation == run.relation && file.unit.column == run.unit.column && file.unit.max_rows == run.unit.max_rows) {
    return;
  }
  throw Error(ErrorKind::budget,
              "the promise of this run has another neighbouring relation or privacy unit than the ledger file",
              "the ledger file; nothing was spent", "promise what the file promises: `sosia ledger show` tells");
}

}  // namespace

Event event_of(const NoisySum& how, std::int64_t count) {
  if (how.groups > 0) return {GroupedGaussian{how.rate, how.noise}, count, how.label};
  if (how.rate < 1.0) return {SampledGaussian{how.rate, how.noise}, count, how.label};
  return {Gaussian{how.noise}, count, how.label};
}

const char* name_of(Spending spending) noexcept {
  switch (spending) {
    case Spending::gaussian:
      return "gaussian";
    case Spending::renyi:
      return "renyi";
    case Spending::planned:
      return "planned";
  }
  return "unknown";
}

Spending spending_from(std::string_view name) {
  for (const Spending spending : {Spending::gaussian, Spending::renyi}) {
    if (name == name_of(spending)) return spending;
  }
  throw Error(ErrorKind::usage, fmt::format("there is no way of spending {}", shown(name)), "spending",
              "choose one of: gaussian, renyi");
}

Ledger::Ledger(std::unique_ptr<State> state) : state_(std::move(state)) {}

Ledger::Ledger(const Promise& promise, Spending spending, const RunFile* run)
    : Ledger(std::make_unique<State>(State{accounting::Filter(promise, spending),
                                           {run == nullptr ? SecureRng() : run->noise()},
                                           run == nullptr ? UnitHash() : run->unit_hash()})) {}

Ledger::Ledger(const Promise& promise, Plan plan, const RunFile* run)
    : Ledger(std::make_unique<State>(State{accounting::Filter(promise, plan),
                                           {run == nullptr ? SecureRng() : run->noise()},
                                           run == nullptr ? UnitHash() : run->unit_hash(),
                                           plan})) {}

Ledger Ledger::reserved(LedgerFile& file, const Promise& promise, const std::string& purpose, const RunFile* run) {
  check_same_promise(file.promise(), promise);
  Ledger ledger(promise, Spending::gaussian, run);
  // Everything that this ledger can ever release is, together, no worse than one Gaussian release of the mu of its
  // promise.
  Plan whole{promise.relation,
             {{Gaussian{1.0 / std::sqrt(ledger.state_->filter->reserve_mu2())}, 1, "all of one run"}}};
  if (promise.selection_delta > 0.0)
    whole.events.push_back({PartitionSelection{0.0, promise.selection_delta}, 1, "keys"});
  ledger.state_->ledger_head = file.reserve(whole, purpose, run == nullptr ? std::string() : run->id()).head;
  return ledger;
}

Ledger Ledger::reserved(LedgerFile& file, const Promise& promise, const Plan& plan, const std::string& purpose,
                        const RunFile* run) {
  check_same_promise(file.promise(), promise);
  Ledger ledger(promise, plan, run);
  ledger.state_->ledger_head = file.reserve(plan, purpose, run == nullptr ? std::string() : run->id()).head;
  return ledger;
}

Ledger Ledger::for_tests(const Promise& promise, std::uint64_t seed, Spending spending) {
  return Ledger(std::make_unique<State>(State{accounting::Filter(promise, spending), {SecureRng::for_tests(seed)}}));
}

Ledger Ledger::for_tests(const Promise& promise, const Plan& plan, std::uint64_t seed) {
  return Ledger(
      std::make_unique<State>(State{accounting::Filter(promise, plan), {SecureRng::for_tests(seed)}, {}, plan}));
}

Ledger Ledger::without_privacy(Neighbors relation, const PrivacyUnit& unit) {
  auto state = std::make_unique<State>(State{std::nullopt, {SecureRng(), true}});
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  state->no_promise = {.epsilon = kInfinity, .delta = 1.0, .relation = relation, .unit = unit, .selection_delta = 0.5};
  return Ledger(std::move(state));
}

double epsilon_of_picks(double noise, int count) {
  return accounting::range_of_gaussian(1.0 / (noise * std::sqrt(static_cast<double>(count))));
}

Ledger::Ledger(Ledger&&) noexcept = default;
Ledger::~Ledger() = default;

const Promise& Ledger::promise() const { return state_->promise(); }
const std::vector<Event>& Ledger::events() const { return state_->events; }
const Plan* Ledger::plan() const { return state_->plan ? &*state_->plan : nullptr; }
bool Ledger::has_guarantee() const { return state_->noise.has_guarantee(); }
bool Ledger::is_private() const { return state_->filter.has_value(); }
const UnitHash& Ledger::unit_hash() const { return state_->unit_hash; }

double Ledger::price(const Event& event) const {
  return is_private() ? state_->filter->price(event) : promise().epsilon;
}

double Ledger::spent_epsilon() const { return is_private() ? state_->filter->spent_epsilon() : promise().epsilon; }

double Ledger::noise_for_share(double share) const {
  const std::string where = "the noise for a share of the budget";
  check(share > 0.0 && share <= 1.0, fmt::format("the share is {}", share), where, "give a share above 0, 1 at most");
  constexpr double kHardlyAny = 1e-3;
  if (!is_private()) return kHardlyAny;
  check(state_->filter->spending() == Spending::gaussian, "only a ledger with Gaussian spending has shares of mu^2",
        where, "take the noise from a calibrated plan instead");
  const double mu2 = share * state_->filter->remaining_mu2();
  if (!(mu2 > 0.0)) {
    throw Error(ErrorKind::budget, "nothing is left of the budget", where, "open a ledger with a larger promise");
  }
  // Rounded up by more than the filter's own roundings, so that a share of 1 is affordable.
  return 1.0 / std::sqrt(mu2) * (1.0 + 0x1p-48);
}

template <class Map>
Release Ledger::release_of(const PrivateTable& table, const Map& map, const NoisySum& how, ThreadPool& threads) {
  check_how(how);
  check_units(table, promise());
  const Door door(table, request_for(map, how, promise(), table.row_limit()), threads);
  const Event event = event_of(how);
  state_->charge(event);
  Noise noise = Door::draw_noise(numbers_of(map), door.lattice(), state_->noise, threads);
  if constexpr (std::is_same_v<Map, FactoredMap>) {
    if (how.groups > 0) {
      RowChoice bound(1.0, promise().unit.max_rows, nullptr);
      const GroupChoice groups(how.rate, how.groups, state_->noise.rng);
      return Door::release(door.sum(map, bound, groups), std::move(noise), event);
    }
  }
  RowChoice choice(how.rate, promise().unit.max_rows, &state_->noise.rng);
  return Door::release(door.sum(map, choice), std::move(noise), event);
}

Release Ledger::noisy_sum(const PrivateTable& table, const BoundedMap& map, const NoisySum& how, ThreadPool& threads) {
  return release_of(table, map, how, threads);
}

Release Ledger::noisy_sum(const PrivateTable& table, const FactoredMap& map, const NoisySum& how, ThreadPool& threads) {
  return release_of(table, map, how, threads);
}

Release Ledger::noisy_counts(const PrivateTable& table, const CountMap& map, const NoisySum& how, ThreadPool& threads) {
  return release_of(table, map, how, threads);
}

Keys Ledger::noisy_keys(const PrivateKeys& keys, const NoisyKeys& how, ThreadPool& threads) {
  check_how({.noise = how.noise, .label = how.label});
  check(how.delta > 0.0 && how.delta < 1.0, fmt::format("the delta of a threshold is {}", how.delta),
        "a release of keys", "give a delta above 0 and below 1, out of the promise's selection_delta");
  check_units(keys, promise());
  const GridRequest request{.noise = how.noise,
                            .norm_bound = std::sqrt(static_cast<double>(keys.columns())),
                            .nonnegative = true,
                            .relation = promise().relation,
                            .max_rows = promise().unit.max_rows,
                            .row_limit = keys.row_limit()};
  make_lattice(request);  // what is out of range is refused before the charge
  const Event noise{Gaussian{how.noise}, 1, how.label};
  const Event selection{PartitionSelection{0.0, how.delta}, 1, how.label};
  if (is_private() && !std::isfinite(price(selection))) state_->charge(selection);  // is refused, and nothing is spent
  state_->charge(noise);
  state_->charge(selection);
  return Door::release_keys(keys, request, noise, how.delta, state_->noise, threads);
}

template <class Map>
PartialSum Ledger::partial_of(const PrivateTable& table, const Map& map, const NoisySum& how,
                              ThreadPool& threads) const {
  check_how(how);
  check_for_shards(promise().unit, how);
  check_units(table, promise());
  RowChoice everything(1.0, 1, nullptr);
  return Door(table, request_for(map, how, promise(), table.row_limit()), threads).sum(map, everything);
}

PartialSum Ledger::partial_sum(const PrivateTable& table, const BoundedMap& map, const NoisySum& how,
                               ThreadPool& threads) const {
  return partial_of(table, map, how, threads);
}

PartialSum Ledger::partial_counts(const PrivateTable& table, const CountMap& map, const NoisySum& how,
                                  ThreadPool& threads) const {
  return partial_of(table, map, how, threads);
}

Release Ledger::noisy_sum(const PartialSum& sum, const NoisySum& how) {
  check_how(how);
  check_for_shards(promise().unit, how);
  const GridRequest& made_for = sum.request();
  check(made_for.noise == how.noise, "the partial sum was made for another noise multiplier", "a noisy sum of shards",
        fmt::format("use the multiplier that it was made for, {}", made_for.noise));
  check(made_for.relation == promise().relation,
        fmt::format("the partial sum was made under {}, the promise is under {}", name_of(made_for.relation),
                    name_of(promise().relation)),
        "a noisy sum of shards", "sum the shards under the relation of the promise");
  const Event event = event_of(how);
  state_->charge(event);
  ThreadPool alone(1);
  return Door::release(sum, Door::draw_noise(sum.size(), make_lattice(made_for), state_->noise, alone), event);
}

Choice Ledger::private_choice(const PrivateTable& table, const CountMap& map, std::span<const double> expected,
                              int picks, const NoisySum& how, ThreadPool& threads) {
  const std::string where = "a private choice";
  check_how(how);
  check_units(table, promise());
  check(how.rate == 1.0, "a private choice cannot be sampled", where, "use rate 1");
  GridRequest request = request_for(map, how, promise(), table.row_limit());
  request.nonnegative = false;  // scores of replaced rows can move both ways
  check(expected.size() == numbers_of(map),
        fmt::format("{} counts are expected in {} cells", expected.size(), numbers_of(map)), where,
        "give one expected count for every cell of every slot");
  check(std::all_of(expected.begin(), expected.end(), [](double x) { return std::isfinite(x); }),
        "an expected count is not a finite number", where, "give finite counts");
  const std::size_t slots = map.slots().size();
  check(picks >= 1 && static_cast<std::size_t>(picks) <= slots,
        fmt::format("{} of {} slots are to be picked", picks, slots), where, "pick at least one slot and at most all");
  const Door door(table, request, threads);
  const Event event = event_of(how);
  state_->charge(event);
  Noise noise = Door::draw_noise(slots, door.lattice(), state_->noise, threads);
  RowChoice choice(1.0, promise().unit.max_rows, nullptr);
  Release scores = Door::release_scores(door.sum(map, choice), map, expected, std::move(noise), event);
  std::vector<int> picked = largest(scores.cells(), picks);
  return {std::move(picked), std::move(scores)};
}

std::vector<int> Ledger::private_picks(const PrivateTable& table, const CountMap& map,
                                       std::span<const double> class_shares, const Picks& how, ThreadPool& threads) {
  const std::string where = "private picks";
  check_units(table, promise());
  check_text(how.label, where, false);
  check(how.epsilon > 0.0 && how.epsilon <= 1e6, fmt::format("the epsilon of a pick is {}", how.epsilon), where,
        "give one above 0, for instance from epsilon_of_picks");
  check(how.count >= 1 && static_cast<std::size_t>(how.count) <= map.slots().size(),
        fmt::format("{} of {} slots are to be picked", how.count, map.slots().size()), where,
        "pick at least one slot and at most all");
  check(class_shares.size() >= 2 && std::all_of(class_shares.begin(), class_shares.end(),
                                                [](double share) { return share >= 0.0 && std::isfinite(share); }),
        "the shares of the classes are not numbers from 0, of two classes or more", where, "give one for every class");
  check(std::all_of(map.slots().begin(), map.slots().end(),
                    [&](const CountSlot& slot) { return slot.width % class_shares.size() == 0; }),
        "a slot is not made of the classes", where, "give each slot the cells of classes times values");
  check(how.chance.empty() ||
            (how.chance.size() == map.slots().size() &&
             std::all_of(how.chance.begin(), how.chance.end(), [](double x) { return x >= 0.0 && x < 1e9; })),
        "what is taken off the scores is not a number of rows for each slot", where, "give one from 0 for every slot");
  const NoisySum on_grid{.noise = 1.0};  // a grid wants some noise; none is added to these counts
  const Door door(table, request_for(map, on_grid, promise(), table.row_limit()), threads);
  const std::vector<std::int64_t> weights = grid_weights(map.slots(), door.lattice());
  check(std::all_of(weights.begin(), weights.end(), [](std::int64_t weight) { return weight >= 1; }),
        fmt::format("there is no exact grid for the weights of these slots and {} rows of one unit",
                    promise().unit.max_rows),
        where, "promise fewer rows of one unit (max_rows), or give the slots weights that differ less");
  state_->charge({Exponential{how.epsilon}, how.count, how.label});
  RowChoice choice(1.0, promise().unit.max_rows, nullptr);
  return Door::pick(door.sum(map, choice), map, LabelScores(class_shares), how, state_->noise);
}

Certificate Ledger::certificate() const {
  Certificate certificate;
  certificate.promise = promise();
  certificate.is_private = is_private();
  if (is_private()) certificate.spending = state_->filter->spending();
  certificate.spent_epsilon = spent_epsilon();
  certificate.events = events();
  certificate.ledger_head = state_->ledger_head;
  certificate.version = version();
  certificate.test_noise = state_->noise.rng.is_test();
  if (promise().relation != Neighbors::add_remove) certificate.declared.push_back("the number of records");
  if (!is_private()) {
    certificate.events.clear();  // no noise, so none of them took place
    return certificate;
  }
  std::vector<double> deltas;
  for (const double factor : {100.0, 10.0, 1.0, 0.1, 0.01}) {
    const double delta = promise().delta * factor;
    if (delta > promise().selection_delta && delta < 0.5) deltas.push_back(delta);
  }
  if (state_->plan) {
    for (const auto& point : curve(*state_->plan, deltas)) certificate.curve.push_back(point);
  } else {
    for (const double delta : deltas) certificate.curve.emplace_back(delta, state_->filter->epsilon_at(delta));
  }
  return certificate;
}

}  // namespace sosia
