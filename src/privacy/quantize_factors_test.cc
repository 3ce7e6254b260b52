// SPDX-License-Identifier: Apache-2.0
#include "privacy/quantize_factors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <sosia/ledger.h>

#include "base/thread_pool.h"
#include "base/wide_int.h"
#include "privacy/door_test_support.h"
#include "random/public_rng.h"

namespace sosia {
namespace {

using Cells = std::vector<std::int64_t>;

u128 squared_norm(std::span<const std::int64_t> cells) { return squared_distance(cells, Cells(cells.size())); }

std::size_t size_of(std::span<const FactorShape> shapes) {
  std::size_t size = 0;
  for (const FactorShape& shape : shapes) size += shape.size();
  return size;
}

/// The vector of one row in long doubles.
std::vector<long double> expanded(std::span<const FactorPair<float>> factors) {
  std::vector<long double> vector;
  for (const auto& [left, right] : factors) {
    for (std::size_t i = 0; i <= left.cols; ++i) {
      for (std::size_t j = 0; j < right.cols; ++j) {
        long double cell = 0.0L;
        for (std::size_t r = 0; r < left.rows; ++r) {
          cell += (i < left.cols ? left.row(r)[i] : 1.0L) * static_cast<long double>(right.row(r)[j]);
        }
        vector.push_back(cell);
      }
    }
  }
  return vector;
}

/// The root of the sum of all squares of its terms.
long double length_of_terms(std::span<const FactorPair<float>> factors) {
  long double squares = 0.0L;
  for (const auto& [left, right] : factors) {
    for (std::size_t r = 0; r < left.rows; ++r) {
      long double a = 1.0L, g = 0.0L;
      for (const float x : left.row(r)) a += static_cast<long double>(x) * x;
      for (const float x : right.row(r)) g += static_cast<long double>(x) * x;
      squares += a * g;
    }
  }
  return std::sqrt(squares);
}

/// Numbers of all sizes; now and then one that is none.
float odd_number(PublicRng& rng) {
  using Limits = std::numeric_limits<float>;
  constexpr float kOdd[] = {Limits::quiet_NaN(),
                            Limits::infinity(),
                            -Limits::infinity(),
                            Limits::max(),
                            -Limits::max(),
                            Limits::denorm_min(),
                            0.0F};
  if (rng.next_u32() % 200 == 0) return kOdd[rng.next_u32() % std::size(kOdd)];
  return static_cast<float>(rng.normal());
}

struct Trial {
  std::vector<FactorShape> shapes;
  std::size_t terms;

