// SPDX-License-Identifier: Apache-2.0
#include "privacy/row_choice.h"

#include <gtest/gtest.h>
#include <sodium.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "random/public_rng.h"

namespace sosia {
namespace {

struct Rows {
  std::vector<float> values;  // one column
  std::vector<std::uint64_t> units;
};

// The rows that take part, as (unit, value), in ascending order.
std::vector<std::pair<std::uint64_t, float>> taken(const Rows& rows, double rate, std::int64_t max_rows, int threads,
                                                   std::uint64_t seed = 1) {
  // The unit id travels as a second column, to be seen in the output.
  std::vector<float> values;
  for (std::size_t i = 0; i < rows.values.size(); ++i) {
    values.insert(values.end(), {rows.values[i], static_cast<float>(rows.units[i])});
  }
  const auto source = rows_in_memory(values, 2, rows.units);
  ThreadPool pool(threads);
  SecureRng rng = SecureRng::for_tests(seed);
  RowChoice choice(rate, max_rows, &rng);
  choice.bound_units([&] { return source->scan(); }, pool);
  std::vector<std::pair<std::uint64_t, float>> result;
  const auto scan = source->scan();
  RowBlock block;
  std::vector<float> chosen;
  while (scan->next(block)) choice.gather(block, chosen);
  for (std::size_t i = 0; i < chosen.size(); i += 2) {
    result.emplace_back(static_cast<std::uint64_t>(chosen[i + 1]), chosen[i]);
  }
  std::sort(result.begin(), result.end());
  return result;
}

Rows random_rows(std::size_t count, std::uint64_t units, PublicRng& rng) {
  Rows rows;
  for (std::size_t i = 0; i < count; ++i) {
    rows.values.push_back(static_cast<float>(rng.next_u32() % 50));  // with many duplicates
    rows.units.push_back(rng.next_u64() % units);
  }
  return rows;
}

Rows shuffled(const Rows& rows, PublicRng& rng) {
  std::vector<std::size_t> order(rows.values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.next_u64() % i]);
  Rows result;
  for (const std::size_t i : order) {
    result.values.push_back(rows.values[i]);
    result.units.push_back(rows.units[i]);
  }
  return result;
}

TEST(RowChoice, KeepsAtMostMaxRowsOfAUnitAndAllOfSmallerOnes) {
  PublicRng rng(1);
  const Rows rows = random_rows(9000, 1000, rng);
  for (const std::int64_t max_rows : {1, 5, 9, 100}) {
    std::map<std::uint64_t, std::int64_t> before, after;
    for (const std::uint64_t unit : rows.units) ++before[unit];
    for (const auto& [unit, value] : taken(rows, 1.0, max_rows, 2)) ++after[unit];
    for (const auto& [unit, count] : before) EXPECT_EQ(after[unit], std::min(count, max_rows));
  }
}

// Among so many units some hundreds share a count with another: none may lose a row by that, or be overlooked.
TEST(RowChoice, TellsUnitsApartThatShareACount) {
  constexpr std::size_t kUnits = 200'000;
  PublicRng rng(11);
  Rows rows;
  for (std::size_t i = 0; i < kUnits; ++i) {
    rows.values.push_back(static_cast<float>(i));
    rows.units.push_back(rng.next_u64());
  }
  EXPECT_EQ(taken(rows, 1.0, 1, 2).size(), kUnits);
  for (std::size_t i = 0; i < kUnits; i += 2) {
    rows.values.push_back(static_cast<float>(kUnits + i));
    rows.units.push_back(rows.units[i]);
  }
  std::vector<int> seen(kUnits);
  for (const auto& [unit, value] : taken(rows, 1.0, 1, 2)) ++seen[static_cast<std::size_t>(value) % kUnits];
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::ptrdiff_t>(kUnits));
}

