// SPDX-License-Identifier: Apache-2.0
#include <sosia/ledger.h>

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <type_traits>

#include <sosia/certificate.h>

#include "base/thread_pool.h"
#include "privacy/door_test_support.h"
#include "privacy/lattice.h"
#include "random/public_rng.h"

namespace sosia {
namespace {

static_assert(!std::is_copy_constructible_v<Ledger> && !std::is_copy_assignable_v<Ledger> &&
                  !std::is_move_assignable_v<Ledger>,
              "a budget can neither be copied nor reset");
static_assert(!std::is_default_constructible_v<Release> &&
                  !std::is_constructible_v<Release, std::vector<std::int64_t>, double, double, Event, bool>,
              "only a ledger makes releases");

const Promise kPromise{.epsilon = 1.0, .delta = 1e-5};

PrivateTable ones(std::size_t rows = 100) {
  return PrivateTable(rows_in_memory(std::vector<float>(rows, 1.0F), 1), 1'000'000);
}

class LedgerTest : public testing::Test {
 protected:
  ThreadPool pool_{2};
  RowMap map_{1, 1.0};
};

TEST_F(LedgerTest, RefusesPromisesThatMeanNothing) {
  const auto kind = [](const Promise& promise) { return kind_thrown_by([&] { Ledger ledger(promise); }); };
  for (const double epsilon : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_EQ(kind({.epsilon = epsilon, .delta = 1e-5}), ErrorKind::usage);
  }
  for (const double delta : {0.0, -1.0, 1.0, 2.0, std::nan("")}) {
    EXPECT_EQ(kind({.epsilon = 1.0, .delta = delta}), ErrorKind::usage);
  }
  EXPECT_EQ(kind({.unit = {"id", 0}}), ErrorKind::usage);
  EXPECT_EQ(kind({.unit = {"", 2}}), ErrorKind::usage);
}

TEST_F(LedgerTest, ChargesWhatItReleasesAndRefusesWhatWouldOverspend) {
  Ledger ledger(kPromise);
  EXPECT_TRUE(ledger.has_guarantee());
  EXPECT_EQ(ledger.spent_epsilon(), 0.0);
  const double noise = ledger.noise_for_share(0.6);
  const double price = ledger.price({Gaussian{noise}, 1, ""});
  EXPECT_TRUE(ledger.events().empty()) << "asking for a price costs nothing";
  ledger.noisy_sum(ones(), map_, {.noise = noise, .label = "first"}, pool_);
  EXPECT_EQ(ledger.events().size(), 1U);
  EXPECT_NEAR(ledger.spent_epsilon(), price, 1e-9);
  EXPECT_EQ(kind_thrown_by([&] { ledger.noisy_sum(ones(), map_, {.noise = noise}, pool_); }), ErrorKind::budget);
  EXPECT_EQ(ledger.events().size(), 1U);
  EXPECT_NEAR(ledger.spent_epsilon(), price, 1e-9);
  ledger.noisy_sum(ones(), map_, {.noise = ledger.noise_for_share(1.0)}, pool_);
  EXPECT_LE(ledger.spent_epsilon(), 1.0 + 1e-9);
  EXPECT_GT(ledger.spent_epsilon(), 0.9999);
  EXPECT_EQ(kind_thrown_by([&] { ledger.noisy_sum(ones(), map_, {.noise = 1e4}, pool_); }), ErrorKind::budget);
}

TEST_F(LedgerTest, SharesOfWhatIsLeftNeverOverspend) {
  PublicRng rng(1);
  for (int i = 0; i < 200; ++i) {
    Ledger ledger = Ledger::for_tests(
        {.epsilon = std::exp(6 * rng.uniform() - 4), .delta = std::exp(-20 * rng.uniform() - 2.5)}, 1);
    for (int j = 0; j < 5; ++j)
      ledger.noisy_sum(ones(2), map_, {.noise = ledger.noise_for_share(rng.uniform() * 0.9 + 0.05)}, pool_);
    ledger.noisy_sum(ones(2), map_, {.noise = ledger.noise_for_share(1.0)}, pool_);
  }
}

TEST_F(LedgerTest, ReadsNothingWhenItRefuses) {
  std::atomic<bool> was_read = false;
  const PrivateTable table(std::make_unique<TrapSource>(was_read), 1000);
  const ColumnCounts counts({{2, 1.0}});
  const std::vector<double> expected = {1.0, 1.0};
  Ledger ledger(kPromise);
  const NoisySum greedy{.noise = 0.01};
  EXPECT_EQ(kind_thrown_by([&] { ledger.noisy_sum(table, map_, greedy, pool_); }), ErrorKind::budget);
  EXPECT_EQ(kind_thrown_by([&] { ledger.noisy_counts(table, counts, greedy, pool_); }), ErrorKind::budget);
  EXPECT_EQ(kind_thrown_by([&] { ledger.private_choice(table, counts, expected, 1, greedy, pool_); }),
            ErrorKind::budget);
  for (const double noise : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_EQ(kind_thrown_by([&] { ledger.noisy_sum(table, map_, {.noise = noise}, pool_); }), ErrorKind::usage);
  }
  for (const double rate : {0.0, -0.5, 1.5, std::nan("")}) {
    EXPECT_EQ(kind_thrown_by([&] { ledger.noisy_sum(table, map_, {.noise = 10.0, .rate = rate}, pool_); }),
              ErrorKind::usage);
  }
  EXPECT_EQ(kind_thrown_by([&] { ledger.noisy_sum(table, map_, {.noise = 10.0, .label = "a\nb"}, pool_); }),
            ErrorKind::usage);
  EXPECT_EQ(kind_thrown_by([&] { ledger.noisy_sum(table, RowMap(0, 1.0), {.noise = 10.0}, pool_); }), ErrorKind::usage);
  EXPECT_EQ(kind_thrown_by([&] { ledger.noisy_sum(table, RowMap(1, -1.0), {.noise = 10.0}, pool_); }),
            ErrorKind::usage);
  EXPECT_FALSE(was_read);
  EXPECT_TRUE(ledger.events().empty());
  EXPECT_EQ(ledger.spent_epsilon(), 0.0);
}

TEST_F(LedgerTest, ChargesBeforeItReads) {
  std::atomic<bool> was_read = false;
  const PrivateTable table(std::make_unique<TrapSource>(was_read), 1000);
  Ledger ledger(kPromise);
  EXPECT_THROW(ledger.noisy_sum(table, map_, {.noise = 10.0}, pool_), std::runtime_error);
  EXPECT_TRUE(was_read);
  EXPECT_EQ(ledger.events().size(), 1U);
  EXPECT_GT(ledger.spent_epsilon(), 0.0);
}

TEST_F(LedgerTest, UnitsOfTableAndPromiseMustAgree) {
  const PrivateTable with_units(rows_in_memory({1, 1}, 1, std::vector<std::uint64_t>{1, 2}), 10);
  Ledger rows(kPromise), units({.epsilon = 1.0, .delta = 1e-5, .unit = {"patient", 2}});
  EXPECT_EQ(kind_thrown_by([&] { rows.noisy_sum(with_units, map_, {.noise = 10.0}, pool_); }), ErrorKind::usage);
  EXPECT_EQ(kind_thrown_by([&] { units.noisy_sum(ones(), map_, {.noise = 10.0}, pool_); }), ErrorKind::usage);
  const ColumnCounts counts({{2, 1.0}});
  const std::vector<double> two = {0.5, 0.5};
  EXPECT_EQ(kind_thrown_by([&] { rows.private_choice(with_units, counts, two, 1, {.noise = 10.0}, pool_); }),
            ErrorKind::usage);
  EXPECT_EQ(kind_thrown_by([&] { rows.private_picks(with_units, counts, two, {.epsilon = 0.1}, pool_); }),
            ErrorKind::usage);
  EXPECT_TRUE(rows.events().empty() && units.events().empty());
  EXPECT_DOUBLE_EQ(units.noisy_sum(with_units, map_, {.noise = 10.0}, pool_).sigma(), 20.0);
}

TEST_F(LedgerTest, RowsOfAUnitAreBounded) {
  const PrivateTable table(rows_in_memory(std::vector<float>(1000, 1.0F), 1, std::vector<std::uint64_t>(1000, 5)),
                           1000);
  Ledger ledger = Ledger::for_tests({.epsilon = 100.0, .delta = 1e-3, .unit = {"id", 4}}, 1);
  const Release release = ledger.noisy_sum(table, map_, {.noise = 0.5}, pool_);
  EXPECT_LT(std::abs(release.values()[0] - 4.0), 10 * release.sigma());
}

TEST_F(LedgerTest, SampledSumsAreSampledGaussianEvents) {
  Ledger ledger = Ledger::for_tests({.epsilon = 8.0, .delta = 1e-5}, 3, Spending::renyi);
  const Release release = ledger.noisy_sum(ones(100'000), map_, {.noise = 2.0, .rate = 0.1}, pool_);
  const auto& event = std::get<SampledGaussian>(release.event().mechanism);
  EXPECT_EQ(event.rate, 0.1);
  EXPECT_EQ(event.noise, 2.0);
  // Binomial and Gaussian, five standard deviations: a false alarm rate of 6e-7.
  EXPECT_NEAR(release.values()[0], 10'000.0, 5.0 * std::sqrt(9000.0 + 4.0));
  Ledger gaussian(kPromise);
  EXPECT_EQ(kind_thrown_by([&] { gaussian.noisy_sum(ones(), map_, {.noise = 20.0, .rate = 0.1}, pool_); }),
            ErrorKind::budget);
}

TEST_F(LedgerTest, APlanAllowsItsEventsAndNothingElse) {
  const Plan plan{Neighbors::add_remove, {{Gaussian{20.0}, 2, "means"}}};
  Ledger ledger(kPromise, plan);
  EXPECT_GT(ledger.spent_epsilon(), 0.0) << "the whole plan is priced from the start";
  EXPECT_EQ(kind_thrown_by([&] { ledger.noisy_sum(ones(), map_, {.noise = 30.0}, pool_); }), ErrorKind::budget);
  for (int i = 0; i < 2; ++i) ledger.noisy_sum(ones(), map_, {.noise = 20.0, .label = "means"}, pool_);
  EXPECT_EQ(kind_thrown_by([&] { ledger.noisy_sum(ones(), map_, {.noise = 20.0}, pool_); }), ErrorKind::budget);
  ASSERT_EQ(ledger.events().size(), 1U);
  EXPECT_EQ(ledger.events()[0].count, 2);
  EXPECT_EQ(kind_thrown_by([&] { ledger.noise_for_share(0.5); }), ErrorKind::usage);
  const Plan greedy{Neighbors::add_remove, {{Gaussian{0.1}, 1, ""}}};
  EXPECT_EQ(kind_thrown_by([&] { Ledger too_much(kPromise, greedy); }), ErrorKind::budget);
  const Plan other{Neighbors::replace, {{Gaussian{20.0}, 1, ""}}};
  EXPECT_THROW(Ledger(kPromise, other), Error);
}

TEST_F(LedgerTest, PrivateChoicePicksTheFarthestSlots) {
  // Slot 0 as expected, slot 1 far away, slot 2 half-way.
  std::vector<float> values;
  for (int i = 0; i < 1000; ++i) values.insert(values.end(), {static_cast<float>(i % 2), 0.0F, i < 750 ? 0.0F : 1.0F});
  const PrivateTable table(rows_in_memory(values, 3), 1'000'000);
  const ColumnCounts map({{2, 1.0}, {2, 1.0}, {2, 1.0}});
  const std::vector<double> expected(6, 500.0);
  Ledger ledger = Ledger::for_tests({.epsilon = 5.0, .delta = 1e-5, .relation = Neighbors::replace}, 1);
  const Choice choice = ledger.private_choice(table, map, expected, 2, {.noise = 2.0}, pool_);
  EXPECT_EQ(choice.picked, (std::vector<int>{1, 2}));
  EXPECT_EQ(choice.scores.values().size(), 3U);
  EXPECT_DOUBLE_EQ(choice.scores.sigma(), 2.0 * 2.0 * std::sqrt(3.0));  // multiplier, replace, norm of the weights
  EXPECT_NEAR(choice.scores.values()[1], 1000.0, 6 * choice.scores.sigma());
  EXPECT_NEAR(choice.scores.values()[2], 500.0, 6 * choice.scores.sigma());
  EXPECT_EQ(ledger.events().size(), 1U);
}

TEST_F(LedgerTest, PrivateChoiceRefusesBadInput) {
  const ColumnCounts map({{2, 1.0}});
  const std::vector<double> expected = {1.0, 1.0}, short_list = {1.0}, undefined = {1.0, std::nan("")};
  Ledger ledger(kPromise);
  const auto kind = [&](std::span<const double> counts, int picks, double rate) {
    return kind_thrown_by(
        [&] { ledger.private_choice(ones(), map, counts, picks, {.noise = 20.0, .rate = rate}, pool_); });
  };
  EXPECT_EQ(kind(short_list, 1, 1.0), ErrorKind::usage);
  EXPECT_EQ(kind(undefined, 1, 1.0), ErrorKind::usage);
  EXPECT_EQ(kind(expected, 0, 1.0), ErrorKind::usage);
  EXPECT_EQ(kind(expected, 2, 1.0), ErrorKind::usage);
  EXPECT_EQ(kind(expected, 1, 0.5), ErrorKind::usage);
  EXPECT_TRUE(ledger.events().empty());
}

// Neighbouring tables, the same noise: the difference of the scores is their exact sensitivity.
TEST_F(LedgerTest, SensitivityOfAChoiceHolds) {
  PublicRng rng(9);
  for (int i = 0; i < 500; ++i) {
    const ColumnCounts map({{3, 1.0}, {2, 0.5}});
    std::vector<double> expected(5);
    for (double& x : expected) x = 10.0 * rng.uniform() - 3.0;
    std::vector<float> values(2 * (rng.next_u32() % 6));
    for (float& x : values) x = static_cast<float>(rng.next_u32() % 4);
    std::vector<float> a = values, b = values;
    for (auto* rows : {&a, &b})
      rows->insert(rows->end(), {static_cast<float>(rng.next_u32() % 4), static_cast<float>(rng.next_u32() % 4)});
    const auto scores = [&](const std::vector<float>& rows, Neighbors relation) {
      Ledger ledger = Ledger::for_tests({.epsilon = 50.0, .delta = 1e-3, .relation = relation}, 5);
      return ledger.private_choice(PrivateTable(rows_in_memory(rows, 2), 1000), map, expected, 1, {.noise = 1.0}, pool_)
          .scores;
    };
    GridRequest request{.noise = 1.0, .norm_bound = norm_of_slots(map.slots()), .row_limit = 1000};
    EXPECT_LE(squared_distance(scores(values, Neighbors::add_remove).cells(), scores(a, Neighbors::add_remove).cells()),
              square(make_lattice(request).norm));
    request.relation = Neighbors::replace;
    EXPECT_LE(squared_distance(scores(a, Neighbors::replace).cells(), scores(b, Neighbors::replace).cells()),
              square(2 * make_lattice(request).norm));
  }
}

TEST_F(LedgerTest, PicksTheSlotsThatSayMostAboutTheClass) {
  // Class 0 or 1 by turns; the first value is a coin, the second the class, the third the class in three of four rows.
  std::vector<float> cells;
  for (int i = 0; i < 2000; ++i) {
    const int label = i % 2, nearly = i % 8 < 2 ? 1 - label : label;
    for (const int value : {(i / 2) % 2, label, nearly}) cells.push_back(static_cast<float>(2 * label + value));
  }
  const PrivateTable table(rows_in_memory(cells, 3), 1'000'000);
  const ColumnCounts map({{4, 1.0}, {4, 1.0}, {4, 1.0}});
  const std::vector<double> even = {0.5, 0.5};
  Ledger ledger = Ledger::for_tests({.epsilon = 1.0, .delta = 1e-5, .relation = Neighbors::replace}, 1);
  const double epsilon = epsilon_of_picks(ledger.noise_for_share(1.0), 2);
  EXPECT_EQ(ledger.private_picks(table, map, even, {.count = 2, .epsilon = epsilon}, pool_), (std::vector<int>{1, 2}));
  ASSERT_EQ(ledger.events().size(), 1U);
  EXPECT_EQ(ledger.events()[0].count, 2);
  EXPECT_LE(ledger.spent_epsilon(), 1.0);
  EXPECT_GT(ledger.spent_epsilon(), 1.0 - 1e-9);
  EXPECT_EQ(kind_thrown_by([&] { ledger.private_picks(table, map, even, {.count = 1, .epsilon = 0.1}, pool_); }),
            ErrorKind::budget);
  Ledger open = Ledger::without_privacy(Neighbors::replace, {});
  const std::vector<double> own = {0.0, 0.0};
  for (const std::vector<double>& shares : {even, own}) {
    EXPECT_EQ(open.private_picks(table, map, shares, {.count = 3, .epsilon = 1.0}, pool_), (std::vector<int>{1, 2, 0}));
  }
}

TEST_F(LedgerTest, PrivatePicksRefuseBadInput) {
  const ColumnCounts map({{4, 1.0}});
  const std::vector<double> even = {0.5, 0.5}, alone = {1.0}, negative = {1.5, -0.5}, three = {1.0, 1.0, 1.0};
  Ledger ledger(kPromise);
  const auto kind = [&](std::span<const double> shares, int count, double epsilon) {
    return kind_thrown_by(
        [&] { ledger.private_picks(ones(), map, shares, {.count = count, .epsilon = epsilon}, pool_); });
  };
  EXPECT_EQ(kind(alone, 1, 0.1), ErrorKind::usage);
  EXPECT_EQ(kind(negative, 1, 0.1), ErrorKind::usage);
  EXPECT_EQ(kind(three, 1, 0.1), ErrorKind::usage);
  EXPECT_EQ(kind(even, 0, 0.1), ErrorKind::usage);
  EXPECT_EQ(kind(even, 2, 0.1), ErrorKind::usage);
  EXPECT_EQ(kind(even, 1, 0.0), ErrorKind::usage);
  EXPECT_TRUE(ledger.events().empty());
}

TEST_F(LedgerTest, PrivatePicksRefuseSlotsThatTheGridHasNoRoomFor) {
  // At 2^31 rows a unit the grid's norm is 2^4, too little for a slot of a hundredth of the weight.
  const ColumnCounts map({{4, 1.0}, {4, 0.01}});
  const std::vector<double> even = {0.5, 0.5};
  const PrivateTable table(rows_in_memory({1, 1}, 2, std::vector<std::uint64_t>{1}), 10);
  const auto ledger_of = [](std::int64_t max_rows) {
    return Ledger({.epsilon = 1.0, .delta = 1e-5, .unit = {"patient", max_rows}});
  };
  const auto pick = [&](Ledger& ledger) {
    return ledger.private_picks(table, map, even, {.count = 1, .epsilon = 0.1}, pool_);
  };
  Ledger many = ledger_of(std::int64_t{1} << 31), few = ledger_of(4);
  EXPECT_EQ(kind_thrown_by([&] { pick(many); }), ErrorKind::usage);
  EXPECT_TRUE(many.events().empty()) << "refused before the charge";
  EXPECT_EQ(pick(few).size(), 1U);
}

TEST_F(LedgerTest, EveryReleaseHasNoiseOfItsOwn) {
  Ledger first(kPromise), second(kPromise);
  const Release a = first.noisy_sum(ones(), map_, {.noise = 10.0}, pool_);
  const Release b = first.noisy_sum(ones(), map_, {.noise = 10.0}, pool_);
  const Release c = second.noisy_sum(ones(), map_, {.noise = 10.0}, pool_);
  EXPECT_NE(a.cells()[0], b.cells()[0]);
  EXPECT_NE(a.cells()[0], c.cells()[0]);
}

TEST_F(LedgerTest, TestNoiseIsReproducibleAndStamped) {
  Ledger a = Ledger::for_tests(kPromise, 5), b = Ledger::for_tests(kPromise, 5);
  EXPECT_FALSE(a.has_guarantee());
  EXPECT_EQ(a.noisy_sum(ones(), map_, {.noise = 10.0}, pool_).cells()[0],
            b.noisy_sum(ones(), map_, {.noise = 10.0}, pool_).cells()[0]);
  EXPECT_TRUE(a.certificate().test_noise);
  EXPECT_FALSE(Ledger(kPromise).certificate().test_noise);
  EXPECT_TRUE(Ledger(kPromise).certificate().is_private);
  EXPECT_FALSE(Ledger::without_privacy(Neighbors::replace, {}).certificate().is_private);
}

TEST_F(LedgerTest, MovesWithItsBudget) {
  Ledger first(kPromise);
  first.noisy_sum(ones(), map_, {.noise = 10.0}, pool_);
  const double spent = first.spent_epsilon();
  Ledger second = std::move(first);
  EXPECT_EQ(second.events().size(), 1U);
  EXPECT_EQ(second.spent_epsilon(), spent);
}

}  // namespace
}  // namespace sosia
