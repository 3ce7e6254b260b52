// SPDX-License-Identifier: Apache-2.0
#include "simd/columns.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/columns.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "simd/loops_inl.h"
#include "simd/parallel.h"

HWY_BEFORE_NAMESPACE();
namespace sosia::simd::HWY_NAMESPACE {
namespace {

// Rows are added in groups, and groups to the total, which keeps rounding errors small.
constexpr std::size_t kGroup = 128;

constexpr std::size_t kLanes = hn::MaxLanes(Floats());

/// sums = the sum over rows of some vectors side by side, vector v of row r being term(r, v). They are spelled out, so
/// that the sums stay in registers: through memory, every row would wait for the one before it.
template <class Term, class Store, std::size_t... v>
HWY_ATTR void add_rows(std::index_sequence<v...>, std::size_t rows, const Term& term, const Store& store) {
  const Floats d;
  FloatVector total[] = {(static_cast<void>(v), hn::Zero(d))...};
  for (std::size_t begin = 0; begin < rows; begin += kGroup) {
    FloatVector partial[] = {(static_cast<void>(v), hn::Zero(d))...};
    for (std::size_t r = begin; r < std::min(rows, begin + kGroup); ++r) {
      ((partial[v] = hn::Add(partial[v], term(r, v))), ...);
    }
    ((total[v] = hn::Add(total[v], partial[v])), ...);
  }
  (store(v, total[v]), ...);
}

/// sums[c] = the sum over rows of term(load, r, c), where load(p) are the numbers from p on of as many columns as are
/// added up at once.
template <class Term>
HWY_ATTR void add_columns(std::size_t rows, std::size_t cols, const Term& term, float* sums) {
  const Floats d;
  constexpr std::size_t kVectors = 4;
  std::size_t c = 0;
  for (; c + kVectors * kLanes <= cols; c += kVectors * kLanes) {
    const auto load = [](const float* from) HWY_ATTR { return hn::LoadU(Floats(), from); };
    add_rows(
        std::make_index_sequence<kVectors>(), rows,
        [&](std::size_t r, std::size_t v) HWY_ATTR { return term(load, r, c + v * kLanes); },
        [&](std::size_t v, FloatVector sum) HWY_ATTR { hn::StoreU(sum, d, sums + c + v * kLanes); });
  }
  for (; c < cols; c += kLanes) {
    const std::size_t width = std::min(kLanes, cols - c);
    const auto load = [width](const float* from) HWY_ATTR { return load_some(Floats(), from, width); };
    add_rows(
        std::make_index_sequence<1>(), rows, [&](std::size_t r, std::size_t) HWY_ATTR { return term(load, r, c); },
        [&](std::size_t, FloatVector sum) HWY_ATTR { store_some(d, sum, sums + c, width); });
  }
}

void sums_target(MatrixView<const float> x, float* sums) {
  const auto term = [&](const auto& load, std::size_t r, std::size_t c)
                        HWY_ATTR { return load(x.data + r * x.stride + c); };
  add_columns(x.rows, x.cols, term, sums);
}

void squares_target(MatrixView<const float> x, const float* center, float* sums) {
  const auto term = [&](const auto& load, std::size_t r, std::size_t c) HWY_ATTR {
    const FloatVector deviation = hn::Sub(load(x.data + r * x.stride + c), load(center + c));
    return hn::Mul(deviation, deviation);
  };
  add_columns(x.rows, x.cols, term, sums);
}

void products_target(MatrixView<const float> g, MatrixView<const float> x, const float* center, float* sums) {
  const auto term = [&](const auto& load, std::size_t r, std::size_t c) HWY_ATTR {
    return hn::Mul(load(g.data + r * g.stride + c), hn::Sub(load(x.data + r * x.stride + c), load(center + c)));
  };
  add_columns(x.rows, x.cols, term, sums);
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