// More rows than a shared count can say.
TEST(RowChoice, BoundsUnitsOfAnySize) {
  Rows rows;
  for (int i = 0; i < 70'000; ++i) {
    rows.values.push_back(static_cast<float>(i));
    rows.units.push_back(7);
  }
  EXPECT_EQ(taken(rows, 1.0, 66'000, 2).size(), 66'000u);
  EXPECT_EQ(taken(rows, 1.0, 70'000, 2).size(), 70'000u);
}

TEST(RowChoice, DoesNotDependOnOrderOrThreads) {
  PublicRng rng(2);
  for (int i = 0; i < 20; ++i) {
    const Rows rows = random_rows(2000, 150, rng);
    const auto expected = taken(rows, 1.0, 6, 1);
    EXPECT_EQ(taken(shuffled(rows, rng), 1.0, 6, 3), expected);
  }
}

TEST(RowChoice, OtherUnitsDoNotMatter) {
  PublicRng rng(3);
  for (int i = 0; i < 20; ++i) {
    Rows rows = random_rows(500, 40, rng);
    const std::uint64_t gone = rng.next_u64() % 40;
    Rows without;
    for (std::size_t r = 0; r < rows.units.size(); ++r) {
      if (rows.units[r] == gone) continue;
      without.values.push_back(rows.values[r]);
      without.units.push_back(rows.units[r]);
    }
    auto expected = taken(rows, 1.0, 4, 2);
    std::erase_if(expected, [&](const auto& row) { return row.first == gone; });
    EXPECT_EQ(taken(without, 1.0, 4, 2), expected);
  }
}

TEST(RowChoice, SamplesWholeUnits) {
  PublicRng rng(4);
  const Rows rows = random_rows(5000, 500, rng);
  std::map<std::uint64_t, int> before, after;
  for (const std::uint64_t unit : rows.units) ++before[unit];
  for (const auto& [unit, value] : taken(rows, 0.3, 1000, 2)) ++after[unit];
  EXPECT_LT(after.size(), before.size());
  for (const auto& [unit, count] : after) EXPECT_EQ(count, before[unit]);
}

// Which of the rows take part. They come in blocks of the given size.
std::vector<bool> sample(double rate, std::size_t count, std::uint64_t seed, std::size_t block_rows = 4096) {
  std::vector<float> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0.0F);
  SecureRng rng = SecureRng::for_tests(seed);
  const RowChoice choice(rate, 1, &rng);
  std::vector<float> chosen;
  for (std::size_t first = 0; first < count; first += block_rows) {
    RowBlock block;
    block.first_row = static_cast<std::int64_t>(first);
    block.rows = {numbers.data() + first, std::min(block_rows, count - first), 1};
    choice.gather(block, chosen);
  }
  std::vector<bool> in(count);
  for (const float number : chosen) in[static_cast<std::size_t>(number)] = true;
  return in;
}

std::int64_t sampled_rows(double rate, std::size_t count, std::uint64_t seed) {
  const std::vector<bool> in = sample(rate, count, seed);
  return std::count(in.begin(), in.end(), true);
}

TEST(RowChoice, SamplesDoNotDependOnBlocks) {
  for (const double rate : {0.01, 0.4}) {
    const std::vector<bool> whole = sample(rate, 10'000, 16, 10'000);
    for (const std::size_t block_rows : {1, 7, 64, 100, 4096, 5000}) {
      EXPECT_EQ(sample(rate, 10'000, 16, block_rows), whole) << block_rows;
    }
  }
}

// Digits behind the first 8 decide for one row in 256. Rates here have the same first 8, 1/256 and all but 2/256, so
// that the samples are one inside the other, and the digits behind make all the difference.
TEST(RowChoice, AllDigitsOfARateCount) {
  constexpr std::size_t kRows = 200'000;
  std::vector<bool> before = sample(1.0 / 256, kRows, 19);
  double seen = static_cast<double>(std::count(before.begin(), before.end(), true)), expected = kRows / 256.0;
  EXPECT_NEAR(seen, expected, 5 * std::sqrt(expected));
  for (const double rate : {1.2 / 256, 1.5 / 256, 1.9 / 256}) {
    const std::vector<bool> in = sample(rate, kRows, 19);
    double more = 0.0;
    for (std::size_t i = 0; i < kRows; ++i) {
      EXPECT_TRUE(in[i] || !before[i]);
      more += in[i] && !before[i] ? 1.0 : 0.0;
    }
    const double growth = kRows * rate - expected;
    EXPECT_NEAR(more, growth, 5 * std::sqrt(growth));
    expected = kRows * rate;
    before = in;
  }
}

// False alarm: |N(0,1)| > 5 has probability 6e-7; the seeds are fixed.
TEST(RowChoice, RowsAreSampledAtTheirRate) {
  constexpr std::size_t kRows = 200'000;
  for (const double rate : {0.001, 0.1, 0.5, 0.93}) {
    const double sigma = std::sqrt(kRows * rate * (1 - rate));
    EXPECT_NEAR(static_cast<double>(sampled_rows(rate, kRows, 17)), kRows * rate, 5 * sigma);
  }
}

// False alarm: as above.
TEST(RowChoice, UnitsAreSampledAtTheirRate) {
  constexpr std::size_t kUnits = 50'000;
  Rows rows;
  for (std::size_t i = 0; i < kUnits; ++i) {
    rows.values.push_back(0.0F);
    rows.units.push_back(i);
  }
  for (const double rate : {0.001, 0.1, 0.5, 0.93}) {
    const double sigma = std::sqrt(kUnits * rate * (1 - rate));
    EXPECT_NEAR(static_cast<double>(taken(rows, rate, 1, 2, 21).size()), kUnits * rate, 5 * sigma);
  }
}

// The definition to the letter: 1 byte and 7 bytes of two key streams, the first byte in front.
TEST(RowChoice, ARowsNumberComesFromTwoStreams) {
  constexpr std::size_t kRows = 20'000;
  constexpr double kRate = 0.3;
  std::array<std::uint8_t, crypto_stream_chacha20_KEYBYTES> key;
  SecureRng::for_tests(20).fill(key);
  const auto stream = [&](std::uint8_t number, std::size_t size) {
    const std::uint8_t nonce[crypto_stream_chacha20_NONCEBYTES] = {number};
    std::vector<std::uint8_t> bytes(size);
    crypto_stream_chacha20(bytes.data(), bytes.size(), nonce, key.data());
    return bytes;
  };
  const std::vector<std::uint8_t> first = stream(0, kRows), rest = stream(1, 8 * kRows);
  const std::vector<bool> in = sample(kRate, kRows, 20);
  for (std::size_t row = 0; row < kRows; ++row) {
    std::uint64_t number = first[row];
    for (std::size_t i = 0; i < 7; ++i) number = number << 8 | rest[8 * row + 6 - i];
    ASSERT_EQ(in[row], number < static_cast<std::uint64_t>(std::ldexp(kRate, 64))) << row;
  }
}

TEST(RowChoice, NeighbouringRowsAreSampledIndependently) {
  constexpr std::size_t kRows = 200'000;
  constexpr double kRate = 0.25;
  const std::vector<bool> in = sample(kRate, kRows, 18);
  for (std::size_t lag = 1; lag <= 4; ++lag) {
    double both = 0.0;
    for (std::size_t i = lag; i < kRows; ++i) both += in[i] && in[i - lag] ? 1.0 : 0.0;
    // The variance of the number of pairs: n q^2 (1-q) (1 + 3q) for overlapping pairs.
    const double sigma = std::sqrt(kRows * kRate * kRate * (1 - kRate) * (1 + 3 * kRate));
    EXPECT_NEAR(both, kRows * kRate * kRate, 5 * sigma);
  }
}

TEST(RowChoice, EveryReleaseDrawsAnotherSample) { EXPECT_NE(sample(0.5, 1000, 1), sample(0.5, 1000, 2)); }

TEST(RowChoice, TinyRatesTakeNobodyRatherThanSomebody) {
  EXPECT_EQ(sampled_rows(1e-30, 10'000, 3), 0);
  EXPECT_EQ(sampled_rows(1.0, 10'000, 3), 10'000);
}

}  // namespace
}  // namespace sosia
