// SPDX-License-Identifier: Apache-2.0
#include "simd/truncated.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/truncated.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

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
static_assert(kOuterPadding % kWide == 0);

double products_target(const float* x, const float* y, std::size_t n) {
  const Doubles d;
  const HalfFloats floats;
  HWY_ALIGN double sums[kSums] = {};
  std::size_t i = 0;
  for (; i + kSums <= n; i += kSums) {
    for (std::size_t j = 0; j < kSums; j += kWide) {
      const auto v = hn::PromoteTo(d, hn::LoadU(floats, x + i + j)), w = hn::PromoteTo(d, hn::LoadU(floats, y + i + j));
      hn::Store(hn::Add(hn::Load(d, sums + j), hn::Mul(v, w)), d, sums + j);
    }
  }
  for (std::size_t j = 0; i + j < n; ++j) sums[j] += double{x[i + j]} * double{y[i + j]};
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

using DoubleVector = hn::Vec<Doubles>;
using IntegerVector = hn::Vec<Integers>;

/// A strip of columns, of at most a vector's width, of all rows of `right`.
struct Strip {
  MatrixView<const double> right;
  std::size_t first, cells;

  HWY_ATTR DoubleVector load(std::size_t row) const {
    return hn::LoadU(Doubles(), right.data + row * right.stride + first);
  }
  HWY_ATTR void add(IntegerVector total, std::size_t i, std::int64_t* sum) const {
    const Integers integers;
    std::int64_t* to = sum + i * right.cols + first;
    if (cells == kWide) {
      hn::StoreU(hn::Add(hn::LoadU(integers, to), total), integers, to);
      return;
    }
    HWY_ALIGN std::int64_t lanes[kWide];
    hn::Store(total, integers, lanes);
    for (std::size_t j = 0; j < cells; ++j) to[j] += lanes[j];
  }
};

// Doubles from 2^52 to 2^53 are the whole numbers: what is added to this one is rounded to the nearest of them, and the
// bits of the sum, as an integer, have grown by just that. Products are exact, so that it makes no difference whether
// the CPU rounds them before it adds.
constexpr double kWhole = 0x1.8p52;
constexpr std::uint64_t kWholeBits = 0x4338000000000000;

HWY_ATTR DoubleVector plus_product(DoubleVector x, double a, DoubleVector g) {
  return hn::MulAdd(hn::Set(Doubles(), a), g, x);
}

/// The sums of `count` rows, which stay in registers while the groups go by.
template <std::size_t terms, std::size_t count>
HWY_ATTR void add_rows(MatrixView<const double> left, const Strip& strip, std::size_t i, std::int64_t* sum) {
  static_assert(count == 1 || count == 4);
  const Integers integers;
  const DoubleVector whole = hn::Set(Doubles(), kWhole);
  const std::uint64_t excess = left.rows / terms * kWholeBits;
  IntegerVector total0 = hn::Set(integers, static_cast<std::int64_t>(0 - excess)), total1 = total0, total2 = total0,
                total3 = total0;
  const auto plus_cell = [&](IntegerVector total, const double* a, DoubleVector g, DoubleVector h) HWY_ATTR {
    DoubleVector x = plus_product(whole, a[0], g);
    if constexpr (terms == 2) x = plus_product(x, a[left.stride], h);
    return hn::Add(total, hn::BitCast(integers, x));
  };
  for (std::size_t r = 0; r < left.rows; r += terms) {
    const double* a = left.data + r * left.stride + i;
    const DoubleVector g = strip.load(r), h = strip.load(r + terms - 1);
    total0 = plus_cell(total0, a, g, h);
    if constexpr (count == 1) continue;
    total1 = plus_cell(total1, a + 1, g, h);
    total2 = plus_cell(total2, a + 2, g, h);
    total3 = plus_cell(total3, a + 3, g, h);
  }
  strip.add(total0, i, sum);
  if constexpr (count == 1) return;
  strip.add(total1, i + 1, sum);
  strip.add(total2, i + 2, sum);
  strip.add(total3, i + 3, sum);
}

template <std::size_t terms>
HWY_ATTR void add_outer(MatrixView<const double> left, MatrixView<const double> right, std::int64_t* sum) {
  for (std::size_t j = 0; j < right.cols; j += kWide) {
    const Strip strip{right, j, std::min(kWide, right.cols - j)};
    std::size_t i = 0;
    for (; i + 4 <= left.cols; i += 4) add_rows<terms, 4>(left, strip, i, sum);
    for (; i < left.cols; ++i) add_rows<terms, 1>(left, strip, i, sum);
  }
}

void add_outer_target(const MatrixView<const double>& left, const MatrixView<const double>& right, std::size_t terms,
                      std::int64_t* sum) {
  terms == 1 ? add_outer<1>(left, right, sum) : add_outer<2>(left, right, sum);
}

}  // namespace
}  // namespace sosia::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sosia::simd {

HWY_EXPORT(products_target);
HWY_EXPORT(add_outer_target);
HWY_EXPORT(add_target);
HWY_EXPORT(add_positive_target);

double sum_of_squares(std::span<const float> x) { return sum_of_products(x, x); }

double sum_of_products(std::span<const float> x, std::span<const float> y) {
  SOSIA_CHECK(x.size() == y.size(), "lengths differ");
  return HWY_DYNAMIC_DISPATCH(products_target)(x.data(), y.data(), x.size());
}

void add_truncated(std::span<const float> x, double scale, std::span<std::int64_t> sum) {
  SOSIA_CHECK(x.size() == sum.size(), "lengths differ");
  HWY_DYNAMIC_DISPATCH(add_target)(x.data(), scale, sum.data(), x.size());
}

void add_truncated_positive(std::span<const float> x, double scale, std::span<std::int64_t> sum) {
  SOSIA_CHECK(x.size() == sum.size(), "lengths differ");
  HWY_DYNAMIC_DISPATCH(add_positive_target)(x.data(), scale, sum.data(), x.size());
}

void add_outer_rounded(MatrixView<const double> left, MatrixView<const double> right, std::size_t terms,
                       std::span<std::int64_t> sum) {
  SOSIA_CHECK((terms == 1 || terms == 2) && left.rows == right.rows && left.rows % terms == 0, "rows are not groups");
  SOSIA_CHECK(sum.size() == left.cols * right.cols && right.stride >= padded_outer(right.cols),
              "factors and sums differ in length");
  HWY_DYNAMIC_DISPATCH(add_outer_target)(left, right, terms, sum.data());
}

}  // namespace sosia::simd
#endif
