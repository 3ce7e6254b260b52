// SPDX-License-Identifier: Apache-2.0
// A number of c is, in every place of every matrix, the same chain of operations on its row of a and its column of b:
//   for each block of kInnerBlock: sum = 0; sum = fma(a, b, sum) one by one; c = alpha * sum + (beta * c, later c)
// so that its bits depend on nothing else. Speed comes from registers: a few rows by two vectors of c are kept in them
// over a whole block, and each number of a and b that is loaded is used that many times.
#include "simd/gemm_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/gemm_kernel.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "simd/loops_inl.h"

HWY_BEFORE_NAMESPACE();
namespace sosia::simd::HWY_NAMESPACE {
namespace {

constexpr std::size_t kInnerBlock = 256;
// Two vectors of each row, two of b and one of a must fit into 32 registers (AVX-512, NEON) or 16 (the others).
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
constexpr std::size_t kRows = 12;
#else
constexpr std::size_t kRows = 6;
#endif
// Columns of c that are done at once. A vector's length is known to the compiler on all targets that are built.
constexpr std::size_t kLanes = hn::MaxLanes(Floats()), kPanel = 2 * kLanes;
static_assert(kTileRows % kRows == 0);

/// c = alpha * sums + old for some rows. is_first: old is beta * c, else c itself.
HWY_NOINLINE HWY_ATTR void add_sums(const GemmTile& t, bool is_first, const float* sums, float* c, std::size_t rows,
                                    std::size_t cols) {
  const float alpha = t.alpha, beta = t.beta;
  for (std::size_t r = 0; r < rows; ++r, sums += kPanel, c += t.c_step) {
    if (!is_first) {
      const auto op = [alpha](auto d, auto sum, auto old)
                          HWY_ATTR { return hn::Add(hn::Mul(hn::Set(d, alpha), sum), old); };
      transform(c, cols, op, sums, c);
    } else if (beta == 0.0F) {
      transform(c, cols, [alpha](auto d, auto sum) HWY_ATTR { return hn::Mul(hn::Set(d, alpha), sum); }, sums);
    } else {
      const auto op = [alpha, beta](auto d, auto sum, auto old)
                          HWY_ATTR { return hn::Add(hn::Mul(hn::Set(d, alpha), sum), hn::Mul(hn::Set(d, beta), old)); };
      transform(c, cols, op, sums, c);
    }
  }
}

/// Some rows of c by one copied panel of b. The rows are spelled out, so that the sums stay in registers.
template <std::size_t... row>
HWY_ATTR void multiply_rows(std::index_sequence<row...>, const GemmTile& t, const float* a, const float* panel,
                            std::size_t inner, bool is_first, float* c, std::size_t cols) {
  const Floats d;
  FloatVector sum0[] = {(static_cast<void>(row), hn::Zero(d))...};
  FloatVector sum1[] = {(static_cast<void>(row), hn::Zero(d))...};
  for (std::size_t k = 0; k < inner; ++k) {
    const FloatVector b0 = hn::LoadU(d, panel), b1 = hn::LoadU(d, panel + kLanes);
    const auto add = [&](std::size_t r, FloatVector& s0, FloatVector& s1) HWY_ATTR {
      const FloatVector v = hn::Set(d, a[r]);
      s0 = hn::MulAdd(v, b0, s0);
      s1 = hn::MulAdd(v, b1, s1);
    };
    (add(row, sum0[row], sum1[row]), ...);
    a += kRows;
    panel += kPanel;
  }
  HWY_ALIGN float sums[sizeof...(row) * kPanel];
  (hn::StoreU(sum0[row], d, sums + row * kPanel), ...);
  (hn::StoreU(sum1[row], d, sums + row * kPanel + kLanes), ...);
  add_sums(t, is_first, sums, c, sizeof...(row), cols);
}

/// The same for a number of rows known only now, at most `most`.
template <std::size_t most>
HWY_ATTR void multiply_some(std::size_t rows, const GemmTile& t, const float* a, const float* panel, std::size_t inner,
                            bool is_first, float* c, std::size_t cols) {
  if (rows == most) {
    multiply_rows(std::make_index_sequence<most>(), t, a, panel, inner, is_first, c, cols);
  } else if constexpr (most > 1) {
    multiply_some<most - 1>(rows, t, a, panel, inner, is_first, c, cols);
  }
}

/// Copies `count` <= width lines of a matrix side by side: copy[k * width + i] is number k of line i, 0 if there is no
/// line.
template <std::size_t width>
HWY_ATTR void copy_lines(const float* from, std::size_t line_step, std::size_t number_step, std::size_t count,
                         std::size_t numbers, float* copy) {
  if (count < width) std::fill_n(copy, numbers * width, 0.0F);
  if (line_step == 1 && count == width) {
    for (std::size_t k = 0; k < numbers; ++k)
      std::memcpy(copy + k * width, from + k * number_step, sizeof(float[width]));
    return;
  }
  // A few numbers of all lines at a time, so that what is written stays in the nearest cache.
  constexpr std::size_t kAtATime = 16;
  for (std::size_t begin = 0; begin < numbers; begin += kAtATime) {
    const std::size_t end = std::min(numbers, begin + kAtATime);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = begin; k < end; ++k) copy[k * width + i] = from[i * line_step + k * number_step];
    }
  }
}

void multiply_target(const GemmTile& t) {
  HWY_ALIGN float rows_copy[kTileRows * kInnerBlock];
  HWY_ALIGN float panel[kPanel * kInnerBlock];
  for (std::size_t k = 0; k < t.inner; k += kInnerBlock) {
    const std::size_t inner = std::min(kInnerBlock, t.inner - k);
    for (std::size_t row = 0; row < t.rows; row += kRows) {
      const float* const a = t.a.data + row * t.a.row_step + k * t.a.col_step;
      copy_lines<kRows>(a, t.a.row_step, t.a.col_step, std::min(kRows, t.rows - row), inner, rows_copy + row * inner);
    }
    for (std::size_t col = 0; col < t.cols; col += kPanel) {
      const std::size_t width = std::min(kPanel, t.cols - col);
      const float* const b = t.b.data + k * t.b.row_step + col * t.b.col_step;
      copy_lines<kPanel>(b, t.b.col_step, t.b.row_step, width, inner, panel);
      for (std::size_t row = 0; row < t.rows; row += kRows) {
        multiply_some<kRows>(std::min(kRows, t.rows - row), t, rows_copy + row * inner, panel, inner, k == 0,
                             t.c + row * t.c_step + col, width);
      }
    }
  }
}

}  // namespace
}  // namespace sosia::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sosia::simd {

HWY_EXPORT(multiply_target);

void multiply(const GemmTile& tile) { HWY_DYNAMIC_DISPATCH(multiply_target)(tile); }

}  // namespace sosia::simd
#endif
