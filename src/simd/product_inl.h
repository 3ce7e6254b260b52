// SPDX-License-Identifier: Apache-2.0
// The innermost loop of all products of matrices: a few rows by one or two vectors of columns, kept in registers. Each
// number is the chain sum = 0; sum = fma(a, b, sum), one by one in the order of k, in every place of every product.
// Compiled once for each CPU target, hence a guard that toggles with the target in the place of #pragma once.
#if defined(SOSIA_SIMD_PRODUCT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SOSIA_SIMD_PRODUCT_INL_H
#undef SOSIA_SIMD_PRODUCT_INL_H
#else
#define SOSIA_SIMD_PRODUCT_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "simd/loops_inl.h"

HWY_BEFORE_NAMESPACE();
namespace sosia::simd::HWY_NAMESPACE {

// Two vectors of each row, two of b and one of a must fit into 32 registers (AVX-512, NEON) or 16 (the others).
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
constexpr std::size_t kRows = 12;
#else
constexpr std::size_t kRows = 6;
#endif
// Columns that are done at once. A vector's length is known to the compiler on all targets that are built.
constexpr std::size_t kLanes = hn::MaxLanes(Floats()), kPanel = 2 * kLanes;
// For the last few columns.
using HalfFloats = hn::CappedTag<float, (kLanes + 1) / 2>;

/// Where the numbers of a few rows are: that of row r and place k at r * row + k * place. What the compiler knows of it
/// needs no registers.
template <std::size_t row_, std::size_t place_>
struct Steps {
  static constexpr std::size_t row = row_, place = place_;
};
/// Rows that stand side by side: columns of a matrix as they are, or rows copied by copy_lines<kRows>.
struct SideBySide {
  static constexpr std::size_t row = 1;
  std::size_t place = kRows;
};

/// Where a product goes: row r of it to data + r * step, or, if is_added, onto what is there.
struct Sums {
  float* data;
  std::size_t step = kPanel;
  bool is_added = false;
};

/// Adds `rows` vectors to what is there.
template <class D>
HWY_NOINLINE HWY_ATTR void add_rows(D d, const hn::Vec<D>* sums, std::size_t rows, float* to, std::size_t step) {
  for (std::size_t r = 0; r < rows; ++r) hn::StoreU(hn::Add(sums[r], hn::LoadU(d, to + r * step)), d, to + r * step);
}

/// Row r, column c of `to` = the sum over k of a(r, k) * b[k * b_step + c], for one vector of columns or two.
template <class A, std::size_t vectors, class D, std::size_t... row>
HWY_INLINE HWY_ATTR void multiply_rows(std::index_sequence<row...>, D d, A steps, const float* a, const float* b,
                                       std::size_t b_step, std::size_t inner, const Sums& to) {
  using Vector = hn::Vec<D>;
  Vector sum0[] = {(static_cast<void>(row), hn::Zero(d))...};
  Vector sum1[] = {(static_cast<void>(row), hn::Zero(d))...};
  for (std::size_t k = 0; k < inner; ++k) {
    const Vector b0 = hn::LoadU(d, b), b1 = vectors == 2 ? hn::LoadU(d, b + kLanes) : b0;
    const auto add = [&](std::size_t r, Vector& s0, Vector& s1) HWY_ATTR {
      const Vector v = hn::Set(d, a[r * steps.row]);
      s0 = hn::MulAdd(v, b0, s0);
      if constexpr (vectors == 2) s1 = hn::MulAdd(v, b1, s1);
    };
    (add(row, sum0[row], sum1[row]), ...);
    a += steps.place;
    b += b_step;
  }
  if (to.is_added) {
    const Vector copy0[] = {sum0[row]...}, copy1[] = {sum1[row]...};  // the sums themselves stay in registers
    add_rows(d, copy0, sizeof...(row), to.data, to.step);
    if constexpr (vectors == 2) add_rows(d, copy1, sizeof...(row), to.data + kLanes, to.step);
    return;
  }
  (hn::StoreU(sum0[row], d, to.data + row * to.step), ...);
  if constexpr (vectors == 2) (hn::StoreU(sum1[row], d, to.data + row * to.step + kLanes), ...);
}

/// The same for numbers of rows and columns known only now, at most `most` and kPanel. Vectors, or the half of one, are
/// read and written as a whole, as many as hold the columns.
template <class A, std::size_t most = kRows>
HWY_NOINLINE HWY_ATTR void multiply_edge(A steps, std::size_t rows, std::size_t cols, const float* a, const float* b,
                                         std::size_t b_step, std::size_t inner, Sums to) {
  if (rows == most) {
    constexpr std::make_index_sequence<most> kEach;
    if (cols > kLanes) {
      multiply_rows<A, 2>(kEach, Floats(), steps, a, b, b_step, inner, to);
    } else if (cols > hn::MaxLanes(HalfFloats())) {
      multiply_rows<A, 1>(kEach, Floats(), steps, a, b, b_step, inner, to);
    } else {
      multiply_rows<A, 1>(kEach, HalfFloats(), steps, a, b, b_step, inner, to);
    }
  } else if constexpr (most > 1) {
    multiply_edge<A, most - 1>(steps, rows, cols, a, b, b_step, inner, to);
  }
}

/// The same; nearly all tiles are whole, and worth a loop where they are needed.
template <class A>
HWY_INLINE HWY_ATTR void multiply_some(A steps, std::size_t rows, std::size_t cols, const float* a, const float* b,
                                       std::size_t b_step, std::size_t inner, const Sums& to) {
  if (rows == kRows && cols > kLanes) {
    multiply_rows<A, 2>(std::make_index_sequence<kRows>(), Floats(), steps, a, b, b_step, inner, to);
  } else {
    multiply_edge(steps, rows, cols, a, b, b_step, inner, to);
  }
}

/// copy[k * width + i] = from[i * line_step + k] for four lines i and four places k.
HWY_INLINE HWY_ATTR void copy_four_by_four(const float* from, std::size_t line_step, float* copy, std::size_t width) {
#if HWY_TARGET == HWY_SCALAR
  for (std::size_t k = 0; k < 4; ++k) {
    for (std::size_t i = 0; i < 4; ++i) copy[k * width + i] = from[i * line_step + k];
  }
#else
  const hn::FixedTag<float, 4> d;
  const auto line0 = hn::LoadU(d, from), line1 = hn::LoadU(d, from + line_step);
  const auto line2 = hn::LoadU(d, from + 2 * line_step), line3 = hn::LoadU(d, from + 3 * line_step);
  const auto low01 = hn::InterleaveLower(d, line0, line1), low23 = hn::InterleaveLower(d, line2, line3);
  const auto high01 = hn::InterleaveUpper(d, line0, line1), high23 = hn::InterleaveUpper(d, line2, line3);
  hn::StoreU(hn::ConcatLowerLower(d, low23, low01), d, copy);
  hn::StoreU(hn::ConcatUpperUpper(d, low23, low01), d, copy + width);
  hn::StoreU(hn::ConcatLowerLower(d, high23, high01), d, copy + 2 * width);
  hn::StoreU(hn::ConcatUpperUpper(d, high23, high01), d, copy + 3 * width);
#endif
}

/// Copies `count` <= width lines of a matrix side by side: copy[k * width + i] is number k of line i, 0 if there is no
/// line. Lines or the numbers of a line follow each other.
template <std::size_t width>
HWY_ATTR void copy_lines(const float* from, std::size_t line_step, std::size_t number_step, std::size_t count,
                         std::size_t numbers, float* copy) {
  if (count < width) std::fill_n(copy, numbers * width, 0.0F);
  if (line_step == 1) {
    for (std::size_t k = 0; k < numbers; ++k) {
      if (count == width) {
        std::memcpy(copy + k * width, from + k * number_step, sizeof(float[width]));
      } else {
        std::copy_n(from + k * number_step, count, copy + k * width);
      }
    }
    return;
  }
  const std::size_t whole_lines = count / 4 * 4, whole_numbers = number_step == 1 ? numbers / 4 * 4 : 0;
  for (std::size_t k = 0; k < whole_numbers; k += 4) {
    for (std::size_t i = 0; i < whole_lines; i += 4) {
      copy_four_by_four(from + i * line_step + k, line_step, copy + k * width + i, width);
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = i < whole_lines ? whole_numbers : 0; k < numbers; ++k) {
      copy[k * width + i] = from[i * line_step + k * number_step];
    }
  }
}

}  // namespace sosia::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