  explicit Trial(PublicRng& rng) : terms(1 + rng.next_u32() % 2) {
    for (std::uint32_t b = rng.next_u32() % 3; b < 3; ++b)
      shapes.push_back({rng.next_u32() % 7, 1 + rng.next_u32() % 11});
  }
  /// One row. Of two terms the second is sometimes almost minus the first: then the norm is a difference of large
  /// numbers.
  static void fill(std::span<const FactorPair<float>> factors, double size, PublicRng& rng) {
    const bool cancels = rng.next_u32() % 2 == 0;
    const float rest = std::ldexp(1.0F, -static_cast<int>(6 + rng.next_u32() % 18));
    for (const auto& [left, right] : factors) {
      for (std::size_t r = 0; r < left.rows; ++r) {
        for (float& x : left.row(r)) x = odd_number(rng);
        for (float& x : right.row(r)) x = static_cast<float>(size * odd_number(rng));
        if (r == 0 || !cancels) continue;
        std::ranges::copy(left.row(0), left.row(1).begin());
        for (std::size_t j = 0; j < right.cols; ++j) {
          right.row(1)[j] = -right.row(0)[j] * (1.0F + (rng.next_u32() % 2 == 0 ? 0.0F : rest));
        }
      }
    }
  }
};

TEST(QuantizeFactors, TheExactNormIsNeverAboveTheBound) {
  PublicRng rng(1);
  int shrunk = 0, nothing = 0, compared = 0;
  for (int i = 0; i < 4000; ++i) {
    const Trial trial(rng);
    // Now and then so much noise that the bound is a small number, and rounding to whole ones shows.
    const double noise = i % 4 == 0 ? std::exp(12.0 + 9.0 * rng.uniform()) : 0.3 + rng.uniform();
    const double norm_bound = std::exp(8.0 * rng.uniform() - 4.0);
    const Lattice lattice =
        make_lattice({.noise = noise, .norm_bound = norm_bound, .count_weight = 0.3 * norm_bound, .row_limit = 1000});
    FactorQuantizer quantizer(lattice, trial.shapes, trial.terms);
    const auto room = quantizer.room(1);
    Trial::fill(room, std::exp(8.0 * rng.uniform() - 4.0), rng);
    const std::vector<long double> vector = expanded(room);
    Cells sums(size_of(trial.shapes) + 1);
    quantizer.add(sums);
    const std::int64_t sign = sums.back();
    sums.pop_back();
    ASSERT_LE(squared_norm(sums), square(lattice.norm));
    const long double length = std::sqrt(std::inner_product(vector.begin(), vector.end(), vector.begin(), 0.0L));
    if (!std::isfinite(length)) {
      ++nothing;
      EXPECT_EQ(squared_norm(sums), u128(0));
      EXPECT_EQ(sign, 0);
      continue;
    }
    // The norm of a difference of large numbers is taken for larger than it is, by some 1e-6 of these.
    if (length < 1e-3L * length_of_terms(room)) continue;
    ++compared;
    // What the proof allows: terms/2 for whole numbers, as much times the root of their number for the room that they
    // need, and 2^-26 of the terms' length for 29 digits and the margin.
    const long double rounding = 0.5L * static_cast<long double>(trial.terms);
    const long double room_for_it = rounding * std::sqrt(static_cast<long double>(vector.size()));
    const long double bound = (static_cast<long double>(lattice.norm) - room_for_it) * lattice.step;
    if (bound <= 0.0L) continue;
    const bool is_shrunk = sign < 0;
    EXPECT_EQ(std::abs(sign), lattice.count);
    if (length > bound * 1.001L) {
      EXPECT_TRUE(is_shrunk);
      ++shrunk;
    }
    if (length < bound * 0.999L) {
      EXPECT_FALSE(is_shrunk);
    }
    const long double scale = (is_shrunk ? bound / length : 1.0L) / static_cast<long double>(lattice.step);
    const long double allowed = rounding + 0x1p-26L * scale * length_of_terms(room) + 0.01L;
    for (std::size_t k = 0; k < vector.size(); ++k) {
      EXPECT_NEAR(static_cast<double>(sums[k]), static_cast<double>(vector[k] * scale), static_cast<double>(allowed));
    }
  }
  EXPECT_GT(shrunk, 500);
  EXPECT_GT(nothing, 100);
  EXPECT_GT(compared, 1000);
}

/// Factors that are stretches of the row itself, as many as the columns allow; of two terms the second is a public
/// vector.
class StretchMap : public FactoredMap {
 public:
  StretchMap(std::size_t terms, double bound, double sign_weight)
      : terms_(terms), bound_(bound), sign_weight_(sign_weight) {}
  std::span<const FactorShape> shapes() const override { return shapes_; }
  std::size_t terms() const override { return terms_; }
  double norm_bound() const override { return bound_; }
  double sign_weight() const override { return sign_weight_; }
  void forward(MatrixView<const float> rows, std::span<const FactorPair<float>> factors) const override {
    for (std::size_t r = 0; r < rows.rows; ++r) {
      const float* next = rows.row(r).data();
      for (const auto& [left, right] : factors) {
        for (float& x : left.row(r * terms_)) x = *next++;
        for (float& x : right.row(r * terms_)) x = *next++;
        if (terms_ == 2) std::ranges::fill(right.row(r * terms_ + 1), -0.25F);
      }
    }
  }
  static constexpr int kColumns = 3 + 2 + 2 + 9;

