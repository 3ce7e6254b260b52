// SPDX-License-Identifier: Apache-2.0
// The Fourier transform of real sequences.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace sosia::accounting {

/// Discrete Fourier transform of `size` real numbers, in O(size log size).
class RealFft {
 public:
  /// `size` must be even; see `fast_size`.
  explicit RealFft(std::size_t size);
  ~RealFft();
  RealFft(const RealFft&) = delete;
  RealFft& operator=(const RealFft&) = delete;

  std::size_t size() const { return size_; }

  /// X_k = sum_j x_j e^(-2 pi i j k / size) for k = 0 .. size / 2; the others are their conjugates.
  std::vector<std::complex<double>> forward(std::span<const double> values) const;

  /// x_j = (1 / size) sum_k X_k e^(2 pi i j k / size), given k = 0 .. size / 2. The argument is used up.
  std::vector<double> inverse(std::vector<std::complex<double>> spectrum) const;

  /// gamma such that every computed X_k is within gamma * sum |x_j| of the true one: each of the log2(size) stages adds
  /// a few rounding errors, and twiddle factors are accurate to some 9 units in the last place.
  double error_factor() const;

  /// The smallest size >= `least` that is a product of 2, 3, 5 (and at least one 4): these are fast.
  static std::size_t fast_size(std::size_t least);

 private:
  struct Engine;
  std::size_t size_;
  std::unique_ptr<Engine> engine_;
  std::vector<std::complex<double>> roots_;  ///< e^(-2 pi i k / size), k = 0 .. size / 2
};

}  // namespace sosia::accounting
