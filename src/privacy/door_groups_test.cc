// SPDX-License-Identifier: Apache-2.0
// Sums by groups. Tests that can fail by chance do so with a probability below 1e-6 each, as said beside them.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include <sosia/ledger.h>

#include "base/thread_pool.h"
#include "privacy/door_test_support.h"
#include "privacy/factored_map.h"
#include "privacy/group_choice.h"
#include "privacy/partial_sum.h"

namespace sosia {
namespace {

constexpr std::size_t kRows = 60;

/// Row i is (i, height). Its vector is `height` at place i and at the end, and 0 elsewhere: of k rows of height 1 the
/// sum has norm sqrt(k + k^2), and if it is shrunk to 1, its entries tell k.
class Places : public FactoredMap {
 public:
  explicit Places(double bound = 1.0, double sign_weight = 0.0) : bound_(bound), sign_weight_(sign_weight) {}
  std::span<const FactorShape> shapes() const override { return shapes_; }
  double norm_bound() const override { return bound_; }
  double sign_weight() const override { return sign_weight_; }
  void forward(MatrixView<const float> rows, std::span<const FactorPair<float>> factors) const override {
    for (std::size_t r = 0; r < rows.rows; ++r) {
      factors[0].left.row(r)[static_cast<std::size_t>(rows.row(r)[0])] = 1.0F;
      factors[0].right.row(r)[0] = rows.row(r)[1];
    }
  }