 private:
  std::vector<FactorShape> shapes_{{3, 2}, {2, 9}};
  std::size_t terms_;
  double bound_, sign_weight_;
};

std::vector<float> random_rows(std::size_t rows, PublicRng& rng) {
  std::vector<float> values(rows * StretchMap::kColumns);
  for (float& x : values) x = odd_number(rng);
  return values;
}

Cells released(const std::vector<float>& values, const StretchMap& map, const NoisySum& how, Neighbors relation,
               int threads) {
  ThreadPool pool(threads);
  Ledger ledger = Ledger::for_tests({.epsilon = 200.0, .delta = 1e-3, .relation = relation}, 99,
                                    how.rate < 1.0 ? Spending::renyi : Spending::gaussian);
  const PrivateTable table(rows_in_memory(values, StretchMap::kColumns), 1 << 20);
  const Release release = ledger.noisy_sum(table, map, how, pool);
  return {release.cells().begin(), release.cells().end()};
}

TEST(QuantizeFactors, TheSumIsTheSameFromAnyNumberOfThreads) {
  PublicRng rng(2);
  const std::vector<float> values = random_rows(20'000, rng);
  for (const std::size_t terms : {1, 2}) {
    const StretchMap map(terms, 1.0, 0.1);
    for (const double rate : {1.0, 0.05}) {
      const NoisySum how{.noise = 1.0, .rate = rate};
      const Cells sum = released(values, map, how, Neighbors::add_remove, 1);
      EXPECT_EQ(released(values, map, how, Neighbors::add_remove, 2), sum);
      EXPECT_EQ(released(values, map, how, Neighbors::add_remove, 5), sum);
    }
  }
}

// Two ledgers of one seed draw the same noise, so that the difference of releases is that of the sums.
TEST(QuantizeFactors, NeighboursDifferByTheSensitivityAtMost) {
  PublicRng rng(3);
  for (int i = 0; i < 400; ++i) {
    const StretchMap map(1 + rng.next_u32() % 2, std::exp(4.0 * rng.uniform() - 2.0), rng.uniform() < 0.5 ? 0.0 : 0.05);
    const NoisySum how{.noise = 0.1 + 2.0 * rng.uniform()};
    std::vector<float> values = random_rows(rng.next_u32() % 4, rng), one = values, other = values;
    for (std::vector<float>* more : {&one, &other}) {
      const std::vector<float> row = random_rows(1, rng);
      more->insert(more->end(), row.begin(), row.end());
    }
    for (const Neighbors relation : {Neighbors::add_remove, Neighbors::zero_out, Neighbors::replace}) {
      const Lattice lattice = make_lattice({.noise = how.noise,
                                            .norm_bound = map.norm_bound(),
                                            .count_weight = map.sign_weight(),
                                            .signed_count = true,
                                            .relation = relation,
                                            .row_limit = 1 << 20});
      const bool replaces = relation == Neighbors::replace;
      const Cells before = released(replaces ? other : values, map, how, relation, 1);
      const u128 distance = squared_distance(before, released(one, map, how, relation, 1));
      EXPECT_LE(distance, (square(lattice.norm) + square(lattice.count)) * (replaces ? 4 : 1));
      // What the charged event allows: noise of standard deviation 2^bits, sensitivity 2^bits / noise.
      EXPECT_LE(std::sqrt(static_cast<double>(distance)), std::ldexp(1.0, lattice.bits) / how.noise);
    }
  }
}

TEST(QuantizeFactors, AnEmptyTableGivesNoise) {
  const StretchMap map(1, 1.0, 0.1);
  const Cells cells = released({}, map, {.noise = 1.0, .rate = 0.1}, Neighbors::add_remove, 2);
  EXPECT_EQ(cells.size(), size_of(map.shapes()) + 1);
  EXPECT_GT(std::ranges::count_if(cells, [](std::int64_t cell) { return cell != 0; }), 30);
}

TEST(FactorRoom, NothingIsLeftOverAndNoNumberIsShared) {
  const std::vector<FactorShape> shapes = {{3, 2}, {1, 4}};
  FactorRoom room(shapes, 2);
  for (const std::size_t rows : {5, 2, 7}) {  // the second stretch lies within what the first one wrote
    room.clear(rows);
    ASSERT_EQ(room.factors().size(), shapes.size());
    float next = 1.0F;
    const auto mark = [&](const MatrixView<float>& factors, std::size_t cols) {
      ASSERT_EQ(factors.rows, 2 * rows);
      ASSERT_EQ(factors.cols, cols);
      for (std::size_t r = 0; r < factors.rows; ++r) {
        for (float& number : factors.row(r)) {
          EXPECT_EQ(number, 0.0F);  // neither of the stretch before nor marked already
          number = next++;
        }
      }
    };
    for (std::size_t b = 0; b < shapes.size(); ++b) {
      mark(room.factors()[b].left, shapes[b].inputs);
      mark(room.factors()[b].right, shapes[b].outputs);
    }
  }
}

}  // namespace
}  // namespace sosia
