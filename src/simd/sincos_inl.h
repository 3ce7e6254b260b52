// SPDX-License-Identifier: Apache-2.0
// Sine and cosine of a vector of floats. Compiled once for each CPU target, hence a guard that toggles with the target
// in the place of #pragma once.
#if defined(SOSIA_SIMD_SINCOS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SOSIA_SIMD_SINCOS_INL_H
#undef SOSIA_SIMD_SINCOS_INL_H
#else
#define SOSIA_SIMD_SINCOS_INL_H
#endif

#include <hwy/highway.h>

#include "simd/normals_constants.h"

HWY_BEFORE_NAMESPACE();
namespace sosia::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// x minus q quarter turns, for whole q. A quarter turn comes in parts: with fused multiply-adds, two that are together
/// exact to 48 bits; without them, parts of so few digits that the first three products are exact for q below 2^16.
template <class D, class V>
HWY_INLINE HWY_ATTR V minus_quarter_turns(D d, V x, V q) {
#if HWY_NATIVE_FMA
  x = hn::NegMulAdd(q, hn::Set(d, 0x1.921fb6p+0F), x);
  return hn::NegMulAdd(q, hn::Set(d, -0x1.777a5cp-25F), x);
#else
  x = hn::Sub(x, hn::Mul(q, hn::Set(d, 0x1.92p+0F)));
  x = hn::Sub(x, hn::Mul(q, hn::Set(d, 0x1.fap-12F)));
  x = hn::Sub(x, hn::Mul(q, hn::Set(d, 0x1.54p-20F)));
  return hn::Sub(x, hn::Mul(q, hn::Set(d, 0x1.10b462p-30F)));
#endif
}

template <class D, class V>
HWY_INLINE HWY_ATTR void sincos_of(D d, V x, V& sine, V& cosine) {
  using namespace normal_constants;
  const hn::RebindToUnsigned<D> words;
  // The nearest whole number of quarter turns. In this sum it stands in the last bits, where it can be read off.
  const V shift = hn::Set(d, 0x1.8p23F);
  const V shifted = hn::MulAdd(x, hn::Set(d, 0.63661977236758134F), shift);
  const V r = minus_quarter_turns(d, x, hn::Sub(shifted, shift));

  const V r2 = hn::Mul(r, r);
  V s = hn::MulAdd(hn::Set(d, kSin[0]), r2, hn::Set(d, kSin[1]));
  s = hn::MulAdd(s, r2, hn::Set(d, kSin[2]));
  s = hn::MulAdd(s, hn::Mul(r2, r), r);
  V c = hn::MulAdd(hn::Set(d, kCos[0]), r2, hn::Set(d, kCos[1]));
  c = hn::MulAdd(c, r2, hn::Set(d, kCos[2]));
  c = hn::MulAdd(c, hn::Mul(r2, r2), hn::NegMulAdd(hn::Set(d, 0.5F), r2, hn::Set(d, 1.0F)));

  const auto quarter = hn::BitCast(words, shifted);
  const auto one = hn::Set(words, 1U), sign = hn::Set(words, 0x80000000U);
  const auto is_odd = hn::RebindMask(d, hn::TestBit(quarter, one));
  const V sine_sign = hn::BitCast(d, hn::And(hn::ShiftLeft<30>(quarter), sign));
  const V cosine_sign = hn::BitCast(d, hn::And(hn::ShiftLeft<30>(hn::Add(quarter, one)), sign));
  sine = hn::Xor(hn::IfThenElse(is_odd, c, s), sine_sign);
  cosine = hn::Xor(hn::IfThenElse(is_odd, s, c), cosine_sign);
}

}  // namespace sosia::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
