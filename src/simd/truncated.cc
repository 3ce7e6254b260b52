// SPDX-License-Identifier: Apache-2.0
#include "simd/truncated.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/truncated.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/check.h"
#include "simd/loops_inl.h"

HWY_BEFORE_NAMESPACE();
namespace sosia::simd::HWY_NAMESPACE {
namespace {

using Doubles = hn::ScalableTag<double>;
using HalfFloats = hn::Rebind<float, Doubles>;  // as many floats as a vector has doubles
using Integers = hn::RebindToSigned<Doubles>;
constexpr std::size_t kWide = hn::MaxLanes(Doubles());
constexpr std::size_t kSums = 32;

double squares_target(const float* x, std::size_t n) {
  const Doubles d;
  const HalfFloats floats;
  HWY_ALIGN double sums[kSums] = {};
  std::size_t i = 0;
  for (; i + kSums <= n; i += kSums) {
    for (std::size_t j = 0; j < kSums; j += kWide) {
      const auto v = hn::PromoteTo(d, hn::LoadU(floats, x + i + j));
      hn::Store(hn::Add(hn::Load(d, sums + j), hn::Mul(v, v)), d, sums + j);
    }
  }
  for (std::size_t j = 0; i + j < n; ++j) sums[j] += double{x[i + j]} * double{x[i + j]};
  for (std::size_t half = kSums / 2; half > 0; half /= 2) {
    if (half >= n) continue;  // nothing but zeros to add
    for (std::size_t j = 0; j < half; ++j) sums[j] += sums[j + half];
  }
  return sums[0];
}

template <bool is_positive>
HWY_ATTR void add(const float* x, double scale, std::int64_t* sum, std::size_t n) {
  const Doubles d;
  const HalfFloats floats;
  const Integers integers;
  std::size_t i = 0;
  for (; i + kWide <= n; i += kWide) {
    auto v = hn::LoadU(floats, x + i);
    if constexpr (is_positive) v = hn::Max(v, hn::Zero(floats));
    const auto whole = hn::ConvertTo(integers, hn::Mul(hn::PromoteTo(d, v), hn::Set(d, scale)));
    hn::StoreU(hn::Add(hn::LoadU(integers, sum + i), whole), integers, sum + i);
  }
  for (; i < n; ++i) {
    const double v = is_positive ? std::max(x[i], 0.0F) : x[i];
    sum[i] += static_cast<std::int64_t>(v * scale);
  }
}

void add_target(const float* x, double scale, std::int64_t* sum, std::size_t n) { add<false>(x, scale, sum, n); }
void add_positive_target(const float* x, double scale, std::int64_t* sum, std::size_t n) {
  add<true>(x, scale, sum, n);
}

}  // namespace
}  // namespace sosia::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sosia::simd {

HWY_EXPORT(squares_target);
HWY_EXPORT(add_target);
HWY_EXPORT(add_positive_target);

double sum_of_squares(std::span<const float> x) { return HWY_DYNAMIC_DISPATCH(squares_target)(x.data(), x.size()); }

void add_truncated(std::span<const float> x, double scale, std::span<std::int64_t> sum) {
  SOSIA_CHECK(x.size() == sum.size(), "lengths differ");
  HWY_DYNAMIC_DISPATCH(add_target)(x.data(), scale, sum.data(), x.size());
}

void add_truncated_positive(std::span<const float> x, double scale, std::span<std::int64_t> sum) {
  SOSIA_CHECK(x.size() == sum.size(), "lengths differ");
  HWY_DYNAMIC_DISPATCH(add_positive_target)(x.data(), scale, sum.data(), x.size());
}

}  // namespace sosia::simd
#endif
