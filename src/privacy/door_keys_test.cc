// SPDX-License-Identifier: Apache-2.0
#include "privacy/door_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <sosia/error.h>
#include <sosia/ledger.h>

#include "base/thread_pool.h"
#include "data/private_keys.h"

namespace sosia {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Row {
  std::uint64_t unit;
  std::vector<std::string> keys;  // "" for none
};

/// Rows in blocks of seven.
class MemoryKeys : public KeySource {
 public:
  MemoryKeys(std::vector<Row> rows, bool with_units) : rows_(std::move(rows)), with_units_(with_units) {}
  int columns() const override { return static_cast<int>(rows_.front().keys.size()); }
  bool has_units() const override { return with_units_; }
  std::unique_ptr<KeyScan> scan() const override { return std::make_unique<Scan>(*this); }

 private:
  class Scan : public KeyScan {
   public:
    explicit Scan(const MemoryKeys& keys) : keys_(keys) {}
    bool next(KeyBlock& block) override {
      constexpr std::size_t kRows = 7;
      const std::size_t first = next_.fetch_add(kRows);
      if (first >= keys_.rows_.size()) return false;
      const std::size_t end = std::min(first + kRows, keys_.rows_.size());
      block.texts.assign(static_cast<std::size_t>(keys_.columns()), {});
      block.rows.first_row = static_cast<std::int64_t>(first);
      block.rows.row_buffer.clear();
      block.rows.unit_buffer.clear();
      for (std::size_t i = first; i < end; ++i) {
        std::string all;
        for (std::size_t j = 0; j < block.texts.size(); ++j) {
          const std::string& text = keys_.rows_[i].keys[j];
          block.texts[j].push_back(text.empty() ? std::string_view() : std::string_view(text));
          all += text + '\n';
        }
        block.rows.row_buffer.push_back(static_cast<float>(std::hash<std::string>()(all) % (1 << 24)));
        if (keys_.with_units_) block.rows.unit_buffer.push_back(keys_.rows_[i].unit);
      }
      block.rows.rows = {block.rows.row_buffer.data(), end - first, 1};
      block.rows.units = block.rows.unit_buffer;
      return true;
    }

   private:
    const MemoryKeys& keys_;
    std::atomic<std::size_t> next_ = 0;
  };

