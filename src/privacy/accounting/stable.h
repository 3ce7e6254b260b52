// SPDX-License-Identifier: Apache-2.0
// Elementary functions near their zeros, for complex numbers.
#pragma once

#include <cmath>
#include <complex>

namespace sosia::accounting {

/// log(1 + w), to full relative accuracy for small w.
inline std::complex<double> complex_log1p(std::complex<double> w) {
  // |1 + w|^2 = 1 + 2 Re w + |w|^2.
  return {0.5 * std::log1p(2.0 * w.real() + std::norm(w)), std::atan2(w.imag(), 1.0 + w.real())};
}

/// e^w - 1, to full relative accuracy for small w.
inline std::complex<double> complex_expm1(std::complex<double> w) {
  const double half_sine = std::sin(0.5 * w.imag());
  return {std::expm1(w.real()) * std::cos(w.imag()) - 2.0 * half_sine * half_sine,
          std::exp(w.real()) * std::sin(w.imag())};
}

/// e^w - 1 - w, to full relative accuracy for small w.
inline std::complex<double> exp_beyond_linear(std::complex<double> w) {
  if (std::abs(w) > 0.5) return complex_expm1(w) - w;
  std::complex<double> term = w, sum = 0.0;
  for (int k = 2; k <= 16; ++k) {
    term *= w / static_cast<double>(k);
    sum += term;
  }
  return sum;
}

}  // namespace sosia::accounting
