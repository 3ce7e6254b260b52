// SPDX-License-Identifier: Apache-2.0
#include "simd/columns.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/columns.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/check.h"
#include "simd/loops_inl.h"
#include "simd/parallel.h"

HWY_BEFORE_NAMESPACE();
namespace sosia::simd::HWY_NAMESPACE {
namespace {

// Rows are added in groups, and groups to the total, which keeps rounding errors small.
constexpr std::size_t kGroup = 128;

/// sums = the sum over rows, `width` <= kStripCols numbers each; add_row(r, partial) adds row r to a partial sum.
template <class AddRow>
HWY_ATTR void add_rows(std::size_t rows, std::size_t width, float* sums, const AddRow& add_row) {
  std::fill_n(sums, width, 0.0F);
  for (std::size_t begin = 0; begin < rows; begin += kGroup) {
    float partial[kStripCols] = {};
    for (std::size_t r = begin; r < std::min(rows, begin + kGroup); ++r) add_row(r, partial);
    transform(sums, width, [](auto, auto a, auto b) HWY_ATTR { return hn::Add(a, b); }, sums, partial);
  }
}

void sums_target(MatrixView<const float> x, float* sums) {
  add_rows(x.rows, x.cols, sums, [&](std::size_t r, float* partial) HWY_ATTR {
    const auto add = [](auto, auto sum, auto v) HWY_ATTR { return hn::Add(sum, v); };
    transform(partial, x.cols, add, partial, x.data + r * x.stride);
  });
}

void squares_target(MatrixView<const float> x, const float* center, float* sums) {
  add_rows(x.rows, x.cols, sums, [&](std::size_t r, float* partial) HWY_ATTR {
    const auto add = [](auto, auto sum, auto v, auto c) HWY_ATTR {
      const auto deviation = hn::Sub(v, c);
      return hn::Add(sum, hn::Mul(deviation, deviation));
    };
    transform(partial, x.cols, add, partial, x.data + r * x.stride, center);
  });
}

void products_target(MatrixView<const float> g, MatrixView<const float> x, const float* center, float* sums) {
  add_rows(x.rows, x.cols, sums, [&](std::size_t r, float* partial) HWY_ATTR {
    const auto add = [](auto, auto sum, auto v, auto w, auto c)
                         HWY_ATTR { return hn::Add(sum, hn::Mul(v, hn::Sub(w, c))); };
    transform(partial, x.cols, add, partial, g.data + r * g.stride, x.data + r * x.stride, center);
  });
}

void combine_target(const float* a, MatrixView<const float> g, const float* b, MatrixView<const float> x,
                    const float* shift, MatrixView<float> out) {
  const auto op = [](auto, auto va, auto vg, auto vb, auto vx, auto vshift)
                      HWY_ATTR { return hn::Add(hn::Add(hn::Mul(va, vg), hn::Mul(vb, vx)), vshift); };
  for (std::size_t r = 0; r < x.rows; ++r) {
    transform(out.data + r * out.stride, x.cols, op, a, g.data + r * g.stride, b, x.data + r * x.stride, shift);
  }
}

}  // namespace
}  // namespace sosia::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sosia::simd {

HWY_EXPORT(sums_target);
HWY_EXPORT(squares_target);
HWY_EXPORT(products_target);
HWY_EXPORT(combine_target);

namespace {

MatrixView<const float> strip_of(MatrixView<const float> x, std::size_t begin, std::size_t end) {
  return {x.data + begin, x.rows, end - begin, x.stride};
}

}  // namespace

void column_sums(MatrixView<const float> x, std::span<float> sums, ThreadPool& pool) {
  SOSIA_CHECK(sums.size() == x.cols, "not one sum for each column");
  for_ranges(pool, x.cols, kStripCols, [&](std::size_t begin, std::size_t end) {
    HWY_DYNAMIC_DISPATCH(sums_target)(strip_of(x, begin, end), sums.data() + begin);
  });
}

void column_moments(MatrixView<const float> x, std::span<float> means, std::span<float> variances, ThreadPool& pool) {
  SOSIA_CHECK(x.rows > 0 && means.size() == x.cols && variances.size() == x.cols, "shapes differ");
  const auto count = static_cast<float>(x.rows);
  for_ranges(pool, x.cols, kStripCols, [&](std::size_t begin, std::size_t end) {
    const MatrixView<const float> strip = strip_of(x, begin, end);
    HWY_DYNAMIC_DISPATCH(sums_target)(strip, means.data() + begin);
    for (std::size_t c = begin; c < end; ++c) means[c] /= count;
    HWY_DYNAMIC_DISPATCH(squares_target)(strip, means.data() + begin, variances.data() + begin);
    for (std::size_t c = begin; c < end; ++c) variances[c] /= count;
  });
}

void column_products(MatrixView<const float> g, MatrixView<const float> x, std::span<const float> center,
                     std::span<float> sums, ThreadPool& pool) {
  SOSIA_CHECK(g.rows == x.rows && g.cols == x.cols && center.size() == x.cols && sums.size() == x.cols,
              "shapes differ");
  for_ranges(pool, x.cols, kStripCols, [&](std::size_t begin, std::size_t end) {
    HWY_DYNAMIC_DISPATCH(products_target)
    (strip_of(g, begin, end), strip_of(x, begin, end), center.data() + begin, sums.data() + begin);
  });
}

void combine_columns(std::span<const float> a, MatrixView<const float> g, std::span<const float> b,
                     MatrixView<const float> x, std::span<const float> shift, MatrixView<float> out, ThreadPool& pool) {
  const auto is_like_x = [&](const auto& m) { return m.rows == x.rows && m.cols == x.cols; };
  SOSIA_CHECK(is_like_x(g) && is_like_x(out) && a.size() == x.cols && b.size() == x.cols && shift.size() == x.cols,
              "shapes differ");
  for_ranges(pool, x.rows, rows_per_piece(x.cols), [&](std::size_t begin, std::size_t end) {
    const auto rows = [&](auto m) { return decltype(m)(m.data + begin * m.stride, end - begin, m.cols, m.stride); };
    HWY_DYNAMIC_DISPATCH(combine_target)(a.data(), rows(g), b.data(), rows(x), shift.data(), rows(out));
  });
}

}  // namespace sosia::simd
#endif
