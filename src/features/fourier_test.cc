// SPDX-License-Identifier: Apache-2.0
#include "features/fourier.h"

#include <gtest/gtest.h>

#include <cmath>

#include <sosia/error.h>

#include "features/feature_contract.h"
#include "random/public_rng.h"

namespace sosia {
namespace {

std::vector<float> random_rows(const FeatureMap& map, std::size_t count, float size) {
  std::vector<float> rows(count * static_cast<std::size_t>(map.inputs()));
  PublicRng rng(5);
  for (float& number : rows) number = size * static_cast<float>(rng.uniform());
  return rows;
}

void expect_contract(const FeatureMap& map) {
  const std::vector<float> rows = random_rows(map, 61, 1.0F);
  expect_bound(map, rows);
  expect_rows_alone(map, rows);
  expect_sums(map, 4);
  for (const std::uint64_t seed : {1, 2}) expect_gradient(map, seed);
}

// More and fewer columns and frequencies than a vector has lanes, and no multiples of them.
TEST(Fourier, KeepsTheContract) {
  for (const int frequencies : {1, 31, 32, 100, 200}) {
    for (const std::size_t inputs : {1, 14, 35}) {
      SCOPED_TRACE(testing::Message() << frequencies << " frequencies, " << inputs << " inputs");
      expect_contract(*fourier(std::vector<double>(inputs, 2.0), {.frequencies = frequencies}));
    }
  }
  expect_contract(*fourier({0.7, 1.5, 3.0}, {.frequencies = 50, .bandwidths = {0.5, 2.0}, .orthogonal = true}));
}

double norm_of(std::span<const float> vector) {
  double squares = 0.0;
  for (const float x : vector) squares += static_cast<double>(x) * static_cast<double>(x);
  return std::sqrt(squares);
}

// Not even by roundings, so that the door never has to shrink a vector; and not much below it.
TEST(Fourier, VectorsStayWithinTheBound) {
  for (const int frequencies : {1, 3, 64, 5000}) {
    const auto map = fourier({1.0, 0.5}, {.frequencies = frequencies});
    const auto dim = static_cast<std::size_t>(map->dim());
    for (const float size : {0.0F, 1.0F, 100.0F, 1e4F}) {
      const std::vector<float> vectors = vectors_of(*map, random_rows(*map, 50, size));
      for (std::size_t first = 0; first < vectors.size(); first += dim) {
        const double norm = norm_of({vectors.data() + first, dim});
        EXPECT_LT(norm, 1.0);
        EXPECT_GT(norm, 1.0 - 2e-6);
      }
    }
  }
}

/// The inner product of the vectors of two rows.
double kernel(const FeatureMap& map, std::vector<float> rows) {
  const std::vector<float> vectors = vectors_of(map, rows);
  double sum = 0.0;
  for (std::size_t j = 0; j < vectors.size() / 2; ++j) {
    sum += static_cast<double>(vectors[j]) * static_cast<double>(vectors[vectors.size() / 2 + j]);
  }
  return sum;
}

// At distance t, in units of the length scales, the inner product is the mean of cos(w t) over normal w: its mean is
// k = exp(-t^2 / 2) and its variance (1 - k^2)^2 / 2 by the number of frequencies. So over 200 seeds the squares of
// standardised errors add up to about a chi-square of 200 degrees. Laurent and Massart (2000): that exceeds
// 200 + 2 sqrt(200 x) + 2x, or stays below 200 - 2 sqrt(200 x), with probability e^-x each; x = 17 gives 351 and 83,
// and 4e-8 for each of 8 tests. (A fourth moment above the normal one, by 12 / 64 at most, widens the deviation of the
// sum from 20 to 21; the limits are 5 and 7 of them away.) The mean error has 5.6 standard deviations: 2e-8, 4 times.
TEST(Fourier, ErrorsOfTheKernelAreThoseOfTheory) {
  for (const int frequencies : {64, 1024}) {
    for (const float distance : {0.5F, 2.0F}) {
      const double k = std::exp(-distance * distance / 2.0);
      const double deviation = (1.0 - k * k) / std::sqrt(2.0 * frequencies);
      double sum = 0.0, squares = 0.0;
      for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const auto map = fourier({2.0, 0.25}, {.frequencies = frequencies, .seed = seed});
        // Apart by 0.6 and 0.8 distances, in columns of scales 2 and 0.25.
        const double error =
            (kernel(*map, {1.0F, 0.3F, 1.0F + 1.2F * distance, 0.3F + 0.2F * distance}) - k) / deviation;
        sum += error;
        squares += error * error;
      }
      EXPECT_LT(std::abs(sum), 5.6 * std::sqrt(200.0)) << frequencies << " " << distance;
      EXPECT_GT(squares, 83.0) << frequencies << " " << distance;
      EXPECT_LT(squares, 351.0) << frequencies << " " << distance;
    }
  }
}

// Hoeffding: a mean of n independent numbers in [-1, 1] is off by more than sqrt(2 L / n) with probability at most
// 2 e^-L; L = 16 gives 2.3e-7 for each of three tests.
TEST(Fourier, SeveralBandwidthsGiveTheMeanOfTheirKernels) {
  constexpr double kCount = 30'000;
  const auto map = fourier({1.0}, {.frequencies = static_cast<int>(kCount), .bandwidths = {0.5, 1.0, 4.0}});
  for (const double distance : {0.3, 1.0, 3.0}) {
    double expected = 0.0;
    for (const double bandwidth : {0.5, 1.0, 4.0}) expected += std::exp(-std::pow(distance / bandwidth, 2) / 2.0) / 3.0;
    EXPECT_NEAR(kernel(*map, {0.5F, 0.5F + static_cast<float>(distance)}), expected, std::sqrt(2.0 * 16.0 / kCount));
  }
}

/// The frequencies, read off the gradient at zero.
std::vector<std::vector<float>> frequencies_of(const FeatureMap& map) {
  ThreadPool alone(1);
  const auto inputs = static_cast<std::size_t>(map.inputs()), dim = static_cast<std::size_t>(map.dim());
  const std::vector<float> zero(inputs);
  std::vector<std::vector<float>> found;
  for (std::size_t f = 0; f < dim / 2; ++f) {
    std::vector<float> d_sums(dim), row(inputs);
    d_sums[dim / 2 + f] = std::sqrt(static_cast<float>(dim / 2));
    map.backward({zero.data(), 1, inputs}, {}, {d_sums.data(), 1, dim}, {row.data(), 1, inputs}, alone);
    found.push_back(row);
  }
  return found;
}

// Blocks of four; 1200 squared lengths, chi-squares of 4 degrees with mean 4 and variance 8. Their mean is off by more
// than 5.6 * sqrt(8 / 1200) with a probability of about 2e-8.
TEST(Fourier, OrthogonalFrequenciesAreOrthogonalAndAsLongAsNormalOnes) {
  const auto found = frequencies_of(*fourier({1.0, 1.0, 1.0, 1.0}, {.frequencies = 1200, .orthogonal = true}));
  double squares = 0.0;
  for (std::size_t f = 0; f < found.size(); ++f) {
    squares += norm_of(found[f]) * norm_of(found[f]);
    for (std::size_t g = f / 4 * 4; g < f; ++g) {
      double product = 0.0;
      for (std::size_t i = 0; i < 4; ++i) {
        product += static_cast<double>(found[f][i]) * static_cast<double>(found[g][i]);
      }
      EXPECT_NEAR(product, 0.0, 2e-6 * norm_of(found[f]) * norm_of(found[g]));
    }
  }
  EXPECT_NEAR(squares / 1200.0, 4.0, 5.6 * std::sqrt(8.0 / 1200.0));
}

TEST(Fourier, FrequenciesAreAFunctionOfTheSeed) {
  const auto of_seed = [](std::uint64_t seed) {
    return frequencies_of(*fourier({1.0, 2.0}, {.frequencies = 40, .seed = seed}));
  };
  EXPECT_EQ(of_seed(3), of_seed(3));
  EXPECT_NE(of_seed(3), of_seed(4));
  // More of them leave the first ones as they are.
  auto more = frequencies_of(*fourier({1.0, 2.0}, {.frequencies = 90, .seed = 3}));
  for (std::size_t f = 0; f < 40; ++f) EXPECT_NEAR(more[f][0], of_seed(3)[f][0], 1e-6) << f;
}

TEST(Fourier, RefusesScalesThatAreNone) {
  EXPECT_THROW(fourier({}), Error);
  EXPECT_THROW(fourier({1.0, 0.0}), Error);
  EXPECT_THROW(fourier({NAN}), Error);
  EXPECT_THROW(fourier({1.0}, {.frequencies = 0}), Error);
  EXPECT_THROW(fourier({1.0}, {.bandwidths = {}}), Error);
  EXPECT_THROW(fourier({1.0}, {.bandwidths = {1.0, -1.0}}), Error);
}

}  // namespace
}  // namespace sosia
