// SPDX-License-Identifier: Apache-2.0
// Loops over floats that every kernel file uses. Compiled once for each CPU target, hence a guard that toggles with the
// target in the place of #pragma once.
#if defined(SOSIA_SIMD_LOOPS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SOSIA_SIMD_LOOPS_INL_H
#undef SOSIA_SIMD_LOOPS_INL_H
#else
#define SOSIA_SIMD_LOOPS_INL_H
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace sosia::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using FloatVector = hn::Vec<Floats>;

/// The first `count` numbers, the other lanes 0. Never reads beyond them.
inline HWY_ATTR FloatVector load_some(Floats d, const float* from, std::size_t count) {
#if HWY_MEM_OPS_MIGHT_FAULT
  HWY_ALIGN float lanes[hn::MaxLanes(Floats())] = {};
  std::memcpy(lanes, from, count * sizeof(float));
  return hn::Load(d, lanes);
#else
  return hn::MaskedLoad(hn::FirstN(d, count), d, from);
#endif
}

inline HWY_ATTR void store_some(Floats d, FloatVector v, float* to, std::size_t count) {
#if HWY_MEM_OPS_MIGHT_FAULT
  HWY_ALIGN float lanes[hn::MaxLanes(Floats())];
  hn::Store(v, d, lanes);
  std::memcpy(to, lanes, count * sizeof(float));
#else
  hn::BlendedStore(v, hn::FirstN(d, count), d, to);
#endif
}

/// out[i] = op(d, in[i]...). The tail goes through the same instructions, so a number does not depend on its place.
/// `out` may be one of the inputs.
template <class Op, class... In>
HWY_ATTR void transform(float* out, std::size_t n, const Op& op, const In*... in) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(op(d, hn::LoadU(d, in + i)...), d, out + i);
  if (i < n) store_some(d, op(d, load_some(d, in + i, n - i)...), out + i, n - i);
}

}  // namespace sosia::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
