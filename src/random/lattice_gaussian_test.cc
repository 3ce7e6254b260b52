// SPDX-License-Identifier: Apache-2.0
// Every statistical test below states a false alarm rate of 1e-6 or less; with the fixed seeds it is a fixed outcome.
#include "random/lattice_gaussian.h"

#include <gtest/gtest.h>

#include <array>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <map>
#include <numbers>
#include <vector>

#include <sosia/error.h>

#include "random/box_sampler.h"
#include "random/karney_test_support.h"

namespace sosia {
namespace {

constexpr double kFalseAlarm = 1e-6;
constexpr double kTwoSided = 4.9;  // |N(0,1)| exceeds this with probability 9.6e-7

std::vector<std::int64_t> draws(std::size_t count, int bits, std::uint64_t seed) {
  SecureRng rng = SecureRng::for_tests(seed);
  std::vector<std::int64_t> numbers(count, 0);
  add_lattice_gaussian(numbers, bits, rng);
  return numbers;
}

template <class Sampler>
std::vector<std::int64_t> draws_by(std::size_t count, int bits, std::uint64_t seed,
                                   std::size_t bulk = SecureWords::kMost) {
  SecureRng rng = SecureRng::for_tests(seed);
  Sampler source(bits, rng, bulk);
  std::vector<std::int64_t> numbers(count);
  for (auto& number : numbers) number = source.draw();
  return numbers;
}

// Boxes so coarse that half of the points, or most, are doubtful; comparisons by few digits, so that they go on for
// long.
using CoarseSampler = BoxSampler<NormalBoxes<2, 1, 8>, 4, 1>;  // columns of 1/2, up to 2
using ShortSampler = BoxSampler<NormalBoxes<1, 1, 6>, 4, 3>;   // the same, up to 1: a tail in one case of three
using PlainSampler = BoxSampler<NormalBoxes<4, 2, 12>, 30>;    // columns of 1/4, up to 4: the chord decides often

// P(floor(2^bits N + 1/2) > k), accurate in the upper tail.
double above(std::int64_t k, int bits) {
  return 0.5 * std::erfc((static_cast<double>(k) + 0.5) * std::ldexp(1.0, -bits) / std::numbers::sqrt2);
}

double probability(std::int64_t k, int bits) {
  const std::int64_t magnitude = std::abs(k);
  return above(magnitude - 1, bits) - above(magnitude, bits);
}

// Chi-square against the exact probabilities; cells with fewer than 10 expected draws are pooled, tail by tail.
void expect_exact_cells(const std::vector<std::int64_t>& numbers, int bits) {
  std::map<std::int64_t, double> observed;
  const auto count = static_cast<double>(numbers.size());
  std::int64_t widest = 0;
  while (count * probability(widest + 1, bits) >= 10.0) ++widest;
  for (const std::int64_t number : numbers) observed[std::clamp(number, -widest - 1, widest + 1)] += 1.0;
  double chi_square = 0.0;
  for (std::int64_t k = -widest - 1; k <= widest + 1; ++k) {
    const double expected = count * (std::abs(k) <= widest ? probability(k, bits) : above(widest, bits));
    chi_square += (observed[k] - expected) * (observed[k] - expected) / expected;
  }
  const boost::math::chi_squared law(static_cast<double>(2 * widest + 2));
  EXPECT_LT(chi_square, quantile(complement(law, kFalseAlarm))) << "bits " << bits;
  EXPECT_GT(chi_square, quantile(law, kFalseAlarm)) << "too good to be true, bits " << bits;
}

TEST(LatticeGaussian, CellsHaveTheirExactProbabilities) {
  for (const int bits : {1, 2, 3, 6}) expect_exact_cells(draws(1'000'000, bits, 100 + bits), bits);
}

TEST(LatticeGaussian, CellsAreExactHoweverCoarseTheBoxes) {
  for (const int bits : {1, 2, 3}) {
    expect_exact_cells(draws_by<CoarseSampler>(100'000, bits, 600 + bits), bits);
    expect_exact_cells(draws_by<ShortSampler>(100'000, bits, 610 + bits), bits);
    expect_exact_cells(draws_by<PlainSampler>(200'000, bits, 620 + bits), bits);
  }
}

// The reference. With short digits ties are common, which 32-bit digits have once in 2^32 times.
TEST(LatticeGaussian, CellsOfTheReferenceAreExact) {
  for (const int bits : {1, 2, 3}) {
    expect_exact_cells(draws_by<Karney<1>>(200'000, bits, 200 + bits), bits);
    expect_exact_cells(draws_by<Karney<3>>(200'000, bits, 300 + bits), bits);
    expect_exact_cells(draws_by<Karney<32>>(200'000, bits, 310 + bits), bits);
  }
}

// Both laws at once, cell by cell of a fine grid in which the boxes' columns are seen: a chi-square of two samples.
TEST(LatticeGaussian, AgreesWithTheReference) {
  constexpr int kBits = 9;
  constexpr std::size_t kDraws = 500'000;
  std::map<std::int64_t, std::array<double, 2>> seen;
  for (const std::int64_t number : draws(kDraws, kBits, 700)) seen[std::clamp<std::int64_t>(number, -1500, 1500)][0]++;
  for (const std::int64_t number : draws_by<Karney<32>>(kDraws, kBits, 701)) {
    seen[std::clamp<std::int64_t>(number, -1500, 1500)][1]++;
  }
  double chi_square = 0.0;
  for (const auto& [cell, counts] : seen) {
    chi_square += (counts[0] - counts[1]) * (counts[0] - counts[1]) / (counts[0] + counts[1]);
  }
  const boost::math::chi_squared law(static_cast<double>(seen.size() - 1));
  EXPECT_LT(chi_square, quantile(complement(law, kFalseAlarm)));
  EXPECT_GT(chi_square, quantile(law, kFalseAlarm)) << "too good to be true";
}

TEST(LatticeGaussian, HowWordsAreFetchedDoesNotMatter) {
  const std::vector<std::int64_t> numbers = draws(5'000, 30, 4);
  using Sampler = BoxSampler<NormalBoxes<10, 7, 16>, 37>;
  for (const std::size_t bulk : {1, 7, 64, 1024}) EXPECT_EQ(draws_by<Sampler>(5'000, 30, 4, bulk), numbers) << bulk;
}

// A fine grid seen through a coarse one: cells of 2^(bits - 3), cut half-way between grid points.
TEST(LatticeGaussian, FineGridsFollowTheNormalLaw) {
  for (const int bits : {30, 31, 32, 35, 40}) {
    std::vector<std::int64_t> coarse = draws(400'000, bits, 400 + bits);
    const std::int64_t half = std::int64_t{1} << (bits - 4);
    for (auto& number : coarse) number = (number + half) >> (bits - 3);
    expect_exact_cells(coarse, 3);
  }
}

TEST(LatticeGaussian, LowBitsAreUniform) {
  for (const int bits : {20, 31, 32, 33, 40}) {
    constexpr double kDraws = 256'000;
    std::vector<double> seen(256, 0.0);
    for (const std::int64_t number : draws(256'000, bits, 500 + bits)) seen[number & 255] += 1.0;
    double chi_square = 0.0;
    for (const double s : seen) chi_square += (s - kDraws / 256) * (s - kDraws / 256) / (kDraws / 256);
    EXPECT_LT(chi_square, quantile(complement(boost::math::chi_squared(255), kFalseAlarm))) << bits;
  }
}

// The variance of the rounded normal is 1 + 4^-bits / 12 up to terms below 1e-8 (Sheppard); so is the fourth moment 3.
TEST(LatticeGaussian, MomentsAndAutocorrelation) {
  constexpr int kBits = 32;
  const std::vector<std::int64_t> numbers = draws(1'000'000, kBits, 6);
  std::vector<double> z;
  for (const std::int64_t number : numbers) z.push_back(std::ldexp(static_cast<double>(number), -kBits));
  double first = 0, second = 0, third = 0, fourth = 0;
  for (const double x : z) first += x, second += x * x, third += x * x * x, fourth += x * x * x * x;
  const double n = static_cast<double>(z.size()), root = std::sqrt(n);
  EXPECT_NEAR(first / n, 0.0, kTwoSided / root);
  EXPECT_NEAR(second / n, 1.0, kTwoSided * std::sqrt(2.0) / root);
  EXPECT_NEAR(third / n, 0.0, kTwoSided * std::sqrt(15.0) / root);
  EXPECT_NEAR(fourth / n, 3.0, kTwoSided * std::sqrt(96.0) / root);
  for (std::size_t lag = 1; lag <= 8; ++lag) {
    double products = 0, squares = 0;
    for (std::size_t i = lag; i < z.size(); ++i) {
      products += z[i] * z[i - lag];
      squares += (z[i] * z[i] - 1) * (z[i - lag] * z[i - lag] - 1);
    }
    EXPECT_NEAR(products / n, 0.0, kTwoSided / root) << "lag " << lag;
    EXPECT_NEAR(squares / n, 0.0, kTwoSided * 2.0 / root) << "lag " << lag;
  }
}

TEST(LatticeGaussian, AddsToWhatIsThere) {
  SecureRng a = SecureRng::for_tests(8), b = SecureRng::for_tests(8);
  std::vector<std::int64_t> zeros(1000, 0), sums(1000, std::numeric_limits<std::int64_t>::max());
  add_lattice_gaussian(zeros, 20, a);
  add_lattice_gaussian(sums, 20, b);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    EXPECT_EQ(
        static_cast<std::uint64_t>(sums[i]) - static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()),
        static_cast<std::uint64_t>(zeros[i]));
  }
}

TEST(LatticeGaussian, RefusesBitsOutOfRange) {
  SecureRng rng = SecureRng::for_tests(1);
  std::vector<std::int64_t> numbers(1);
  EXPECT_THROW(add_lattice_gaussian(numbers, 0, rng), Error);
  EXPECT_THROW(add_lattice_gaussian(numbers, 41, rng), Error);
}

}  // namespace
}  // namespace sosia