  std::vector<Row> rows_;
  bool with_units_;
};

PrivateKeys keys(std::vector<Row> rows, bool with_units = false) {
  return PrivateKeys(std::make_unique<MemoryKeys>(std::move(rows), with_units), 1 << 20);
}

Ledger ledger(double selection_delta, PrivacyUnit unit = {}, Neighbors relation = Neighbors::add_remove) {
  return Ledger::for_tests({.epsilon = 10.0,
                            .delta = 0.1,
                            .relation = relation,
                            .unit = std::move(unit),
                            .selection_delta = selection_delta},
                           7);
}

std::vector<Row> many(const std::string& a, int count_a, const std::string& b, int count_b) {
  std::vector<Row> rows;
  for (int i = 0; i < count_a; ++i) rows.push_back({rows.size(), {a}});
  for (int i = 0; i < count_b; ++i) rows.push_back({rows.size(), {b}});
  return rows;
}

std::string numbered(const char* text, std::uint64_t number) {
  return std::string(text).append(std::to_string(number));
}

TEST(NoisyKeys, ShowsWhatManyHoldInTheOrderOfTheText) {
  ThreadPool threads(2);
  Ledger budget = ledger(1e-6);
  const Keys found = budget.noisy_keys(keys(many("zebra", 500, "ant", 800)), {.noise = 2.0, .delta = 1e-6}, threads);
  ASSERT_THAT(found.columns, ElementsAre(ElementsAre("ant", "zebra")));
  EXPECT_NEAR(found.counts.values()[0], 800.0, 20.0);  // ten sigmas of noise that is fixed
  EXPECT_NEAR(found.counts.values()[1], 500.0, 20.0);
  EXPECT_FALSE(found.counts.has_guarantee());
  ASSERT_EQ(budget.events().size(), 2U);
  EXPECT_EQ(std::get<PartitionSelection>(budget.events()[1].mechanism).delta, 1e-6);
}

// The claim to the letter: each of these keys is some unit's own and passes with probability delta = 0.02; 20,000 of
// them pass 400 times on average. 500 and 300 are 5 standard deviations (19.8) away: false alarm 6e-7.
TEST(NoisyKeys, LoneKeysPassAsOftenAsDeltaSays) {
  constexpr double kDelta = 0.02;
  std::vector<Row> rows;
  for (std::uint64_t i = 0; i < 20000; ++i) rows.push_back({i, {numbered("key ", i)}});
  ThreadPool threads(2);
  Ledger budget = ledger(kDelta);
  const Keys found = budget.noisy_keys(keys(rows), {.noise = 3.0, .delta = kDelta}, threads);
  EXPECT_LE(found.columns[0].size(), 500U);
  EXPECT_GE(found.columns[0].size(), 300U);
}

TEST(NoisyKeys, TheThresholdCountsEveryKeyOfAUnit) {
  const double one = key_threshold(5.0, 1, 1, Neighbors::add_remove, 1e-6);
  EXPECT_NEAR(one, 1.0 + 5.0 * 4.753424308822899, 1e-9);  // the normal quantile of 1 - 1e-6
  EXPECT_GT(key_threshold(5.0, 2, 1, Neighbors::add_remove, 1e-6), one);
  EXPECT_GT(key_threshold(5.0, 1, 2, Neighbors::add_remove, 1e-6), one + 1.0);
  EXPECT_EQ(key_threshold(5.0, 1, 1, Neighbors::replace, 1e-6), key_threshold(5.0, 2, 1, Neighbors::add_remove, 1e-6));
}

// Noise was rounded to the grid: a key shows only what lies above the threshold by more than a step. Delta is chosen so
// that the threshold lies that near below a noisy count, which does not depend on it.
TEST(NoisyKeys, RoundingLetsNoKeyPass) {
  const std::vector<Row> rows = many("a", 20, "b", 0);
  ThreadPool threads(1);
  const auto shown = [&](double delta) {
    Ledger budget = ledger(0.09);
    return budget.noisy_keys(keys(rows), {.noise = 3.0, .delta = delta}, threads);
  };
  const Keys found = shown(0.09);
  ASSERT_THAT(found.columns[0], ElementsAre("a"));
  const double count = found.counts.values()[0], step = found.counts.step();
  for (const double steps : {0.5, 1.5}) {
    double low = 1e-12, high = 0.09;  // the threshold falls as delta grows
    while (high - low > 1e-16 * high && 0.5 * (low + high) != low && 0.5 * (low + high) != high) {
      const double middle = 0.5 * (low + high);
      const double threshold = key_threshold(found.counts.sigma(), 1, 1, Neighbors::add_remove, middle);
      (threshold > count - steps * step ? low : high) = middle;
    }
    const Keys near = shown(high);
    ASSERT_NEAR((count - near.threshold) / step, steps, 0.25);
    EXPECT_EQ(near.columns[0].empty(), steps < 1.0);
  }
}

TEST(NoisyKeys, MoreRowsThanTheLimitAreRefused) {
  const PrivateKeys table(std::make_unique<MemoryKeys>(many("a", 50, "b", 51), false), 100);
  ThreadPool threads(2);
  Ledger budget = ledger(1e-6);
  EXPECT_THROW(budget.noisy_keys(table, {.noise = 1.0, .delta = 1e-6}, threads), Error);
}

TEST(NoisyKeys, TheSameBitsForAnyThreadsAndRowOrder) {
  std::vector<Row> rows;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    rows.push_back({i, {numbered("a", i % 7), i % 3 == 0 ? "" : numbered("b", i % 50)}});
  }
  std::vector<std::int64_t> expected;
  for (const int count : {1, 2, 5}) {
    ThreadPool threads(count);
    Ledger budget = ledger(1e-3);
    const Keys found = budget.noisy_keys(keys(rows), {.noise = 1.0, .delta = 1e-3}, threads);
    EXPECT_EQ(found.columns[0].size(), 7U);
    const std::vector<std::int64_t> cells(found.counts.cells().begin(), found.counts.cells().end());
    if (expected.empty()) expected = cells;
    EXPECT_EQ(cells, expected);
    std::reverse(rows.begin(), rows.end());
  }
}

TEST(NoisyKeys, AUnitCountsWithItsFirstRowsOnly) {
  std::vector<Row> rows;
  for (int i = 0; i < 400; ++i) rows.push_back({1, {"loud"}});  // one unit, four hundred rows
  for (std::uint64_t i = 0; i < 400; ++i) rows.push_back({i + 2, {"wide"}});
  ThreadPool threads(2);
  Ledger budget = ledger(1e-6, {"id", 2});
  const Keys found = budget.noisy_keys(keys(rows, true), {.noise = 1.0, .delta = 1e-6}, threads);
  EXPECT_THAT(found.columns[0], ElementsAre("wide"));
}

TEST(NoisyKeys, NeverShowsTextThatCouldHarmATerminal) {
  ThreadPool threads(1);
  Ledger budget = ledger(1e-6);
  const Keys found =
      budget.noisy_keys(keys(many("\x1b[2J", 500, "\xff\xfe", 500)), {.noise = 1.0, .delta = 1e-6}, threads);
  EXPECT_THAT(found.columns[0], IsEmpty());
}

TEST(NoisyKeys, ARefusalSpendsNothing) {
  ThreadPool threads(1);
  const PrivateKeys table = keys(many("a", 5, "b", 5));
  Ledger without = ledger(0.0);
  EXPECT_THROW(without.noisy_keys(table, {.noise = 1.0, .delta = 1e-6}, threads), Error);
  Ledger small = ledger(1e-6);
  EXPECT_THROW(small.noisy_keys(table, {.noise = 1e-3, .delta = 1e-6}, threads), Error);
  EXPECT_THROW(small.noisy_keys(table, {.noise = 0.0, .delta = 1e-6}, threads), Error);
  EXPECT_THROW(small.noisy_keys(table, {.noise = 1.0, .delta = 0.0}, threads), Error);
  EXPECT_THROW(small.noisy_keys(keys({{1, {"a"}}}, true), {.noise = 1.0, .delta = 1e-6}, threads), Error);
  EXPECT_TRUE(without.events().empty());
  EXPECT_TRUE(small.events().empty());
}

}  // namespace
}  // namespace sosia
