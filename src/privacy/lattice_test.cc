// SPDX-License-Identifier: Apache-2.0
#include "privacy/lattice.h"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>

#include <sosia/ledger.h>

#include "base/wide_int.h"
#include "privacy/door_test_support.h"
#include "random/public_rng.h"

namespace sosia {
namespace {

using boost::multiprecision::cpp_int;
using boost::multiprecision::cpp_rational;

cpp_rational exact(double x) { return cpp_rational(x); }

// The squared distance of neighbouring sums whose vectors have this norm and whose counts are this large.
cpp_int squared_sensitivity(const GridRequest& request, const cpp_int& norm, const cpp_int& count) {
  const cpp_int row = norm * norm + count * count, units = cpp_int(request.max_rows) * request.max_rows;
  if (request.relation != Neighbors::replace || request.sampled) return units * row;
  if (request.nonnegative) return units * row * 2;
  if (request.max_rows > 1) return units * row * 4;
  const cpp_int same_part = norm * norm * 4, other_part = row * 2;
  return same_part > other_part ? same_part : other_part;
}

// sensitivity^2 <= (2^bits / noise)^2, in rational numbers: no rounding anywhere.
void expect_sensitivity_holds(const GridRequest& request, const Lattice& lattice) {
  const cpp_rational noise2 = exact(request.noise) * exact(request.noise);
  const cpp_rational sigma2 = cpp_rational(cpp_int(1) << (2 * lattice.bits));
  EXPECT_LE(cpp_rational(squared_sensitivity(request, lattice.norm, lattice.count)) * noise2, sigma2);
  // And not by much: at most one grid step of each (and 2^-48 of them) is given away.
  const auto next = [](std::int64_t cell) { return cpp_int(cell) + 1 + cpp_int(cell >> 48); };
  const cpp_int next_norm = next(lattice.norm);
  const cpp_rational ratio = exact(request.count_weight) / exact(request.norm_bound);
  const cpp_int next_count = request.count_weight > 0.0 ? cpp_int(ratio * cpp_rational(next_norm)) + 1 : cpp_int(0);
  EXPECT_GT(cpp_rational(squared_sensitivity(request, next_norm, next_count)) * noise2, sigma2);
}

TEST(Lattice, SensitivityIsExactForEveryRelation) {
  PublicRng rng(11);
  for (int i = 0; i < 2000; ++i) {
    GridRequest request{.noise = std::exp(8.0 * rng.uniform() - 3.0),
                        .norm_bound = std::exp(10.0 * rng.uniform() - 5.0),
                        .count_weight = 0.0,
                        .nonnegative = rng.uniform() < 0.5,
                        .sampled = rng.uniform() < 0.3,
                        .relation = static_cast<Neighbors>(rng.next_u32() % 3),
                        .max_rows = 1 + static_cast<std::int64_t>(rng.next_u32() % 20),
                        .row_limit = std::int64_t{1} << (rng.next_u32() % 32)};
    if (rng.uniform() < 0.5) request.count_weight = request.norm_bound * std::exp(4.0 * rng.uniform() - 2.0);
    if (rng.uniform() < 0.3) request.max_rows = 1;
    const Lattice lattice = make_lattice(request);
    expect_sensitivity_holds(request, lattice);
    EXPECT_GE(lattice.bits, kLeastBits);
    EXPECT_LE(lattice.bits, kMostBits);
    EXPECT_LT(u128(std::max(lattice.norm, lattice.count)) * u128(request.row_limit), u128(1) << 62);
    EXPECT_EQ(lattice.count > 0, request.count_weight > 0.0);
    EXPECT_NEAR(lattice.norm * lattice.step / request.norm_bound, 1.0, 1.0 / static_cast<double>(lattice.norm) + 1e-12);
  }
}

TEST(Lattice, SigmaIsTheMultiplierTimesTheSensitivity) {
  GridRequest request{
      .noise = 3.0, .norm_bound = 2.0, .relation = Neighbors::replace, .max_rows = 5, .row_limit = 1000};
  EXPECT_DOUBLE_EQ(make_lattice(request).sigma(), 3.0 * 2.0 * 2.0 * 5.0);
  request.nonnegative = true;
  EXPECT_DOUBLE_EQ(make_lattice(request).sigma(), 3.0 * 2.0 * std::sqrt(2.0) * 5.0);
  request.sampled = true;  // the multiplier of a sampled event is by the norm, whatever the relation
  EXPECT_DOUBLE_EQ(make_lattice(request).sigma(), 3.0 * 2.0 * 5.0);
  request.relation = Neighbors::zero_out;
  EXPECT_DOUBLE_EQ(make_lattice(request).sigma(), 3.0 * 2.0 * 5.0);
}

TEST(Lattice, CountsAreFreeUnderReplaceUpToTheBound) {
  GridRequest request{.noise = 3.0, .norm_bound = 2.0, .relation = Neighbors::replace, .row_limit = 1000};
  const double alone = make_lattice(request).sigma();
  request.count_weight = 2.0;
  EXPECT_DOUBLE_EQ(make_lattice(request).sigma(), alone);
  request.relation = Neighbors::add_remove;
  EXPECT_DOUBLE_EQ(make_lattice(request).sigma(), 3.0 * std::sqrt(8.0));
}

TEST(Lattice, UsesAsManyBitsAsFit) {
  EXPECT_EQ(make_lattice({.noise = 1.0, .norm_bound = 1.0, .row_limit = 1000}).bits, 35);
  EXPECT_EQ(make_lattice({.noise = 1.0, .norm_bound = 1.0, .row_limit = std::int64_t{1} << 31}).bits, 31);
  EXPECT_EQ(make_lattice({.noise = 0.25, .norm_bound = 1.0, .row_limit = std::int64_t{1} << 31}).bits, 29);
}

TEST(Lattice, RefusesWhatHasNoExactGrid) {
  const auto kind = [](GridRequest request) { return kind_thrown_by([&] { make_lattice(request); }); };
  EXPECT_EQ(kind({.noise = 1e-4, .norm_bound = 1.0, .row_limit = std::int64_t{1} << 31}), ErrorKind::usage);
  EXPECT_EQ(kind({.noise = 1e12, .norm_bound = 1.0, .row_limit = 10}), ErrorKind::usage);
  for (const double bad : {0.0, -1.0, std::nan(""), HUGE_VAL, 1e-300, 1e300}) {
    EXPECT_EQ(kind({.noise = bad, .norm_bound = 1.0, .row_limit = 10}), ErrorKind::usage);
    EXPECT_EQ(kind({.noise = 1.0, .norm_bound = bad, .row_limit = 10}), ErrorKind::usage);
  }
  EXPECT_EQ(kind({.noise = 1.0, .norm_bound = 1.0, .max_rows = 0, .row_limit = 10}), ErrorKind::usage);
  EXPECT_EQ(kind({.noise = 1.0, .norm_bound = 1.0, .row_limit = 0}), ErrorKind::usage);
}

TEST(GridWeights, StayWithinTheNormExactly) {
  PublicRng rng(12);
  for (int i = 0; i < 500; ++i) {
    std::vector<CountSlot> slots(1 + rng.next_u32() % 100);
    const bool equal = rng.uniform() < 0.5;
    for (CountSlot& slot : slots) slot = {1 + rng.next_u32() % 9, equal ? 1.0 : std::exp(6.0 * rng.uniform() - 3.0)};
    const Lattice lattice =
        make_lattice({.noise = 0.1 + rng.uniform(), .norm_bound = norm_of_slots(slots), .row_limit = 1'000'000});
    const std::vector<std::int64_t> weights = grid_weights(slots, lattice);
    u128 squares = 0;
    for (std::size_t j = 0; j < slots.size(); ++j) {
      squares += square(weights[j]);
      EXPECT_NEAR(static_cast<double>(weights[j]) * lattice.step, slots[j].weight,
                  2.0 * lattice.step + slots[j].weight / static_cast<double>(lattice.norm));
    }
    EXPECT_LE(squares, square(lattice.norm));
  }
}

TEST(CountSigma, IsThatOfARowInEverySlot) {
  for (const auto& [relation, geometry] : {std::pair(Neighbors::add_remove, 1.0), std::pair(Neighbors::zero_out, 1.0),
                                           std::pair(Neighbors::replace, std::sqrt(2.0))}) {
    for (const std::int64_t max_rows : {1, 4}) {
      const Promise promise{.relation = relation, .unit = {.column = {}, .max_rows = max_rows}};
      const double sensitivity = geometry * static_cast<double>(max_rows) * std::sqrt(7.0);
      const double sigma = count_sigma(5.0, 7, promise);
      EXPECT_GE(sigma, 5.0 * sensitivity * (1.0 - 1e-15));
      EXPECT_LE(sigma, 5.0 * sensitivity * (1.0 + 1e-6));
    }
  }
}

TEST(GridWeights, RefusesSlotsThatMakeNoSense) {
  const auto kind = [](std::vector<CountSlot> slots) { return kind_thrown_by([&] { norm_of_slots(slots); }); };
  EXPECT_EQ(kind({}), ErrorKind::usage);
  EXPECT_EQ(kind({{0, 1.0}}), ErrorKind::usage);
  EXPECT_EQ(kind({{4, 0.0}}), ErrorKind::usage);
  EXPECT_EQ(kind({{4, -1.0}}), ErrorKind::usage);
  EXPECT_EQ(kind({{4, std::nan("")}}), ErrorKind::usage);
  EXPECT_EQ(kind({{0xffffffff, 1.0}}), ErrorKind::usage);
}

}  // namespace
}  // namespace sosia
