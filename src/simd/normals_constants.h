// SPDX-License-Identifier: Apache-2.0
// The polynomials behind fill_normals and its plain reference, which must agree to the bit.
#pragma once

namespace sosia::simd::normal_constants {

// The logarithm of 1 + x for sqrt(1/2) <= 1 + x < sqrt(2), after x - x^2/2; highest power first. Coefficients of logf,
// sinf and cosf in S. Moshier's Cephes library.
inline constexpr float kLog[] = {7.0376836292e-2F,  -1.1514610310e-1F, 1.1676998740e-1F,
                                 -1.2420140846e-1F, 1.4249322787e-1F,  -1.6668057665e-1F,
                                 2.0000714765e-1F,  -2.4999993993e-1F, 3.3333331174e-1F};
// ln 2 in two parts, so that a small whole number times the first one is exact.
inline constexpr float kLn2High = 0.693359375F, kLn2Low = -2.12194440e-4F;
inline constexpr float kRootHalf = 0.707106781186547524F;
inline constexpr float kSin[] = {-1.9515295891e-4F, 8.3321608736e-3F, -1.6666654611e-1F};
inline constexpr float kCos[] = {2.443315711809948e-5F, -1.388731625493765e-3F, 4.166664568298827e-2F};
// A quarter turn is 2^30 steps of an angle.
inline constexpr float kRadiansPerStep = 1.57079632679489662F * 0x1p-30F;

}  // namespace sosia::simd::normal_constants
