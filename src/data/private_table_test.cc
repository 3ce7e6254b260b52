// SPDX-License-Identifier: Apache-2.0
#include "data/private_table.h"

#include <gtest/gtest.h>

#include <mutex>
#include <numeric>
#include <type_traits>
#include <vector>

#include <sosia/error.h>

#include "base/thread_pool.h"
#include "data/held_rows.h"

namespace sosia {
namespace {

static_assert(!std::is_default_constructible_v<TableKey>, "only the door may make a key");
static_assert(!std::is_aggregate_v<TableKey>, "braces must not make a key either");

std::vector<float> ramp(std::size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 0.0F);
  return values;
}

TEST(RowsInMemory, EveryRowComesOnceFromAnyNumberOfThreads) {
  constexpr std::size_t kRows = 10'001, kColumns = 3;
  std::vector<std::uint64_t> units(kRows);
  std::iota(units.begin(), units.end(), 500U);
  const auto source = rows_in_memory(ramp(kRows * kColumns), kColumns, units);
  EXPECT_EQ(source->columns(), 3);
  EXPECT_TRUE(source->has_units());
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    const auto scan = source->scan();
    std::vector<int> seen(kRows, 0);
    std::mutex mutex;
    pool.run([&](int) {
      RowBlock block;
      while (scan->next(block)) {
        const std::lock_guard lock(mutex);
        ASSERT_EQ(block.units.size(), block.rows.rows);
        for (std::size_t r = 0; r < block.rows.rows; ++r) {
          const std::size_t row = static_cast<std::size_t>(block.first_row) + r;
          ++seen[row];
          EXPECT_EQ(block.rows.row(r)[2], static_cast<float>(row * kColumns + 2));
          EXPECT_EQ(block.units[r], row + 500);
        }
      }
    });
    EXPECT_EQ(seen, std::vector<int>(kRows, 1));
  }
}

TEST(RowsInMemory, BlocksStayNearOneMebibyte) {
  const auto source = rows_in_memory(std::vector<float>(3 * 300'000), 300'000);
  const auto scan = source->scan();
  RowBlock block;
  int blocks = 0;
  while (scan->next(block)) {
    ++blocks;
    EXPECT_EQ(block.rows.rows, 1U);
    EXPECT_TRUE(block.units.empty());
  }
  EXPECT_EQ(blocks, 3);
}

TEST(RowsInMemory, ATableMayBeEmpty) {
  const auto source = rows_in_memory({}, 4);
  EXPECT_EQ(source->columns(), 4);
  EXPECT_FALSE(source->has_units());
  RowBlock block;
  EXPECT_FALSE(source->scan()->next(block));
}

TEST(RowsInMemory, RefusesWrongShapes) {
  EXPECT_THROW(rows_in_memory({1, 2, 3}, 2), Error);
  EXPECT_THROW(rows_in_memory({1, 2}, 0), Error);
  EXPECT_THROW(rows_in_memory({1, 2}, 1, std::vector<std::uint64_t>{1}), Error);
}

/// Gives its blocks in the order of their last row, and counts how often it is read.
class BackwardSource : public RowSource {
 public:
  explicit BackwardSource(int& scans) : scans_(scans) {}
  int columns() const override { return 1; }
  bool has_units() const override { return true; }
  std::unique_ptr<RowScan> scan() const override {
    class Backward : public RowScan {
     public:
      bool next(RowBlock& block) override {
        if (left_ == 0) return false;
        block.first_row = --left_;
        block.row_buffer = {static_cast<float>(left_)};
        block.unit_buffer = {left_ % 2 == 0 ? std::uint64_t{900} : std::uint64_t{800}};
        block.rows = {block.row_buffer.data(), 1, 1};
        block.units = block.unit_buffer;
        return true;
      }

     private:
      std::int64_t left_ = 5;
    };
    ++scans_;
    return std::make_unique<Backward>();
  }

 private:
  int& scans_;
};

TEST(HeldRows, AreReadOnceWhenAskedForAndComeInTheirOrder) {
  int scans = 0;
  const auto source = held_rows(std::make_unique<BackwardSource>(scans));
  EXPECT_TRUE(source->has_units());
  EXPECT_EQ(scans, 0);
  for (int pass = 0; pass < 2; ++pass) {
    RowBlock block;
    const auto scan = source->scan();
    ASSERT_TRUE(scan->next(block));
    ASSERT_EQ(block.rows.rows, 5U);
    for (std::size_t r = 0; r < 5; ++r) {
      EXPECT_EQ(block.rows.row(r)[0], static_cast<float>(r));
      EXPECT_EQ(block.units[r], r % 2) << "units are numbered as they come";
    }
    EXPECT_FALSE(scan->next(block));
  }
  EXPECT_EQ(scans, 1);
}

TEST(PrivateTable, KnowsOnlyPublicFacts) {
  const PrivateTable table(rows_in_memory({1, 2}, 2), 10);
  EXPECT_EQ(table.columns(), 2);
  EXPECT_EQ(table.row_limit(), 10);
  EXPECT_FALSE(table.has_units());
  EXPECT_THROW(PrivateTable(rows_in_memory({1, 2}, 2), 0), Error);
  EXPECT_THROW(PrivateTable(nullptr), Error);
}

TEST(PrivateTable, UnitsAreDeclaredEvenWhereThereAreNoRows) {
  EXPECT_TRUE(PrivateTable(rows_in_memory({}, 1, std::vector<std::uint64_t>())).has_units());
  EXPECT_FALSE(PrivateTable(rows_in_memory({}, 1)).has_units());
}

}  // namespace
}  // namespace sosia
