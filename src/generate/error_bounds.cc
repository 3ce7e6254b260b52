// SPDX-License-Identifier: Apache-2.0
#include "generate/error_bounds.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/check.h"

namespace sosia {

NoiseCovariance NoiseCovariance::of(std::span<const NoiseBlock> blocks) {
  NoiseCovariance noise;
  double squares = 0.0;
  for (const NoiseBlock& block : blocks) {
    const auto entries = static_cast<double>(block.entries);
    const double variance = block.sigma * block.sigma;
    noise.trace += entries * variance;
    squares += entries * variance * variance;
    if (block.entries > 0) noise.largest = std::max(noise.largest, variance);
  }
  noise.frobenius = std::sqrt(squares);
  return noise;
}

double expected_noise_norm(const NoiseBlock& block) {
  if (block.entries == 0) return 0.0;
  const auto entries = static_cast<double>(block.entries);
  if (entries > 1e7) return block.sigma * std::sqrt(entries - 0.5);  // the difference of logarithms has lost its digits
  return block.sigma * std::numbers::sqrt2 * std::exp(std::lgamma(0.5 * (entries + 1.0)) - std::lgamma(0.5 * entries));
}

double noise_norm(const NoiseCovariance& noise, double failure) {
  SOSIA_CHECK(failure > 0.0 && failure < 1.0, "a probability");
  const double log = std::log(1.0 / failure);
  return std::min(std::sqrt(noise.trace) + std::sqrt(2.0 * noise.largest * log),
                  std::sqrt(noise.trace + 2.0 * noise.frobenius * std::sqrt(log) + 2.0 * noise.largest * log));
}

double expected_loss_error(const NoiseCovariance& noise, double along) {
  return noise.trace + 2.0 * std::sqrt(2.0 * std::numbers::inv_pi) * along;
}

double loss_error(const NoiseCovariance& noise, double along, double failure) {
  SOSIA_CHECK(failure > 0.0 && failure < 1.0, "a probability");
  const double log = std::log(2.0 / failure);  // half of it for |n|^2, half for n a
  return noise.trace + 2.0 * noise.frobenius * std::sqrt(log) + 2.0 * noise.largest * log +
         2.0 * along * std::sqrt(2.0 * log);
}

double uniform_loss_error(const NoiseCovariance& noise, double bound, double failure) {
  const double norm = noise_norm(noise, failure);
  return norm * norm + 4.0 * bound * norm;
}

double excess_loss(const NoiseCovariance& noise, double bound, double failure) {
  return 4.0 * bound * noise_norm(noise, failure);
}

double optimistic_excess_loss(const NoiseCovariance& noise, double least, double failure) {
  const double norm = noise_norm(noise, failure);
  return 4.0 * norm * (least + norm);
}

double expected_feature_error(std::size_t features, double squared_mmd) {
  SOSIA_CHECK(features >= 2 && squared_mmd >= 0.0 && squared_mmd <= 4.0, "features, and a squared distance up to 4");
  return std::sqrt(2.0 * squared_mmd * (4.0 - squared_mmd) / static_cast<double>(features));
}

double expected_random_feature_loss_error(std::size_t features, double sigma) {
  const NoiseBlock block = {features, sigma};
  return expected_loss_error(NoiseCovariance::of({&block, 1}), 2.0 * sigma) + expected_feature_error(features);
}

}  // namespace sosia