 private:
  double bound_, sign_weight_;
  std::vector<FactorShape> shapes_{{kRows, 1}};
};

std::vector<float> places(float height = 1.0F) {
  std::vector<float> rows;
  for (std::size_t i = 0; i < kRows; ++i) rows.insert(rows.end(), {static_cast<float>(i), height});
  return rows;
}
PrivateTable table_of(std::vector<float> rows) { return PrivateTable(rows_in_memory(std::move(rows), 2), 1000); }
Ledger no_noise(const PrivacyUnit& unit = {}) { return Ledger::without_privacy(Neighbors::add_remove, unit); }
NoisySum by_groups(std::int64_t groups, double rate = 1.0) {
  return {.noise = 1.0, .rate = rate, .label = "groups", .groups = groups};
}

/// How many rows were in groups of each size, told by the entries; 0: rows that took no part.
std::map<int, int> rows_by_size(const Release& release) {
  std::map<int, int> found;
  for (std::size_t i = 0; i < kRows; ++i) {
    const double entry = release.values()[i];
    if (entry == 0.0) ++found[0];
    for (int k = 1; k <= static_cast<int>(kRows) && entry > 0.0; ++k) {
      if (std::abs(entry * std::sqrt(k + double{1} * k * k) - 1.0) < 1e-6) ++found[k];
    }
  }
  return found;
}

TEST(DoorGroups, TheSumOfAGroupIsWhatIsShrunk) {
  ThreadPool threads(2);
  for (int run = 0; run < 20; ++run) {
    const Release release = no_noise().noisy_sum(table_of(places()), Places(), by_groups(15), threads);
    const std::map<int, int> sizes = rows_by_size(release);
    int rows = 0;
    for (const auto& [size, count] : sizes) {
      ASSERT_GT(size, 0) << "every row takes part";
      EXPECT_EQ(count % size, 0) << "groups are whole";
      rows += count;
    }
    EXPECT_EQ(rows, static_cast<int>(kRows)) << "every entry is that of some size";
    EXPECT_GT(sizes.rbegin()->first, 1);
  }
}

TEST(DoorGroups, OneGroupOfAllAndGroupsOfOne) {
  ThreadPool threads(2);
  const Release all = no_noise().noisy_sum(table_of(places()), Places(), by_groups(1), threads);
  EXPECT_EQ(rows_by_size(all), (std::map<int, int>{{60, 60}}));
  // Two of 60 rows meet in one of 2^31 groups with a probability below 1e-6.
  const Release alone =
      no_noise().noisy_sum(table_of(places()), Places(), by_groups(GroupChoice::kMostGroups), threads);
  EXPECT_EQ(rows_by_size(alone), (std::map<int, int>{{1, 60}}));
  const Release whole = no_noise().noisy_sum(table_of(places(0.01F)), Places(), by_groups(1), threads);
  for (std::size_t i = 0; i < kRows; ++i) EXPECT_NEAR(whole.values()[i], 0.01, 1e-8) << "within the bound, as it is";
}

// 10 units of 6 rows: all rows of a unit are in one group, and no more than its bound allows.
TEST(DoorGroups, AUnitIsInOneGroup) {
  ThreadPool threads(2);
  std::vector<std::uint64_t> units;
  for (std::size_t i = 0; i < kRows; ++i) units.push_back(i % 10);
  const auto sizes = [&](std::int64_t max_rows) {
    const PrivateTable table(rows_in_memory(places(), 2, units), 1000);
    return rows_by_size(
        no_noise({"id", max_rows}).noisy_sum(table, Places(), by_groups(GroupChoice::kMostGroups), threads));
  };
  EXPECT_EQ(sizes(6), (std::map<int, int>{{6, 60}}));
  EXPECT_EQ(sizes(4), (std::map<int, int>{{0, 20}, {4, 40}}));
}

// Of 15 groups a third is taken, 200 times: 1000 on average with a standard deviation of 25.8, and 5.3 of these make
// 1.2e-7.
TEST(DoorGroups, GroupsAreSampledWhole) {
  ThreadPool threads(1);
  double taken = 0.0;
  for (int run = 0; run < 200; ++run) {
    const Release release = no_noise().noisy_sum(table_of(places()), Places(), by_groups(15, 1.0 / 3.0), threads);
    for (const auto& [size, count] : rows_by_size(release)) {
      if (size == 0) continue;
      EXPECT_EQ(count % size, 0);
      taken += count / size;
    }
  }
  // A group is empty with probability (14/15)^60 = 0.016, and then cannot be seen.
  EXPECT_NEAR(taken / (1.0 - std::pow(14.0 / 15.0, 60.0)), 1000.0, 5.3 * 26.0);
}

TEST(DoorGroups, TheBitsDependOnNeitherThreadsNorTheOrderOfRows) {
  std::vector<float> rows = places(), turned;
  // Floats whose sum depends on the order.
  for (std::size_t i = 0; i < kRows; ++i) rows[2 * i + 1] = 1.0F / static_cast<float>(i + 3);
  for (std::size_t i = kRows; i-- > 0;) turned.insert(turned.end(), {rows[2 * i], rows[2 * i + 1]});
  const auto cells = [](const std::vector<float>& of, int count, std::int64_t groups) {
    ThreadPool threads(count);
    Ledger ledger = Ledger::for_tests({.epsilon = 100.0, .delta = 1e-6}, 7, Spending::renyi);
    const Release release = ledger.noisy_sum(table_of(of), Places(), by_groups(groups), threads);
    return std::vector<std::int64_t>(release.cells().begin(), release.cells().end());
  };
  EXPECT_EQ(cells(rows, 1, 15), cells(rows, 3, 15));
  EXPECT_EQ(cells(rows, 1, 1), cells(turned, 2, 1)) << "a set of rows has no order";
}

// Whatever the vectors are: neighbours differ in one group, by at most two bounds.
TEST(DoorGroups, NoGroupAddsMoreThanItsBound) {
  ThreadPool threads(1);
  for (const float height : {1e-20F, 3.0F, 1e18F, INFINITY}) {
    const Release release = no_noise().noisy_sum(table_of(places(height)), Places(0.5), by_groups(1), threads);
    double squares = 0.0;
    for (const double value : release.values()) squares += value * value;
    EXPECT_LE(std::sqrt(squares), 0.5);
    EXPECT_EQ(squares > 0.2, height == 3.0F || height == 1e18F) << height;
  }
}

TEST(DoorGroups, TheEventIsAGroupedOneUnderEveryRelation) {
  ThreadPool threads(1);
  for (const Neighbors relation : {Neighbors::add_remove, Neighbors::zero_out, Neighbors::replace}) {
    const Plan plan{relation, {{GroupedGaussian{0.25, 2.0}, 2, "groups"}}};
    Ledger ledger = Ledger::for_tests({.epsilon = 10.0, .delta = 1e-6, .relation = relation}, plan, 1);
    NoisySum how = by_groups(15, 0.25);
    how.noise = 2.0;
    const Release release = ledger.noisy_sum(table_of(places()), Places(), how, threads);
    EXPECT_EQ(std::get<GroupedGaussian>(release.event().mechanism), (GroupedGaussian{0.25, 2.0}));
    EXPECT_NEAR(release.sigma(), 2.0, 1e-9) << "in units of the bound";
    how.groups = 0;
    EXPECT_EQ(kind_thrown_by([&] { ledger.noisy_sum(table_of(places()), Places(), how, threads); }), ErrorKind::budget)
        << "a sampled event is another one";
    EXPECT_EQ(ledger.events().size(), 1U);
  }
  Ledger gaussian = Ledger::for_tests({.epsilon = 10.0, .delta = 1e-6}, 1);
  EXPECT_EQ(gaussian.price(event_of(by_groups(15, 0.25))), INFINITY) << "it is not mu-GDP for a useful mu";
}

TEST(DoorGroups, RefusesWhatHasNone) {
  ThreadPool threads(1);
  Ledger ledger = no_noise();
  const auto refused = [](const auto& call) { EXPECT_EQ(kind_thrown_by(call), ErrorKind::usage); };
  refused([&] { ledger.noisy_sum(table_of(places()), RowMap(2, 1.0), by_groups(5), threads); });
  refused([&] { ledger.noisy_counts(table_of(places()), ColumnCounts({{2, 1.0}}), by_groups(5), threads); });
  refused([&] { ledger.noisy_sum(table_of(places()), Places(1.0, 0.25), by_groups(5), threads); });
  refused([&] { ledger.noisy_sum(table_of(places()), Places(), by_groups(-1), threads); });
  refused([&] { ledger.noisy_sum(table_of(places()), Places(), by_groups(GroupChoice::kMostGroups + 1), threads); });
  refused([&] { (void)ledger.partial_sum(table_of(places()), RowMap(2, 1.0), by_groups(5), threads); });
  const Release none = ledger.noisy_sum(table_of({}), Places(), by_groups(5), threads);
  for (const double value : none.values()) EXPECT_EQ(value, 0.0);
}

// 100,000 rows in 10 groups: each has 10,000 on average with a standard deviation of 94.9; of ten groups and five keys
// one is 5.8 of these off with a probability of 3.3e-7.
TEST(GroupChoice, SpreadsEvenlyAndAnewWithEachKey) {
  SecureRng rng = SecureRng::for_tests(3);
  std::vector<int> last;
  for (int run = 0; run < 5; ++run) {
    const GroupChoice choice(1.0, 10, rng);
    std::vector<int> counts(10), first;
    for (std::uint64_t row = 0; row < 100'000; ++row) {
      const std::uint32_t group = choice.group_of(row).value();
      ++counts[group];
      if (row < 50) first.push_back(static_cast<int>(group));
    }
    for (const int count : counts) EXPECT_NEAR(count, 10'000, 5.8 * 94.9);
    EXPECT_NE(first, last);
    last = first;
  }
}

}  // namespace
}  // namespace sosia
