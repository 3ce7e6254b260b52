// SPDX-License-Identifier: Apache-2.0
#include "privacy/accounting/fft.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace sosia::accounting {
namespace {

std::vector<double> random_values(std::size_t size) {
  std::mt19937_64 rng(size);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  std::vector<double> values(size);
  for (double& value : values) value = uniform(rng);
  return values;
}

TEST(Fft, FastSizesAreProductsOfSmallPrimes) {
  EXPECT_EQ(RealFft::fast_size(1), 4u);
  EXPECT_EQ(RealFft::fast_size(17), 20u);
  EXPECT_EQ(RealFft::fast_size(1000), 1000u);
  EXPECT_EQ(RealFft::fast_size(1025), 1080u);
  EXPECT_EQ(RealFft::fast_size(1 << 20), 1u << 20);
}

TEST(Fft, AgreesWithTheDefinitionWithinItsErrorFactor) {
  for (const std::size_t size : {4u, 12u, 60u, 128u, 360u}) {
    const auto values = random_values(size);
    const RealFft fft(size);
    const auto spectrum = fft.forward(values);
    double norm = 0.0;
    for (const double value : values) norm += value;
    for (std::size_t k = 0; k <= size / 2; ++k) {
      std::complex<double> sum = 0.0;
      for (std::size_t j = 0; j < size; ++j) {
        const double turn = static_cast<double>(j * k % size) / static_cast<double>(size);
        sum += values[j] * std::polar(1.0, -2.0 * std::numbers::pi * turn);
      }
      EXPECT_LE(std::abs(spectrum[k] - sum), 2.0 * fft.error_factor() * norm) << size << ' ' << k;
    }
  }
}

TEST(Fft, InverseUndoesForward) {
  for (const std::size_t size : {4u, 20u, 1080u, 1u << 16}) {
    const auto values = random_values(size);
    const RealFft fft(size);
    const auto back = fft.inverse(fft.forward(values));
    for (std::size_t j = 0; j < size; ++j) ASSERT_NEAR(back[j], values[j], 1e-14) << size;
  }
}

}  // namespace
}  // namespace sosia::accounting
