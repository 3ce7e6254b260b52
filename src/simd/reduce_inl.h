// SPDX-License-Identifier: Apache-2.0
// Sums and maxima of short arrays. Compiled once for each CPU target, hence a guard that toggles with the target in the
// place of #pragma once.
#if defined(SOSIA_SIMD_REDUCE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SOSIA_SIMD_REDUCE_INL_H
#undef SOSIA_SIMD_REDUCE_INL_H
#else
#define SOSIA_SIMD_REDUCE_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

#include "simd/loops_inl.h"

HWY_BEFORE_NAMESPACE();
namespace sosia::simd::HWY_NAMESPACE {

/// The sum of term(d, in[i]...), where term of zeros is zero. Four running sums, since an addition takes four cycles.
template <class Term, class... In>
HWY_ATTR float sum_of(std::size_t n, const Term& term, const In*... in) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  FloatVector sum0 = hn::Zero(d), sum1 = hn::Zero(d), sum2 = hn::Zero(d), sum3 = hn::Zero(d);
  std::size_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    sum0 = hn::Add(sum0, term(d, hn::LoadU(d, in + i)...));
    sum1 = hn::Add(sum1, term(d, hn::LoadU(d, in + i + lanes)...));
    sum2 = hn::Add(sum2, term(d, hn::LoadU(d, in + i + 2 * lanes)...));
    sum3 = hn::Add(sum3, term(d, hn::LoadU(d, in + i + 3 * lanes)...));
  }
  for (; i + lanes <= n; i += lanes) sum0 = hn::Add(sum0, term(d, hn::LoadU(d, in + i)...));
  if (i < n) sum1 = hn::Add(sum1, term(d, load_some(d, in + i, n - i)...));
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3))));
}

inline HWY_ATTR float short_sum(const float* x, std::size_t n) {
  return sum_of(n, [](auto, auto v) HWY_ATTR { return v; }, x);
}

inline HWY_ATTR float short_dot(const float* x, const float* y, std::size_t n) {
  return sum_of(n, [](auto, auto v, auto w) HWY_ATTR { return hn::Mul(v, w); }, x, y);
}

/// n > 0
inline HWY_ATTR float short_max(const float* x, std::size_t n) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  if (n < lanes) return *std::max_element(x, x + n);
  FloatVector max = hn::LoadU(d, x + n - lanes);  // overlaps the others, which does a maximum no harm
  for (std::size_t i = 0; i + lanes <= n; i += lanes) max = hn::Max(max, hn::LoadU(d, x + i));
  return hn::GetLane(hn::MaxOfLanes(d, max));
}

}  // namespace sosia::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
