// SPDX-License-Identifier: Apache-2.0
// The door through the ledger. Two ledgers of the same test seed draw the same noise and the same sampling key, so the
// difference of their releases is the exact difference of the sums.
#include "privacy/door.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <vector>

#include "base/thread_pool.h"
#include "privacy/door_test_support.h"
#include "random/public_rng.h"

namespace sosia {
namespace {

using Cells = std::vector<std::int64_t>;
constexpr std::int64_t kRowLimit = 1 << 20;

/// An empty table that has a unit column.
class NoRowsOfUnits : public RowSource {
 public:
  explicit NoRowsOfUnits(int columns) : columns_(columns) {}
  int columns() const override { return columns_; }
  bool has_units() const override { return true; }
  std::unique_ptr<RowScan> scan() const override {
    class Nothing : public RowScan {
      bool next(RowBlock&) override { return false; }
    };
    return std::make_unique<Nothing>();
  }

 private:
  int columns_;
};

struct Data {
  int columns = 1;
  std::vector<float> values = {};
  std::optional<std::vector<std::uint64_t>> units = {};

  std::size_t rows() const { return values.size() / static_cast<std::size_t>(columns); }
  PrivateTable table(std::int64_t row_limit = kRowLimit) const {
    if (units && units->empty()) return PrivateTable(std::make_unique<NoRowsOfUnits>(columns), row_limit);
    return PrivateTable(rows_in_memory(values, columns, units), row_limit);
  }
  void add(const std::vector<float>& row, std::uint64_t unit = 0) {
    values.insert(values.end(), row.begin(), row.end());
    if (units) units->push_back(unit);
  }
  void insert(std::size_t at, const std::vector<float>& row) {
    values.insert(values.begin() + static_cast<std::ptrdiff_t>(at * row.size()), row.begin(), row.end());
  }
};

Data shuffled(const Data& data, PublicRng& rng) {
  std::vector<std::size_t> order(data.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.next_u64() % i]);
  Data result{.columns = data.columns};
  if (data.units) result.units.emplace();
  const auto columns = static_cast<std::size_t>(data.columns);
  for (const std::size_t i : order) {
    const auto first = data.values.begin() + static_cast<std::ptrdiff_t>(i * columns);
    result.add({first, first + data.columns}, data.units ? (*data.units)[i] : 0);
  }
  return result;
}

Promise promise_for(Neighbors relation, std::int64_t max_rows = 0) {
  Promise promise{.epsilon = 200.0, .delta = 1e-3, .relation = relation};
  if (max_rows > 0) promise.unit = {"id", max_rows};
  return promise;
}

Cells released(const Data& data, const BoundedMap& map, const Promise& promise, const NoisySum& how, int threads = 2) {
  ThreadPool pool(threads);
  Ledger ledger = Ledger::for_tests(promise, 99, how.rate < 1.0 ? Spending::renyi : Spending::gaussian);
  const Release release = ledger.noisy_sum(data.table(), map, how, pool);
  return {release.cells().begin(), release.cells().end()};
}

Cells released(const Data& data, const CountMap& map, const Promise& promise, const NoisySum& how, int threads = 2) {
  ThreadPool pool(threads);
  Ledger ledger = Ledger::for_tests(promise, 99, how.rate < 1.0 ? Spending::renyi : Spending::gaussian);
  const Release release = ledger.noisy_counts(data.table(), map, how, pool);
  return {release.cells().begin(), release.cells().end()};
}

// Numbers that break naive code, among ordinary ones.
float odd_number(PublicRng& rng) {
  using Limits = std::numeric_limits<float>;
  switch (rng.next_u32() % 24) {
    case 0:
      return Limits::quiet_NaN();
    case 1:
      return Limits::infinity();
    case 2:
      return -Limits::infinity();
    case 3:
      return Limits::denorm_min() * static_cast<float>(rng.next_u32() % 100);
    case 4:
      return -Limits::max();
    case 5:
      return Limits::max();
    case 6:
      return -0.0F;
    case 7:
      return static_cast<float>(1e4 * rng.normal());
    default:
      return static_cast<float>(0.6 * rng.normal());
  }
}

std::vector<float> odd_row(int columns, PublicRng& rng) {
  std::vector<float> row(static_cast<std::size_t>(columns));
  for (float& x : row) x = odd_number(rng);
  return row;
}

Data odd_data(int columns, std::size_t rows, PublicRng& rng) {
  Data data{.columns = columns};
  for (std::size_t i = 0; i < rows; ++i) data.add(odd_row(columns, rng));
  return data;
}

TEST(Door, SameBitsForAnyThreadCountAndRowOrder) {
  PublicRng rng(1);
  const Data data = odd_data(5, 20'000, rng);
  const Data other_order = shuffled(data, rng);
  const RowMap map(5, 1.0);
  const ColumnCounts counts({{3, 1.0}, {4, 2.0}, {2, 1.0}});
  const Promise promise = promise_for(Neighbors::add_remove);
  const Cells sum = released(data, map, promise, {.noise = 1.0}, 1);
  const Cells count = released(data, counts, promise, {.noise = 1.0}, 1);
  for (const int threads : {1, 2, 5}) {
    EXPECT_EQ(released(data, map, promise, {.noise = 1.0}, threads), sum);
    EXPECT_EQ(released(other_order, map, promise, {.noise = 1.0}, threads), sum);
    EXPECT_EQ(released(other_order, counts, promise, {.noise = 1.0}, threads), count);
  }
}

TEST(Door, SameBitsForAnyThreadCountAndRowOrderWithSampledUnits) {
  PublicRng rng(2);
  Data data = odd_data(3, 15'000, rng);
  data.units.emplace();
  for (std::size_t i = 0; i < data.rows(); ++i) data.units->push_back(rng.next_u32() % 2000);
  const RowMap map(3, 1.0);
  const Promise promise = promise_for(Neighbors::add_remove, 3);
  const NoisySum how{.noise = 1.0, .rate = 0.4};
  const Cells sum = released(data, map, promise, how, 1);
  EXPECT_EQ(released(data, map, promise, how, 4), sum);
  EXPECT_EQ(released(shuffled(data, rng), map, promise, how, 3), sum);
  EXPECT_NE(released(data, map, promise, {.noise = 1.0}, 1), sum);
}

// delta^2 <= factor * max_rows^2 * norm^2, with factor 1, 2 or 4 by the relation.
void expect_within(const Cells& a, const Cells& b, int factor, std::int64_t max_rows, const Lattice& lattice) {
  EXPECT_LE(squared_distance(a, b), square(max_rows * lattice.norm) * u128(factor));
}

TEST(Door, SensitivityOfSumsHoldsForAnyRows) {
  PublicRng rng(3);
  for (int i = 0; i < 1500; ++i) {
    const int columns = 1 + static_cast<int>(rng.next_u32() % 10);
    const bool nonnegative = rng.uniform() < 0.5;
    const RowMap map(columns, std::exp(4.0 * rng.uniform() - 2.0), nonnegative);
    const NoisySum how{.noise = 0.1 + 2.0 * rng.uniform()};
    const Data data = odd_data(columns, rng.next_u32() % 4, rng);
    const std::vector<float> row = odd_row(columns, rng), other = odd_row(columns, rng);
    const std::size_t at = rng.next_u64() % (data.rows() + 1);
    Data with_row = data, with_other = data;
    with_row.insert(at, row);
    with_other.insert(at, other);
    GridRequest request{
        .noise = how.noise, .norm_bound = map.norm_bound(), .nonnegative = nonnegative, .row_limit = kRowLimit};
    for (const Neighbors relation : {Neighbors::add_remove, Neighbors::zero_out}) {
      const Promise promise = promise_for(relation);
      expect_within(released(data, map, promise, how), released(with_row, map, promise, how), 1, 1,
                    make_lattice(request));
    }
    request.relation = Neighbors::replace;
    const Promise promise = promise_for(Neighbors::replace);
    expect_within(released(with_row, map, promise, how), released(with_other, map, promise, how), nonnegative ? 2 : 4,
                  1, make_lattice(request));
  }
}

TEST(Door, SensitivityOfPartsAndCountsHoldsForAnyRows) {
  PublicRng rng(33);
  for (int i = 0; i < 1500; ++i) {
    const int columns = 1 + static_cast<int>(rng.next_u32() % 6);
    const double bound = std::exp(4.0 * rng.uniform() - 2.0);
    const PartMap map(columns, bound, 3, bound * 1.5 * rng.uniform(), rng.uniform() < 0.5);
    const NoisySum how{.noise = 0.1 + 2.0 * rng.uniform()};
    const Data data = odd_data(columns, rng.next_u32() % 4, rng);
    const std::vector<float> row = odd_row(columns, rng), other = odd_row(columns, rng);
    const std::size_t at = rng.next_u64() % (data.rows() + 1);
    Data with_row = data, with_other = data;
    with_row.insert(at, row);
    with_other.insert(at, other);
    GridRequest request{.noise = how.noise,
                        .norm_bound = map.norm_bound(),
                        .count_weight = map.count_weight(),
                        .nonnegative = map.nonnegative(),
                        .row_limit = kRowLimit};
    const auto distance = [&](const Data& a, const Data& b, Neighbors relation) {
      const Cells one = released(a, map, promise_for(relation), how);
      EXPECT_EQ(one.size(), static_cast<std::size_t>(3 * columns + 3));
      return squared_distance(one, released(b, map, promise_for(relation), how));
    };
    const Lattice near = make_lattice(request);
    const u128 one_row = square(near.norm) + square(near.count);
    for (const Neighbors relation : {Neighbors::add_remove, Neighbors::zero_out}) {
      EXPECT_LE(distance(data, with_row, relation), one_row);
    }
    request.relation = Neighbors::replace;
    const Lattice far = make_lattice(request);
    const u128 two_rows = 2 * (square(far.norm) + square(far.count));
    EXPECT_LE(distance(with_row, with_other, Neighbors::replace),
              map.nonnegative() ? two_rows : std::max(4 * square(far.norm), two_rows));
  }
}

TEST(Door, SensitivityOfUnitsHoldsForAnyNumberOfRows) {
  PublicRng rng(4);
  for (int i = 0; i < 600; ++i) {
    const std::int64_t max_rows = 1 + rng.next_u32() % 4;
    const RowMap map(3, 1.0);
    const NoisySum how{.noise = 0.5, .rate = rng.uniform() < 0.5 ? 1.0 : 0.7};
    Data data{.columns = 3, .values = {}, .units = std::vector<std::uint64_t>{}};
    for (int r = rng.next_u32() % 30; r > 0; --r) data.add(odd_row(3, rng), rng.next_u32() % 5);
    Data more = data;
    for (int r = rng.next_u32() % 12; r > 0; --r) more.add(odd_row(3, rng), 77);
    more = shuffled(more, rng);
    const GridRequest request{
        .noise = how.noise, .norm_bound = 1.0, .sampled = how.rate < 1.0, .max_rows = max_rows, .row_limit = kRowLimit};
    const Promise promise = promise_for(Neighbors::add_remove, max_rows);
    expect_within(released(data, map, promise, how), released(more, map, promise, how), 1, max_rows,
                  make_lattice(request));
  }
}

TEST(Door, SensitivityOfCountsHoldsForAnyRows) {
  PublicRng rng(5);
  for (int i = 0; i < 1000; ++i) {
    const ColumnCounts map({{3, 1.0}, {1, 0.3}, {5, 2.0}});
    const NoisySum how{.noise = 0.1 + rng.uniform()};
    const Data data = odd_data(3, rng.next_u32() % 4, rng);
    Data with_row = data, with_other = data;
    const auto cell_row = [&] {
      std::vector<float> row = odd_row(3, rng);
      for (float& x : row) x = rng.uniform() < 0.8 ? static_cast<float>(rng.next_u32() % 6) : x;
      return row;
    };
    with_row.add(cell_row());
    with_other.add(cell_row());
    GridRequest request{
        .noise = how.noise, .norm_bound = norm_of_slots(map.slots()), .nonnegative = true, .row_limit = kRowLimit};
    expect_within(released(data, map, promise_for(Neighbors::add_remove), how),
                  released(with_row, map, promise_for(Neighbors::add_remove), how), 1, 1, make_lattice(request));
    request.relation = Neighbors::replace;
    expect_within(released(with_row, map, promise_for(Neighbors::replace), how),
                  released(with_other, map, promise_for(Neighbors::replace), how), 2, 1, make_lattice(request));
  }
}

TEST(Door, ReleasesAreOnTheGridWithTheNoiseTheyClaim) {
  constexpr int kDim = 20'000;
  Data data{.columns = kDim};
  std::vector<float> row(kDim, 0.0F);
  row[0] = 1.0F;
  data.add(row);
  data.add(row);
  ThreadPool pool(1);
  Ledger ledger = Ledger::for_tests(promise_for(Neighbors::add_remove), 7);
  const Release release = ledger.noisy_sum(data.table(), RowMap(kDim, 1.0), {.noise = 3.0, .label = "grid"}, pool);
  EXPECT_DOUBLE_EQ(release.sigma(), 3.0);
  EXPECT_EQ(release.event().label, "grid");
  EXPECT_EQ(std::get<Gaussian>(release.event().mechanism).noise, 3.0);
  ASSERT_EQ(release.values().size(), static_cast<std::size_t>(kDim));
  double squares = 0.0;
  for (int i = 0; i < kDim; ++i) {
    EXPECT_EQ(release.values()[i], static_cast<double>(release.cells()[i]) * release.step());
    if (i > 0) squares += release.values()[i] * release.values()[i];
  }
  // It is drawn in pieces, which must not repeat each other: of so many numbers ten are not the same by chance (1e-30).
  EXPECT_GT(std::set<std::int64_t>(release.cells().begin(), release.cells().end()).size(), kDim - 10U);
  // Five standard errors of a variance: a false alarm rate of 6e-7.
  EXPECT_NEAR(squares / (kDim - 1) / 9.0, 1.0, 5.0 * std::sqrt(2.0 / kDim));
}

TEST(Door, SumsAreRight) {
  Data data{.columns = 2, .values = {0.5F, 0.25F, -0.5F, 0.5F, 0.125F, 3.0F}};
  const NoisySum how{.noise = 1.0};
  const Promise promise = promise_for(Neighbors::add_remove);
  const Lattice lattice = make_lattice({.noise = 1.0, .norm_bound = 1.0, .row_limit = kRowLimit});
  const Cells sum = released(data, RowMap(2, 1.0), promise, how);
  const Cells noise = released(Data{.columns = 2}, RowMap(2, 1.0), promise, how);
  // The third row is shrunk to the unit circle.
  const double length = std::hypot(0.125, 3.0);
  EXPECT_NEAR(static_cast<double>(sum[0] - noise[0]) * lattice.step, 0.125 / length, 4 * lattice.step);
  EXPECT_NEAR(static_cast<double>(sum[1] - noise[1]) * lattice.step, 0.75 + 3.0 / length, 4 * lattice.step);
}

TEST(Door, CountsAreRight) {
  Data data{.columns = 2, .values = {0, 1, 0, 2, 1, 7, -1, 1}};
  const ColumnCounts map({{2, 1.0}, {3, 2.0}});
  const Promise promise = promise_for(Neighbors::add_remove);
  const Lattice lattice = make_lattice(
      {.noise = 1.0, .norm_bound = norm_of_slots(map.slots()), .nonnegative = true, .row_limit = kRowLimit});
  const Cells counts = released(data, map, promise, {.noise = 1.0});
  const Cells noise = released(Data{.columns = 2}, map, promise, {.noise = 1.0});
  const Cells weights = grid_weights(map.slots(), lattice);
  const Cells expected = {2 * weights[0], weights[0], 0, 2 * weights[1], weights[1]};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(counts[i] - noise[i], expected[i]);
}

// As many rows as the limit allows, each with the largest entry there is, on the coarsest grid that is allowed.
TEST(Door, TheLargestSumDoesNotOverflow) {
  constexpr std::int64_t kRows = 1000;
  Data data{.columns = 1, .values = std::vector<float>(kRows, 1e30F)};
  const NoisySum how{.noise = 1e-6};
  const Promise promise{.epsilon = 1e15, .delta = 0.1};
  const Lattice lattice = make_lattice({.noise = how.noise, .norm_bound = 1.0, .row_limit = kRows});
  EXPECT_GT(u128(lattice.norm) * kRows, u128(1) << 59);
  ThreadPool pool(2);
  Ledger ledger = Ledger::for_tests(promise, 1);
  const Release release = ledger.noisy_sum(data.table(kRows), RowMap(1, 1.0), how, pool);
  EXPECT_NEAR(release.values()[0] / static_cast<double>(kRows), 1.0, 1e-6);
}

TEST(Door, MoreRowsThanTheLimitAreRefusedAndTheCountIsWithheld) {
  Data data{.columns = 1, .values = std::vector<float>(12'345, 1.0F)};
  ThreadPool pool(2);
  Ledger ledger = Ledger::for_tests(promise_for(Neighbors::add_remove), 1);
  try {
    ledger.noisy_sum(data.table(12'000), RowMap(1, 1.0), {.noise = 1.0}, pool);
    FAIL() << "the limit was ignored";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    EXPECT_EQ(std::string(error.what()).find("12345"), std::string::npos);
  }
  EXPECT_EQ(ledger.events().size(), 1U);
}

// What a map forgets to write must not be a left-over of another row.
TEST(Door, ALazyMapSeesNoOtherRow) {
  class LazyVectors : public RowMap {
   public:
    LazyVectors() : RowMap(1, 1.0) {}
    void forward(MatrixView<const float> rows, MatrixView<float> vectors) const override {
      for (std::size_t r = 0; r < rows.rows; ++r) {
        if (rows.row(r)[0] > 0.0F) vectors.row(r)[0] = rows.row(r)[0];
      }
    }
  };
  class LazyParts : public RowMap {
   public:
    LazyParts() : RowMap(1, 1.0) {}
    void assign(MatrixView<const float> rows, std::span<std::uint32_t> parts) const override {
      for (std::size_t r = 0; r < rows.rows; ++r) {
        if (rows.row(r)[0] > 0.0F) parts[r] = 0;
      }
    }
  };
  class LazyCells : public ColumnCounts {
   public:
    LazyCells() : ColumnCounts({{1, 1.0}}) {}
    void forward(MatrixView<const float> rows, MatrixView<std::uint32_t> cells) const override {
      for (std::size_t r = 0; r < rows.rows; ++r) {
        if (rows.row(r)[0] > 0.0F) cells.row(r)[0] = 0;
      }
    }
  };
  Data ones{.columns = 1, .values = std::vector<float>(600'000, 0.5F)};
  Data mixed = ones;
  std::fill(mixed.values.begin() + 300'000, mixed.values.end(), -1.0F);
  const auto expect_half = [&](const auto& map) {
    const auto sum = [&](const Data& data) {
      return released(data, map, promise_for(Neighbors::add_remove), {.noise = 1.0}, 1)[0];
    };
    const std::int64_t none = sum(Data{.columns = 1});
    EXPECT_EQ(sum(ones) - none, 2 * (sum(mixed) - none));
  };
  expect_half(LazyVectors());
  expect_half(LazyParts());
  expect_half(LazyCells());
}

}  // namespace
}  // namespace sosia
