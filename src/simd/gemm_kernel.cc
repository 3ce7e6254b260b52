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

#include "simd/loops_inl.h"
#include "simd/product_inl.h"

HWY_BEFORE_NAMESPACE();
namespace sosia::simd::HWY_NAMESPACE {
namespace {

constexpr std::size_t kInnerBlock = 256;
static_assert(kTileRows % kRows == 0 && kRowBlock % kRows == 0 && kColBlock % kPanel == 0);

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

/// Whether so many columns of a panel are read and written as whole vectors, or as the half of one.
constexpr bool is_whole(std::size_t cols) {
  return cols == kPanel || cols == kLanes || cols == hn::MaxLanes(HalfFloats());
}

/// Copies `width` <= kPanel columns in the order in which they are read. Returns how far their places are apart.
HWY_ATTR std::size_t copy_columns(const float* from, Strided b, std::size_t width, std::size_t inner, float* copy) {
  constexpr std::size_t kHalf = hn::MaxLanes(HalfFloats());
  if (width <= kHalf) {
    copy_lines<kHalf>(from, b.col_step, b.row_step, width, inner, copy);
    return kHalf;
  }
  copy_lines<kPanel>(from, b.col_step, b.row_step, width, inner, copy);
  return kPanel;
}

/// Places k .. k+inner-1 of all sums. a: those places of the first row; rows of a block begin block_step apart.
HWY_ATTR void multiply_places(const GemmTile& t, std::size_t k, std::size_t inner, SideBySide steps, const float* a,
                              std::size_t block_step) {
  HWY_ALIGN float panel[kPanel * kInnerBlock];
  HWY_ALIGN float sums[kRows * kPanel];
  const bool is_plain = t.alpha == 1.0F && (k > 0 || t.beta == 0.0F);  // c is these sums, or all so far
  for (std::size_t col = 0; col < t.cols; col += kPanel) {
    const std::size_t width = std::min(kPanel, t.cols - col);
    const float* b = t.b.data + k * t.b.row_step + col * t.b.col_step;
    std::size_t b_step = t.b.row_step;
    if (t.b.col_step != 1 || !is_whole(width)) {  // not in the order in which it is read, or not whole vectors
      b_step = copy_columns(b, t.b, width, inner, panel);
      b = panel;
    }
    for (std::size_t row = 0; row < t.rows; row += kRows) {
      const std::size_t rows = std::min(kRows, t.rows - row);
      const float* const block = a + row / kRows * block_step;
      float* const c = t.c + row * t.c_step + col;
      if (is_plain && is_whole(width)) {
        multiply_some(steps, rows, width, block, b, b_step, inner, {c, t.c_step, k > 0});
      } else {
        multiply_some(steps, rows, width, block, b, b_step, inner, {sums});
        add_sums(t, k == 0, sums, c, rows, width);
      }
    }
  }
}

void multiply_target(const GemmTile& t) {
  HWY_ALIGN float rows_copy[kTileRows * kInnerBlock];
  for (std::size_t k = 0; k < t.inner; k += kInnerBlock) {
    const std::size_t inner = std::min(kInnerBlock, t.inner - k);
    const float* const a = t.a.data + k * t.a.col_step;
    if (t.a.row_step == 1) {  // rows stand side by side already
      multiply_places(t, k, inner, SideBySide{t.a.col_step}, a, kRows);
      continue;
    }
    for (std::size_t row = 0; row < t.rows; row += kRows) {
      copy_lines<kRows>(a + row * t.a.row_step, t.a.row_step, t.a.col_step, std::min(kRows, t.rows - row), inner,
                        rows_copy + row * inner);
    }
    multiply_places(t, k, inner, SideBySide(), rows_copy, kRows * inner);
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
