// SPDX-License-Identifier: Apache-2.0
// Exponential, hyperbolic tangent and logistic function of a vector of floats, by Highway's polynomials. Compiled once
// for each CPU target, hence a guard that toggles with the target in the place of #pragma once.
#if defined(SOSIA_SIMD_FUNCTIONS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SOSIA_SIMD_FUNCTIONS_INL_H
#undef SOSIA_SIMD_FUNCTIONS_INL_H
#else
#define SOSIA_SIMD_FUNCTIONS_INL_H
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sosia::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Highway's polynomial is made for x <= 104; all above is infinite in any case.
template <class D, class V>
HWY_INLINE HWY_ATTR V exp_of(D d, V x) {
  return hn::Exp(d, hn::Min(x, hn::Set(d, 104.0F)));
}

/// Highway's own, kept from its overflow: the tangent is 1 to the last bit from 9.02 on.
template <class D, class V>
HWY_INLINE HWY_ATTR V tanh_of(D d, V x) {
  return hn::Tanh(d, hn::Clamp(x, hn::Set(d, -20.0F), hn::Set(d, 20.0F)));
}

template <class D, class V>
HWY_INLINE HWY_ATTR V sigmoid_of(D d, V x) {
  // Of exp(-|x|), which cannot overflow; one half of the curve is the other one mirrored.
  const V e = hn::Exp(d, hn::Neg(hn::Abs(x)));
  const V one = hn::Set(d, 1.0F);
  const V numerator = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one);
  return hn::Div(numerator, hn::Add(one, e));
}

}  // namespace sosia::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
