// SPDX-License-Identifier: Apache-2.0
#include "privacy/accounting/fft.h"

#include <cmath>
#include <kissfft/kissfft.hh>
#include <limits>
#include <numbers>

#include "base/check.h"
#include "privacy/accounting/numbers.h"

namespace sosia::accounting {

struct RealFft::Engine {
  kissfft<double> transform;
};

/// An even-length real transform is a complex one of half the length, its even and odd entries as real and imaginary
/// parts, and one more butterfly.
RealFft::RealFft(std::size_t size) : size_(size) {
  SOSIA_CHECK(size >= 4 && size % 2 == 0, "the length of a real transform must be even");
  engine_ = std::make_unique<Engine>(Engine{kissfft<double>(size / 2, false)});
  roots_.resize(size / 2 + 1);
  const double angle = -2.0 * std::numbers::pi / static_cast<double>(size);
  for (std::size_t k = 0; k < roots_.size(); ++k) roots_[k] = std::polar(1.0, angle * static_cast<double>(k));
}

RealFft::~RealFft() = default;

std::vector<Complex> RealFft::forward(std::span<const double> values) const {
  SOSIA_CHECK(values.size() == size_, "the transform was made for another length");
  const std::size_t half = size_ / 2;
  std::vector<Complex> packed(half), mixed(half), spectrum(half + 1);
  for (std::size_t j = 0; j < half; ++j) packed[j] = {values[2 * j], values[2 * j + 1]};
  engine_->transform.transform(packed.data(), mixed.data());
  for (std::size_t k = 0; k <= half; ++k) {
    const Complex a = mixed[k % half], b = std::conj(mixed[(half - k) % half]);
    const Complex even = 0.5 * (a + b), odd = 0.5 * (a - b);
    // even - i root odd
    const double re = roots_[k].real() * odd.real() - roots_[k].imag() * odd.imag();
    const double im = roots_[k].real() * odd.imag() + roots_[k].imag() * odd.real();
    spectrum[k] = {even.real() + im, even.imag() - re};
  }
  return spectrum;
}

std::vector<double> RealFft::inverse(std::vector<Complex> spectrum) const {
  SOSIA_CHECK(spectrum.size() == size_ / 2 + 1, "the transform was made for another length");
  const std::size_t half = size_ / 2;
  std::vector<Complex> mixed(half), packed(half);
  for (std::size_t k = 0; k < half; ++k) {
    const Complex a = spectrum[k], b = std::conj(spectrum[half - k]);
    const Complex sum = a + b, gap = a - b;
    // conj(sum + i conj(root) gap): the conjugate turns the forward engine into the inverse.
    const double re = roots_[k].real() * gap.real() + roots_[k].imag() * gap.imag();
    const double im = roots_[k].real() * gap.imag() - roots_[k].imag() * gap.real();
    mixed[k] = {sum.real() - im, -(sum.imag() + re)};
  }
  engine_->transform.transform(mixed.data(), packed.data());
  const double scale = 1.0 / static_cast<double>(size_);
  std::vector<double> values(size_);
  for (std::size_t j = 0; j < half; ++j) {
    values[2 * j] = scale * packed[j].real();
    values[2 * j + 1] = -scale * packed[j].imag();
  }
  return values;
}

double RealFft::error_factor() const {
  constexpr double kUnit = 0.5 * std::numeric_limits<double>::epsilon();
  return 10.0 * kUnit * (1.0 + std::log2(static_cast<double>(size_)));
}

std::size_t RealFft::fast_size(std::size_t least) {
  std::size_t best = 4;
  while (best < least) best *= 2;
  for (std::size_t five = 4; five < best; five *= 5) {
    for (std::size_t three = five; three < best; three *= 3) {
      std::size_t size = three;
      while (size < least) size *= 2;
      if (size < best) best = size;
    }
  }
  return best;
}

}  // namespace sosia::accounting
