// SPDX-License-Identifier: Apache-2.0
#include "simd/elementwise.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/elementwise.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/check.h"
#include "simd/functions_inl.h"
#include "simd/loops_inl.h"
#include "simd/sincos_inl.h"

HWY_BEFORE_NAMESPACE();
namespace sosia::simd::HWY_NAMESPACE {
namespace {

void exp_target(const float* x, float* out, std::size_t n) {
  transform(out, n, [](auto d, auto v) HWY_ATTR { return exp_of(d, v); }, x);
}

void log_target(const float* x, float* out, std::size_t n) {
  transform(out, n, [](auto d, auto v) HWY_ATTR { return hn::Log(d, v); }, x);
}

void tanh_target(const float* x, float* out, std::size_t n) {
  transform(out, n, [](auto d, auto v) HWY_ATTR { return tanh_of(d, v); }, x);
}

void sigmoid_target(const float* x, float* out, std::size_t n) {
  transform(out, n, [](auto d, auto v) HWY_ATTR { return sigmoid_of(d, v); }, x);
}

void sincos_target(const float* x, float* sines, float* cosines, std::size_t n) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  FloatVector sine, cosine;
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    sincos_of(d, hn::LoadU(d, x + i), sine, cosine);
    hn::StoreU(sine, d, sines + i);
    hn::StoreU(cosine, d, cosines + i);
  }
  if (i == n) return;
  sincos_of(d, load_some(d, x + i, n - i), sine, cosine);
  store_some(d, sine, sines + i, n - i);
  store_some(d, cosine, cosines + i, n - i);
}

void add_scaled_target(float a, const float* x, float* y, std::size_t n) {
  const auto op = [a](auto d, auto v, auto sum) HWY_ATTR { return hn::Add(sum, hn::Mul(hn::Set(d, a), v)); };
  transform(y, n, op, x, y);
}

void scale_target(float a, float* x, std::size_t n) {
  transform(x, n, [a](auto d, auto v) HWY_ATTR { return hn::Mul(hn::Set(d, a), v); }, x);
}

void clamp_target(float bound, float* x, std::size_t n) {
  const auto op = [bound](auto d, auto v) HWY_ATTR { return hn::Clamp(v, hn::Set(d, -bound), hn::Set(d, bound)); };
  transform(x, n, op, x);
}

}  // namespace
}  // namespace sosia::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sosia::simd {

HWY_EXPORT(exp_target);
HWY_EXPORT(log_target);
HWY_EXPORT(tanh_target);
HWY_EXPORT(sigmoid_target);
HWY_EXPORT(sincos_target);
HWY_EXPORT(add_scaled_target);
HWY_EXPORT(scale_target);
HWY_EXPORT(clamp_target);

void exp(std::span<const float> x, std::span<float> out) {
  SOSIA_CHECK(x.size() == out.size(), "lengths differ");
  HWY_DYNAMIC_DISPATCH(exp_target)(x.data(), out.data(), x.size());
}

void log(std::span<const float> x, std::span<float> out) {
  SOSIA_CHECK(x.size() == out.size(), "lengths differ");
  HWY_DYNAMIC_DISPATCH(log_target)(x.data(), out.data(), x.size());
}

void tanh(std::span<const float> x, std::span<float> out) {
  SOSIA_CHECK(x.size() == out.size(), "lengths differ");
  HWY_DYNAMIC_DISPATCH(tanh_target)(x.data(), out.data(), x.size());
}

void sigmoid(std::span<const float> x, std::span<float> out) {
  SOSIA_CHECK(x.size() == out.size(), "lengths differ");
  HWY_DYNAMIC_DISPATCH(sigmoid_target)(x.data(), out.data(), x.size());
}

void sincos(std::span<const float> x, std::span<float> sines, std::span<float> cosines) {
  SOSIA_CHECK(x.size() == sines.size() && x.size() == cosines.size(), "lengths differ");
  HWY_DYNAMIC_DISPATCH(sincos_target)(x.data(), sines.data(), cosines.data(), x.size());
}

void add_scaled(float a, std::span<const float> x, std::span<float> y) {
  SOSIA_CHECK(x.size() == y.size(), "lengths differ");
  HWY_DYNAMIC_DISPATCH(add_scaled_target)(a, x.data(), y.data(), x.size());
}

void scale(float a, std::span<float> x) { HWY_DYNAMIC_DISPATCH(scale_target)(a, x.data(), x.size()); }

void clamp(float bound, std::span<float> x) { HWY_DYNAMIC_DISPATCH(clamp_target)(bound, x.data(), x.size()); }

}  // namespace sosia::simd
#endif
