// SPDX-License-Identifier: Apache-2.0
// Functions of single numbers over arrays. Inputs and outputs have one length; an output may be its input.
#pragma once

#include <span>

namespace sosia::simd {

/// Errors in units of the last place of the result, over all finite inputs unless said otherwise:
/// exp 1 (results below the smallest normal number: absolute error 2e-38), log 4 (x > 0), tanh 4, sigmoid 4 (the same
/// exception). Other CPU targets may give other bits within these errors.
void exp(std::span<const float> x, std::span<float> out);
void log(std::span<const float> x, std::span<float> out);
void tanh(std::span<const float> x, std::span<float> out);
/// 1 / (1 + exp(-x))
void sigmoid(std::span<const float> x, std::span<float> out);

/// Sines and cosines of x. Absolute error 1.2e-7 for |x| <= 1e5; what is beyond 4e6 gives numbers without meaning.
void sincos(std::span<const float> x, std::span<float> sines, std::span<float> cosines);

// What follows rounds after every operation, in the order written: the same bits on every CPU.

/// y += a * x
void add_scaled(float a, std::span<const float> x, std::span<float> y);
/// x *= a
void scale(float a, std::span<float> x);
/// Every number into [-bound, bound].
void clamp(float bound, std::span<float> x);

}  // namespace sosia::simd
