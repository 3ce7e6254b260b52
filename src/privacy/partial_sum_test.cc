// SPDX-License-Identifier: Apache-2.0
#include "privacy/partial_sum.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <sosia/ledger.h>

#include "base/thread_pool.h"
#include "privacy/door_test_support.h"
#include "random/public_rng.h"

namespace sosia {
namespace {

namespace fs = std::filesystem;

class PartialSumTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("sosia_partial_sum_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    PublicRng rng(1);
    for (int i = 0; i < 3000; ++i) values_.push_back(static_cast<float>(rng.normal()));
  }
  void TearDown() override { fs::remove_all(folder_); }

  PrivateTable rows(std::size_t first, std::size_t end, std::int64_t row_limit = 5000) const {
    return PrivateTable(rows_in_memory({values_.begin() + static_cast<std::ptrdiff_t>(first * 3),
                                        values_.begin() + static_cast<std::ptrdiff_t>(end * 3)},
                                       3),
                        row_limit);
  }
  Ledger ledger(Neighbors relation = Neighbors::add_remove) const {
    return Ledger::for_tests({.epsilon = 10.0, .delta = 1e-5, .relation = relation}, 42);
  }
  std::string contents(const fs::path& path) const {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

  fs::path folder_;
  std::vector<float> values_;
  ThreadPool pool_{2};
  RowMap map_{3, 1.5};
  ColumnCounts counts_{{{3, 1.0}, {2, 1.0}, {2, 4.0}}};
  NoisySum how_{.noise = 2.0, .label = "shards"};
};

TEST_F(PartialSumTest, MergedShardsGiveTheBitsOfTheWhole) {
  for (const Neighbors relation : {Neighbors::add_remove, Neighbors::replace}) {
    Ledger whole = ledger(relation), parts = ledger(relation);
    const Release expected = whole.noisy_sum(rows(0, 1000), map_, how_, pool_);
    PartialSum sum = parts.partial_sum(rows(700, 1000), map_, how_, pool_);
    sum.merge(parts.partial_sum(rows(0, 1), map_, how_, pool_));
    sum.merge(parts.partial_sum(rows(0, 0), map_, how_, pool_));
    sum.merge(parts.partial_sum(rows(1, 700), map_, how_, pool_));
    EXPECT_TRUE(parts.events().empty()) << "what stays private costs nothing";
    const Release merged = parts.noisy_sum(sum, how_);
    EXPECT_EQ(std::vector(merged.cells().begin(), merged.cells().end()),
              std::vector(expected.cells().begin(), expected.cells().end()));
    EXPECT_EQ(merged.step(), expected.step());
    EXPECT_EQ(parts.events().size(), 1U);
  }
}

TEST_F(PartialSumTest, MergedCountsGiveTheBitsOfTheWholeThroughFiles) {
  Ledger whole = ledger(), parts = ledger();
  const Release expected = whole.noisy_counts(rows(0, 1000), counts_, how_, pool_);
  parts.partial_counts(rows(0, 400), counts_, how_, pool_).save(folder_ / "a");
  parts.partial_counts(rows(400, 1000), counts_, how_, pool_).save(folder_ / "b");
  PartialSum sum = PartialSum::load(folder_ / "b");
  sum.merge(PartialSum::load(folder_ / "a"));
  const Release merged = parts.noisy_sum(sum, how_);
  EXPECT_EQ(std::vector(merged.cells().begin(), merged.cells().end()),
            std::vector(expected.cells().begin(), expected.cells().end()));
}

TEST_F(PartialSumTest, FilesSayThatTheyArePrivateAndAreReadableByTheOwnerOnly) {
  ledger().partial_sum(rows(0, 10), map_, how_, pool_).save(folder_ / "a");
  const std::string text = contents(folder_ / "a");
  EXPECT_NE(text.substr(0, text.find('\n')).find("PRIVATE"), std::string::npos);
  struct stat status{};
  ASSERT_EQ(::stat((folder_ / "a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  EXPECT_THROW(ledger().partial_sum(rows(0, 10), map_, how_, pool_).save(folder_ / "a"), Error) << "never overwritten";
  EXPECT_EQ(contents(folder_ / "a"), text);
}

TEST_F(PartialSumTest, DamagedFilesAreRefused) {
  ledger().partial_sum(rows(0, 10), map_, how_, pool_).save(folder_ / "a");
  const std::string good = contents(folder_ / "a");
  const auto kind = [&](const std::string& text) {
    std::ofstream(folder_ / "b", std::ios::binary | std::ios::trunc) << text;
    return kind_thrown_by([&] { PartialSum::load(folder_ / "b"); });
  };
  for (std::size_t cut = 0; cut < good.size(); cut += 7) EXPECT_EQ(kind(good.substr(0, cut)), ErrorKind::schema);
  for (std::size_t at = 0; at < good.size(); at += 5) {
    std::string changed = good;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    EXPECT_EQ(kind(changed), ErrorKind::schema) << at;
  }
  EXPECT_EQ(kind(good + "x"), ErrorKind::schema);
  EXPECT_EQ(kind_thrown_by([&] { PartialSum::load(folder_ / "missing"); }), ErrorKind::io);
}

TEST_F(PartialSumTest, DifferentMapsAndGridsDoNotMerge) {
  const Ledger one = ledger(), replace = ledger(Neighbors::replace);
  PartialSum sum = one.partial_sum(rows(0, 10), map_, how_, pool_);
  const auto kind = [&](const PartialSum& other) { return kind_thrown_by([&] { sum.merge(other); }); };
  EXPECT_EQ(kind(one.partial_sum(rows(0, 10), RowMap(3, 1.6), how_, pool_)), ErrorKind::usage);
  EXPECT_EQ(kind(one.partial_sum(rows(0, 10), RowMap(3, 1.5, true), how_, pool_)), ErrorKind::usage);
  EXPECT_EQ(kind(one.partial_sum(rows(0, 10), map_, {.noise = 2.1}, pool_)), ErrorKind::usage);
  EXPECT_EQ(kind(one.partial_sum(rows(0, 10, 6000), map_, how_, pool_)), ErrorKind::usage);
  EXPECT_EQ(kind(replace.partial_sum(rows(0, 10), map_, how_, pool_)), ErrorKind::usage);
  EXPECT_EQ(kind(one.partial_counts(rows(0, 10), counts_, how_, pool_)), ErrorKind::usage);
  PartialSum counts = one.partial_counts(rows(0, 10), ColumnCounts({{3, 1.0}, {2, 1.0}}), how_, pool_);
  EXPECT_EQ(kind_thrown_by([&] {
              counts.merge(one.partial_counts(rows(0, 10), ColumnCounts({{2, 1.0}, {3, 1.0}}), how_, pool_));
            }),
            ErrorKind::usage);
}

TEST_F(PartialSumTest, AShardCountsOnce) {
  const Ledger one = ledger();
  PartialSum sum = one.partial_sum(rows(0, 10), map_, how_, pool_),
             other = one.partial_sum(rows(10, 20), map_, how_, pool_);
  EXPECT_EQ(kind_thrown_by([&] { sum.merge(sum); }), ErrorKind::usage);
  other.save(folder_ / "other");
  sum.merge(other);
  EXPECT_EQ(kind_thrown_by([&] { sum.merge(other); }), ErrorKind::usage);
  EXPECT_EQ(kind_thrown_by([&] { sum.merge(PartialSum::load(folder_ / "other")); }), ErrorKind::usage);
  sum.save(folder_ / "sum");
  PartialSum again = PartialSum::load(folder_ / "sum");
  EXPECT_EQ(kind_thrown_by([&] { again.merge(other); }), ErrorKind::usage);
}

TEST_F(PartialSumTest, ShardsTogetherKeepTheRowLimit) {
  const Ledger one = ledger();
  PartialSum sum = one.partial_sum(rows(0, 600, 1000), map_, how_, pool_);
  sum.merge(one.partial_sum(rows(600, 1000, 1000), map_, how_, pool_));
  EXPECT_EQ(kind_thrown_by([&] { sum.merge(one.partial_sum(rows(0, 1, 1000), map_, how_, pool_)); }), ErrorKind::data);
}

TEST_F(PartialSumTest, SampledSumsAndUnitsAreRefusedWithTheReason) {
  const Ledger one = ledger();
  EXPECT_EQ(kind_thrown_by([&] { one.partial_sum(rows(0, 10), map_, {.noise = 1.0, .rate = 0.5}, pool_); }),
            ErrorKind::usage);
  const Ledger units = Ledger::for_tests({.epsilon = 10.0, .delta = 1e-5, .unit = {"id", 3}}, 42);
  EXPECT_EQ(kind_thrown_by([&] { units.partial_sum(rows(0, 10), map_, how_, pool_); }), ErrorKind::usage);
  const PrivateTable with_units(rows_in_memory({1, 1, 1, 2, 2, 2}, 3, std::vector<std::uint64_t>{1, 2}), 5000);
  EXPECT_EQ(kind_thrown_by([&] { units.partial_sum(with_units, map_, how_, pool_); }), ErrorKind::usage);
}

TEST_F(PartialSumTest, IsReleasedOnlyForWhatItWasMade) {
  Ledger one = ledger(), replace = ledger(Neighbors::replace);
  const PartialSum sum = one.partial_sum(rows(0, 10), map_, how_, pool_);
  EXPECT_EQ(kind_thrown_by([&] { one.noisy_sum(sum, {.noise = 3.0}); }), ErrorKind::usage);
  EXPECT_EQ(kind_thrown_by([&] { replace.noisy_sum(sum, how_); }), ErrorKind::usage);
  EXPECT_TRUE(one.events().empty());
}

}  // namespace
}  // namespace sosia
